# SPDX-License-Identifier: GPL-2.0
"""Questions to a machine that is an NFS server, and what is done to it."""

from __future__ import annotations

import json
from typing import Any

from tools.kernel.errors import LabError
from tools.testing.boot.machine import DEPOT, Machine

DAEMON = "tcptuned.service"
NFS = "nfs-server.service"
TUNED = ("tcp_sndbuf", "tcp_rcvbuf")
APT = "DEBIAN_FRONTEND=noninteractive apt-get -y -q"
# To unpack 120 packages and compile a module on an emulated processor: 40 minutes
# where the tests had half a processor.
INSTALL_S = 4800


def wait(machine: Machine) -> None:
    """Wait until everything that starts at boot has started."""
    # It was seen to print running and end with 1.
    said = machine.run("systemctl is-system-running --wait", 300).output.strip()
    if said != "running":
        units = machine.run("systemctl --failed --plain --no-legend").output
        raise LabError(f"{machine.name}: is {said}: {units}")


def install(machine: Machine, version: str, options: str = "") -> str:
    """Install both packages as an administrator would; what apt said."""
    return machine.must(
        f"cd {DEPOT}/{version} && apt-get -q update && {APT} install {options} "
        "./tcptuned_*.deb ./sunrpc-tcpbuf-dkms_*.deb",
        INSTALL_S,
    )


def show(machine: Machine, unit: str, name: str) -> str:
    """A property of a unit."""
    return machine.must(f"systemctl show -P {name} {unit}").strip()


def started_us(machine: Machine, unit: str) -> int:
    """When a unit became active, since the machine's start."""
    return int(show(machine, unit, "ActiveEnterTimestampMonotonic"))


def begun_us(machine: Machine, unit: str) -> int:
    """When a unit began to start."""
    return int(show(machine, unit, "InactiveExitTimestampMonotonic"))


def tuned(machine: Machine, names: tuple[str, ...] = TUNED) -> dict[str, int]:
    """Values of the series' files; LabError if they are not there."""
    paths = " ".join(f"/proc/sys/sunrpc/{name}" for name in names)
    said = machine.must(f"cat {paths}").split()
    return dict(zip(names, map(int, said), strict=True))


def journal(machine: Machine, options: str) -> list[dict[str, Any]]:
    """Entries of this boot's journal."""
    said = machine.must(f"journalctl -b -o json --no-pager {options}")
    return [json.loads(line) for line in said.splitlines()]


def module_of(machine: Machine) -> str:
    """The file that a load of sunrpc takes."""
    return machine.must("modinfo -n sunrpc").strip()


def is_loaded(machine: Machine, path: str) -> bool:
    """Whether the module that is loaded is that of a file.

    The linker gives each build an ID of its own.
    """
    script = (
        "import sys; note = open('/sys/module/sunrpc/notes/"
        ".note.gnu.build-id', 'rb').read();"
        f"sys.exit(note not in open('{path}', 'rb').read())"
    )
    return machine.run(f'python3 -c "{script}"').status == 0
