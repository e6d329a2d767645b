# SPDX-License-Identifier: GPL-2.0
"""What a contestant makes of a machine: a server whose client is far away.

The path, the contestant, the mount, the transfers, the contestant's end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tools.testing.boot import far, server, watch
from tools.testing.boot.machine import DEPOT, Machine
from tools.testing.lab.rows import Row

# An emulated processor may take its time.
LIMIT_S = 1200
# bpftune does not say when it is ready, but until then it keeps a processor busy.
_READY = """
used() {{ systemctl show -P CPUUsageNSec {unit}; }}
for second in $(seq 60); do
    before=$(used)
    sleep 5
    [ $(($(used) - before)) -gt 500000000 ] || exit 0
done
exit 1
"""
# Names are of the server's namespace and of the client's.
Sysctls = Mapping[str, Mapping[str, str]]
# What is written is not on a disk, and little of it is still to be sent when a
# transfer ends.
_PREPARE = """
set -e
systemctl stop nfs-server
mount -t tmpfs tmpfs /srv/nfs
systemctl start nfs-server
sysctl -q vm.dirty_bytes=100000000 vm.dirty_background_bytes=50000000
"""
_SYSCTLS = "sysctl -a 2>/dev/null | grep -E '^(net|sunrpc)[.]'"
_READ_AHEAD = (
    f"cat /sys/class/bdi/$(mountpoint -d /mnt/{far.NETNS})/read_ahead_kb"
)


@dataclass(frozen=True)
class Contestant:
    """A program that tunes: how it comes, and how it is asked."""

    units: tuple[str, ...] = ()
    install: str = "true"
    version: str = "true"


CONTESTANTS = {
    "nothing": Contestant(),
    "bpftune": Contestant(
        ("bpftune",),
        "systemctl unmask bpftune",
        "dpkg-query -W -f '${Version}' bpftune",
    ),
    "tcptuned": Contestant(
        ("tcptuned", f"tcptuned@{far.NETNS}"),
        f"cp -r {DEPOT}/tcptuned/. / && systemd-sysusers"
        " && systemctl daemon-reload",
        "tcptuned --version",
    ),
}


def run(machine: Machine, name: str) -> Row:
    """The contest of one, on a machine that has been booted for it.

    Its figures, and a line of text a sysctl that was another at the end.
    """
    one = CONTESTANTS[name]
    server.wait(machine)
    machine.must(_PREPARE, LIMIT_S)
    far.lay_out(machine)
    before = sysctls(machine)
    machine.must(one.install, LIMIT_S)
    version = machine.must(one.version).strip()
    for unit in one.units:
        machine.must(f"systemctl start {unit}", LIMIT_S)
        machine.must(_READY.format(unit=unit), LIMIT_S)
    far.mount(machine)
    at_first = int(machine.must(_READ_AHEAD, LIMIT_S))
    # No time passes between them while the host is asked for the next.
    seen = watch.all_figures(machine.must(watch.script(), LIMIT_S))
    at_last = int(machine.must(_READ_AHEAD, LIMIT_S))
    changed = differences(before, sysctls(machine))
    for unit in one.units:
        # For the log.
        machine.must(f"journalctl -b -o cat --no-pager -u {unit}")
        machine.must(f"systemctl stop {unit}", LIMIT_S)
    kept = {
        (name, of) for name, of, *_ in differences(before, sysctls(machine))
    }
    return {
        "figures": {
            "kernel": machine.must("uname -rv").strip(),
            "version": version,
            **seen,
            "read-ahead of the mount at first, KiB": at_first,
            "read-ahead of the mount at last, KiB": at_last,
        },
        "sysctls": [
            [name, *line, "stays" if stays(line, kept) else "put back"]
            for line in changed
        ],
    }


def stays(line: list[str], kept: set[tuple[str, str]]) -> bool:
    """Whether a sysctl of a namespace, or of both, is among those kept."""
    name, of, *_ = line
    return bool(kept & {(name, of), (name, "both")})


def sysctls(machine: Machine) -> Sysctls:
    """All of the network's, of both namespaces."""
    return {
        "server": parse(machine.must(_SYSCTLS, LIMIT_S, quiet=True)),
        "client": parse(
            machine.must(
                f"ip netns exec {far.NETNS} {_SYSCTLS}", LIMIT_S, quiet=True
            )
        ),
    }


def parse(printed: str) -> dict[str, str]:
    """What sysctl -a prints, as names and values with one space each."""
    pairs = (line.partition(" = ") for line in printed.splitlines())
    return {name: " ".join(value.split()) for name, _, value in pairs}


def differences(before: Sysctls, after: Sysctls) -> list[list[str]]:
    """Each sysctl that is another now, once if it is of both namespaces.

    Its name, whose it is, what it was and what it is.
    """
    found: dict[tuple[str, str, str], str] = {}
    for side, values in before.items():
        for name in sorted(values.keys() | after[side].keys()):
            was, now = values.get(name, ""), after[side].get(name, "")
            if was != now:
                key = (name, was, now)
                found[key] = "both" if key in found else side
    return [
        [name, side, was, now]
        for (name, was, now), side in sorted(found.items())
    ]
