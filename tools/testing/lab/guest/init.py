# SPDX-License-Identifier: GPL-2.0
"""The guest's init: lays out a scenario, runs it, writes what it measured.

Called by the kernel as process 1 with the folder of the job: job.json in,
result.json out. The guest's root is the host's, read-only; what it writes
goes to memory, or to that folder. Lines that begin with "lab: " on the
console are progress.
"""

import ctypes
import json
import mmap
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

REPO = Path(__file__).parents[4]
sys.path[0] = str(REPO)

from tools.kernel.errors import LabError
from tools.testing.lab import scenario
from tools.testing.lab.guest import network, nfs, shell
from tools.testing.lab.guest.daemon import Daemon
from tools.testing.lab.guest.load import Worker
from tools.testing.lab.guest.sampler import Sampler

JOB = Path("/tmp/job")
POWER_OFF = 0x4321FEDC
# The guest has devices of its own: a container's /dev lacks some.
KERNELS_OWN = (("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"))


def say(text: str) -> None:
    """Tell the host how far the guest is."""
    print(f"lab: {text}", flush=True)


def mount_all(job: str) -> None:
    """Make the read-only root of the host usable."""
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    for kind, point in KERNELS_OWN:
        shell.run("mount", "-t", kind, kind, point)
    for point in ("/tmp", "/run", "/mnt", "/srv", "/var/lib/nfs"):
        shell.run("mount", "-t", "tmpfs", "lab", point)
    for folder in ("/run/netns", "/run/lock", "/srv/nfs", JOB):
        Path(folder).mkdir()
    for folder in ("sm", "sm.bak", "v4recovery", "rpc_pipefs"):
        Path("/var/lib/nfs", folder).mkdir()
    for file in ("etab", "rmtab", "xtab", "state"):
        Path("/var/lib/nfs", file).touch()
    _mount_job(job)
    os.environ["LAB_REPO"] = str(REPO)
    shell.run("ip", "link", "set", "lo", "up")


def _mount_job(folder: str) -> None:
    """Mount the job's folder: UML knows its path, qemu gave it a name."""
    in_qemu = "\t9p\n" in Path("/proc/filesystems").read_text()
    kind = "9p" if in_qemu else "hostfs"
    options = "trans=virtio,version=9p2000.L" if in_qemu else folder
    shell.run("mount", "-t", kind, "-o", options, "job", str(JOB))


def lay_out(plan: scenario.Scenario) -> None:
    """The networks, and what is set on their hosts."""
    for index, (name, client) in enumerate(plan.clients.items()):
        network.add_client(index, name, client)
        for key, value in client.sysctl.items():
            shell.sysctl(key, value, netns=name)
    for key, value in plan.server.sysctl.items():
        shell.sysctl(key, value)


def serve(plan: scenario.Scenario) -> dict[str, Path]:
    """The server and its mounts; the mount point of each client."""
    nfs3 = any(client.nfs == "3" for client in plan.clients.values())
    nfs.start_server(plan.server, plan.memory_mb, nfs3)
    return {
        name: nfs.mount(index, name, client)
        for index, (name, client) in enumerate(plan.clients.items())
    }


def start_daemons(plan: scenario.Scenario) -> dict[str, Daemon]:
    """Start the daemon of each host that has one."""
    hosts: dict[str, scenario.Server | scenario.Client] = {"server": plan.server, **plan.clients}
    return {name: Daemon(name, host.daemon) for name, host in hosts.items() if host.daemon}


def run_phase(
    plan: scenario.Scenario, phase: scenario.Phase, mounts: dict[str, Path]
) -> dict[str, Any]:
    """Start the jobs, look at them and write the events until they end."""
    stop = mmap.mmap(-1, mmap.PAGESIZE)
    workers = {
        f"{job.do} {job.host} {index}": Worker(job, mounts.get(job.host), stop)
        for index, job in enumerate(phase.jobs)
    }
    finite = {n for n, w in workers.items() if w.job.do != "stat"}
    events = sorted(phase.events, key=lambda event: event.at_s)
    sampler = Sampler(workers)
    while any(not _ended(workers[name].pid) for name in finite):
        sampler.take()
        while events and events[0].at_s <= sampler.elapsed_s + 1e-6:
            event = events.pop(0)
            for key, value in event.sysctl.items():
                shell.sysctl(key, value, netns=shell.netns_of(event.host))
        time.sleep(plan.sample_ms / 1e3)
    stop[0] = 1
    if events:
        raise LabError(
            f"phase {phase.name!r} ended after {sampler.elapsed_s:.2f} s, "
            f"before its event at {events[0].at_s:g} s"
        )
    return {
        "name": phase.name,
        "jobs": [
            {"do": w.job.do, "host": w.job.host, "name": name, **w.report()}
            for name, w in workers.items()
        ],
        **sampler.report(),
    }


def _ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def main() -> None:
    """Run the job; whatever happens, leave a result and power off."""
    result: dict[str, Any] = {"release": os.uname().release, "phases": []}
    try:
        mount_all(sys.argv[1])
        plan = scenario.from_dict(json.loads((JOB / "job.json").read_text()))
        lay_out(plan)
        daemons = start_daemons(plan) if plan.daemons_first else {}
        mounts = serve(plan)
        daemons = daemons or start_daemons(plan)
        for phase in plan.phases:
            say(phase.name)
            result["phases"].append(run_phase(plan, phase, mounts))
        result["daemons"] = {n: d.stop() for n, d in daemons.items()}
    except LabError as error:
        result["error"] = f"{error}\n{nfs.logs()}".rstrip()
    except Exception:  # noqa: BLE001 - the host reports it as the run's failure
        result["error"] = f"{traceback.format_exc()}{nfs.logs()}".rstrip()
    leave(result)


def leave(result: dict[str, Any]) -> None:
    """Hand the result to the host and power off."""
    (JOB / "dmesg").write_text(shell.run("dmesg"))
    (JOB / "result.json").write_text(json.dumps(result))
    os.sync()
    ctypes.CDLL(None).reboot(POWER_OFF)


if __name__ == "__main__":
    main()
