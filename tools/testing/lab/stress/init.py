# SPDX-License-Identifier: GPL-2.0
"""Init of a guest that is stressed: servers and clients that come and go.

Called by the kernel as process 1, with the folder of the job as guest/init.py is.
The job says for how many seconds, and the seed of all chance.
"""

import json
import mmap
import os
import re
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[4])

from tools.kernel.errors import LabError
from tools.testing.lab.guest import init, network, nfs, shell
from tools.testing.lab.scenario import Client, Server
from tools.testing.lab.stress import faults, traffic, turmoil
from tools.testing.lab.stress.workers import Body, Worker

# Clients that are cut off and come and go, and those that nobody cuts.
COMING = range(4)
STAYING = {4: Client(100, 10, nfs="3"), 5: Client(100, 10, options="nconnect=2")}
SERVER = Server(threads=8)
EXPORT_MB = 400
# The share of the time, at its end, in which the service is stopped and started.
RESTARTS_SHARE = 0.4
# A worker that is over ends within its last transfer or mount.
PATIENCE_S = 240
# What the stress and the kselftests run.
PROGRAMS = (
    *("ip", "tc", "ss", "mount", "umount", "mount.nfs", "umount.nfs"),
    *("sh", "nsenter", "unshare", "setpriv", "timeout", "sleep"),
    *("rpc.nfsd", "rpc.mountd", "cat", "env", "dmesg", "grep", "sed", "ls"),
)
KMEMLEAK = Path("/sys/kernel/debug/kmemleak")
# An object must be this old to be taken for leaked.
LEAK_AGE_S = 6


def mount_more() -> None:
    """Where the kernel's debugging files are."""
    shell.run("mount", "-t", "debugfs", "debugfs", "/sys/kernel/debug")
    shell.run("mount", "-t", "tracefs", "tracefs", str(turmoil.TRACING))


def quicken() -> None:
    """Have what runs all the time in memory: the host's root is far away."""
    programs, libraries = Path("/tmp/bin"), Path("/tmp/lib")
    found = [path for name in PROGRAMS if (path := shutil.which(name))]
    used = set(re.findall(r"=> (/\S+)", shell.run("ldd", *found)))
    for folder, files in ((programs, found), (libraries, sorted(used))):
        folder.mkdir()
        for file in files:
            shutil.copy(file, folder)
    os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
    os.environ["LD_LIBRARY_PATH"] = str(libraries)


def selftests() -> list[dict[str, Any]]:
    """Run the kselftests of the repository."""
    done = []
    for script in sorted(init.REPO.glob("tools/testing/selftests/*/*.sh")):
        init.say(f"selftest {script.name}")
        run = subprocess.run(
            ["sh", str(script)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        done.append({"name": script.name, "exit": run.returncode, "output": run.stdout})
    return done


def lay_out() -> dict[str, Path]:
    """The server, and the clients; the mounts that stay."""
    shell.sysctl("net.ipv4.tcp_rmem", turmoil.SMALL)
    shell.sysctl("net.ipv4.tcp_wmem", turmoil.SMALL)
    for index in (*COMING, *STAYING):
        network.add_client(index, f"c{index}", traffic.PATH)
    nfs.start_server(SERVER, EXPORT_MB, nfs3=True)
    for events in turmoil.EVENTS:
        events.write_text("1")
    for index in COMING:
        nfs.identify(f"c{index}")
    return {f"c{index}": nfs.mount(index, f"c{index}", client) for index, client in STAYING.items()}


class Crowd:
    """All workers, from their start to their end."""

    def __init__(self, seed: str, file_bytes: int) -> None:
        self._seed = seed
        self._file_bytes = file_bytes
        self._stop = mmap.mmap(-1, mmap.PAGESIZE)
        self.workers: list[Worker] = []

    def add(self, name: str, body: Body, netns: str | None = None) -> None:
        """Start a worker."""
        self.workers.append(Worker(name, body, self._seed, self._stop, netns))

    def add_all(self, mounts: dict[str, Path]) -> None:
        """Start everything but what restarts the service."""
        self.add("watch", turmoil.watch)
        self.add("tune-host", turmoil.tune_host)
        self.add("tune", turmoil.tune)
        for index in (*COMING, *STAYING):
            self.add(f"tune-{index}", turmoil.tune, f"c{index}")
        for name, point in mounts.items():
            self.add(f"move-{name}", traffic.move(point, self._file_bytes))
        for index in COMING:
            body = traffic.remount(index, self._file_bytes)
            self.add(f"remount-{index}", body, f"c{index}")
        for index in COMING[:2]:
            server = network.address(index, "server", 4)
            self.add(f"flood-{index}", traffic.flood(server), f"c{index}")
        self.add("threads", turmoil.threads)
        self.add("cut", turmoil.cut(COMING))
        for first in (100, 150):
            self.add(f"server-{first}", turmoil.other_server(first))
        self.add("vanish", traffic.vanish)

    def counts(self, prefix: str = "") -> dict[str, int]:
        """What the workers of a name counted: sums, and the longest wait."""
        total: dict[str, int] = {}
        for worker in self.workers:
            for name, value in worker.counts().items():
                if worker.name.startswith(prefix):
                    more = max if name.startswith("longest") else int.__add__
                    total[name] = more(total.get(name, 0), value)
        return total

    def interruptions(self) -> dict[str, str]:
        """What interrupted each worker last."""
        return {
            worker.name: worker.interruption.read_text()
            for worker in self.workers
            if worker.interruption.exists()
        }

    def one_failed(self) -> bool:
        """Whether a worker ended before it was told to."""
        return any(worker.has_ended() for worker in self.workers)

    def end(self) -> list[str]:
        """Stop all; what went wrong."""
        self._stop[0] = 1
        _wait(lambda: all(w.has_ended() for w in self.workers), PATIENCE_S)
        errors = [(worker.name, worker.error()) for worker in self.workers]
        return [f"{name}: {error}" for name, error in errors if error]


def stress(seconds: float, seed: str, file_bytes: int) -> dict[str, Any]:
    """Let everything happen for a while; counts, and what went wrong."""
    mounts = lay_out()
    faults.start()
    crowd = Crowd(seed, file_bytes)
    crowd.add_all(mounts)
    _watch(crowd, seconds * (1 - RESTARTS_SHARE))
    # From here on a transfer may wait for a server that is not there.
    longest = crowd.counts("move")["longest_wait_ms"]
    crowd.add("restart", turmoil.restart)
    _watch(crowd, seconds * RESTARTS_SHARE)
    init.say("stopping")
    errors = crowd.end()
    counts = {**crowd.counts(), "longest_wait_ms": longest}
    counts["faults"] = faults.stop()
    counts["accepted"] = accepted()
    return {
        "counts": counts,
        "errors": errors,
        "mounts": list(mounts),
        "interruptions": crowd.interruptions(),
    }


def _watch(crowd: Crowd, seconds: float) -> None:
    """Let the crowd work until the time is over or a worker failed."""
    start = time.monotonic()
    while not crowd.one_failed() and time.monotonic() < start + seconds:
        counts = crowd.counts()
        init.say(
            f"{time.monotonic() - start:.0f} of {seconds:.0f} s, "
            f"{accepted()} connections, {counts['mounts']} mounts, "
            f"{counts['files']} files"
        )
        time.sleep(5)


def accepted() -> int:
    """TCP connections that the servers of the first namespace accepted."""
    text = Path("/proc/net/snmp").read_text()
    names, values = (line.split() for line in text.splitlines() if line.startswith("Tcp:"))
    return int(values[names.index("PassiveOpens")])


def clear_away(names: list[str]) -> None:
    """Take down what lay_out() made, so that what is left has leaked."""
    # The last restart may have been interrupted.
    nfs.start_threads(SERVER.threads)
    for name in names:
        shell.run("timeout", str(PATIENCE_S), "umount", str(nfs.MOUNTS / name))
    shell.run("rpc.nfsd", "0")
    for index in (*COMING, *STAYING):
        traffic.remove(f"c{index}")
    time.sleep(LEAK_AGE_S)


def leaks() -> str:
    """What kmemleak finds now that it has not shown before."""
    if not KMEMLEAK.exists():
        return ""
    for _ in range(2):
        KMEMLEAK.write_text("scan")
        time.sleep(LEAK_AGE_S)
    found = KMEMLEAK.read_text()
    KMEMLEAK.write_text("clear")
    return found


def _wait(is_done: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not is_done() and time.monotonic() < end:
        time.sleep(0.5)


def main() -> None:
    """Run the job; whatever happens, leave a result and power off."""
    result: dict[str, Any] = {}
    try:
        init.mount_all(sys.argv[1])
        mount_more()
        init.say("boot")
        job = json.loads((init.JOB / "job.json").read_text())
        result["boot"] = shell.run("dmesg", "-t")
        quicken()
        leaks()
        result["selftests"] = selftests()
        init.say("start")
        result.update(stress(**job))
        if not result["errors"]:
            init.say("looking for leaks")
            clear_away(result["mounts"])
            result["leaks"] = leaks()
    except LabError as error:
        result["error"] = f"{error}\n{nfs.logs()}".rstrip()
    except Exception:  # noqa: BLE001 - the host reports it as the run's failure
        result["error"] = f"{traceback.format_exc()}{nfs.logs()}".rstrip()
    init.leave(result)


if __name__ == "__main__":
    main()
