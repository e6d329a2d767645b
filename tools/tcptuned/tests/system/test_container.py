# SPDX-License-Identifier: GPL-2.0
"""The container's entry point, in what a runtime makes of the namespaces."""

import os
import signal
import subprocess
from pathlib import Path

from namespaces import TCPTUNED
from world import CONF, Daemon, World

pytest_plugins = ("world_hosts",)

ENTRYPOINT = TCPTUNED / "contrib/kubernetes/entrypoint.sh"
NET_ADMIN = 1 << 12

# A read-only mount over a part of /proc.
RUNTIME = """
mount --bind /proc/sys /proc/sys &&
mount -o remount,bind,ro /proc/sys &&
exec "$@"
"""


def _command(world: World, capabilities: str) -> list[str]:
    """A command line that starts the daemon as a runtime would."""
    # Root of a container without DAC_OVERRIDE owns its folders.
    for folder in (world.rundir, world.statedir, *world.statedir.iterdir()):
        os.chown(folder, 0, 0)
    conf = world.statedir.parent / "conf"
    conf.write_text(CONF)
    line = [
        *("nsenter", f"--net=/run/netns/{world.host.name}"),
        *("unshare", "-m", "sh", "-c", RUNTIME, "sh"),
        *("setpriv", "--inh-caps=-all", f"--bounding-set=-all{capabilities}"),
        *("env", f"PATH={world.program.parent}:{os.environ['PATH']}"),
        *(ENTRYPOINT, "--runtime-dir", world.rundir),
        *("--state-dir", world.statedir, "--config", conf),
    ]
    return [str(word) for word in line]


def _capabilities(process: int) -> dict[str, int]:
    """The sets of a process."""
    text = Path(f"/proc/{process}/status").read_text()
    words = [line.split() for line in text.splitlines() if line[:3] == "Cap"]
    return {name.rstrip(":"): int(value, 16) for name, value in words}


def test_entrypoint(world: World, daemons: list[Daemon]) -> None:
    """It can write, and has no more than it needs."""
    before = world.values()
    log = world.statedir.parent / "log"
    command = _command(world, ",+net_admin,+sys_admin,+setpcap")
    with log.open("w") as file:
        process = subprocess.Popen(command, stderr=file)
    daemon = Daemon(process, log)
    daemons.append(daemon)
    daemon.wait_for(lambda: world.values() != before)
    assert _capabilities(process.pid) == {
        "CapInh": 0,
        "CapPrm": NET_ADMIN,
        "CapEff": NET_ADMIN,
        "CapBnd": NET_ADMIN,
        "CapAmb": 0,
    }
    assert daemon.end(signal.SIGTERM) == 0
    assert world.values() == before


def test_without_privileges(world: World) -> None:
    """One sentence, and nothing is done."""
    before = world.values()
    done = subprocess.run(
        _command(world, ",+net_admin,+setpcap"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("entrypoint: /proc/sys")
    assert world.values() == before
