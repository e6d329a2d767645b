# SPDX-License-Identifier: GPL-2.0
"""What a contestant makes of a machine: a server whose client is far away.

For each of them: the path, the contestant, the mount, the transfers, the
contestant's end. The next one finds all sysctls as the first one found them.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tools.kernel.errors import LabError
from tools.testing.boot import far, server, watch
from tools.testing.boot.machine import DEPOT, Machine

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
# What names the modules that are loaded. They stay, but serve no connection that
# does not ask for them.
MODULES = ("net.ipv4.tcp_available_congestion_control",)
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

    title: str
    units: tuple[str, ...] = ()
    install: str = "true"
    version: str = "true"


CONTESTANTS = {
    "nothing": Contestant("nothing"),
    "bpftune": Contestant(
        "bpftune",
        ("bpftune",),
        "systemctl unmask bpftune",
        "dpkg-query -W -f '${Version}' bpftune",
    ),
    "tcptuned": Contestant(
        "tcptuned",
        ("tcptuned", f"tcptuned@{far.NETNS}"),
        f"cp -r {DEPOT}/tcptuned/. / && systemd-sysusers"
        " && systemctl daemon-reload",
        "tcptuned --version",
    ),
}


class Contest:
    """A machine, and what it was before the first of the contestants."""

    def __init__(self, machine: Machine) -> None:
        """Prepare a machine that has been booted for this."""
        self._machine = machine
        server.wait(machine)
        machine.must(_PREPARE, LIMIT_S)
        far.lay_out(machine)
        self._before = sysctls(machine)
        far.clear_up(machine)

    def run(self, name: str) -> dict[str, Any]:
        """The contest of one; its row."""
        machine, one = self._machine, CONTESTANTS[name]
        far.lay_out(machine)
        self._expect_as_before(name)
        machine.must(one.install, LIMIT_S)
        row: dict[str, Any] = {
            "peer": name,
            "version": machine.must(one.version).strip(),
            "kernel": machine.must("uname -rv").strip(),
            "rate_mbit": far.RATE_MBIT,
            "rtt_ms": far.RTT_MS,
        }
        for unit in one.units:
            machine.must(f"systemctl start {unit}", LIMIT_S)
            machine.must(_READY.format(unit=unit), LIMIT_S)
        far.mount(machine)
        row["read_ahead_kb_before"] = int(machine.must(_READ_AHEAD, LIMIT_S))
        # No time passes between them while the host is asked for the next.
        printed = machine.must(watch.script(), LIMIT_S)
        row |= watch.all_figures(printed)
        row["read_ahead_kb"] = int(machine.must(_READ_AHEAD, LIMIT_S))
        row["changed"] = differences(self._before, sysctls(machine))
        row["log"] = {
            unit: machine.must(f"journalctl -b -o cat --no-pager -u {unit}")
            for unit in one.units
        }
        for unit in one.units:
            machine.must(f"systemctl stop {unit}", LIMIT_S)
        row["kept"] = differences(self._before, sysctls(machine))
        self._put_back(row["kept"])
        return row

    def _put_back(self, kept: list[dict[str, str]]) -> None:
        """What the client's namespace keeps goes with it."""
        far.unmount(self._machine)
        for one in kept:
            if one["of"] != "client":
                word = f"{one['name']}={one['before']}"
                self._machine.run(f"sysctl -w {shlex.quote(word)}")
        self._machine.run("ip tcp_metrics flush")

    def _expect_as_before(self, name: str) -> None:
        now = differences(self._before, sysctls(self._machine))
        found = [one for one in now if one["name"] not in MODULES]
        if found:
            raise LabError(f"before {name}: not as at first: {found}")


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


def differences(before: Sysctls, after: Sysctls) -> list[dict[str, str]]:
    """Each sysctl that is another now, once if it is of both namespaces."""
    found: dict[tuple[str, str, str], str] = {}
    for side, values in before.items():
        for name in sorted(values.keys() | after[side].keys()):
            was, now = values.get(name, ""), after[side].get(name, "")
            if was != now:
                key = (name, was, now)
                found[key] = "both" if key in found else side
    return [
        {"name": name, "of": side, "before": was, "after": now}
        for (name, was, now), side in sorted(found.items())
    ]
