# SPDX-License-Identifier: GPL-2.0
"""A server that runs gets another module, newer packages, none at all."""

from __future__ import annotations

import re
import time
from pathlib import Path

from tools.kernel.errors import LabError
from tools.testing.boot import server
from tools.testing.boot.machine import Machine
from tools.testing.boot.tally import Tally, expect, expect_in, expect_least

REPO = Path(__file__).resolve().parents[3]
PAGE = REPO / "Documentation" / "tcptuned.rst"
HEADING = "Loading the module without a reboot\n===================================\n"

SYSCTL = "/etc/sysctl.d/50-nfs.conf"
THEIRS = 2_000_000

SERVER, CLIENT = "10.8.0.1", "10.8.0.2"
# Each line is on the server's disk before the next is written.
WRITER = """\
for ((i = 0; ; i++)); do
    from=$EPOCHREALTIME
    echo $i | dd of=/mnt/lines oflag=append conv=notrunc,fsync status=none || exit
    to=$EPOCHREALTIME
    echo $(( (${to/./} - ${from/./}) / 1000 )) >>/root/waited
    echo $i >>/root/written
    sleep 0.1
done
"""

# Ten times a second, what a value is while the daemon is replaced.
SAMPLER = """\
while sleep 0.1; do cat /proc/sys/sunrpc/tcp_sndbuf; done >/run/samples
"""


def documented() -> str:
    """The commands of the page's section about a running server."""
    text = PAGE.read_text().partition(HEADING)[2]
    found = re.search(r"::\n\n((?:\t.*\n|\n)+)", text)
    if not found:
        raise LabError(f"{PAGE}: no commands below '{HEADING.splitlines()[0]}'")
    return re.sub(r"^\t(?:sudo )?", "", found[1], flags=re.MULTILINE)


def swap(machine: Machine, client: Machine, tests: Tally) -> None:
    """Swap the module below a client's mount, as the documentation says."""
    with tests.test("a client of another machine writes to the server"):
        _join(machine, SERVER)
        client.boot()
        server.wait(client)
        _join(client, CLIENT)
        client.must(f"mount -t nfs4 -o vers=4.2 {SERVER}:/ /mnt")
        client.put("/root/writer", WRITER)
        client.must("systemd-run --unit=writer bash /root/writer")
        client.until("test $(wc -l </mnt/lines) -gt 20")
    with tests.test("the module is swapped without a reboot, as documented"):
        module = server.module_of(machine)
        expect("loaded", server.is_loaded(machine, module), False)
        start = time.monotonic()
        machine.must(f"set -e\n{documented()}", 300)
        seconds = time.monotonic() - start
        expect("loaded", server.is_loaded(machine, module), True)
        server.tuned(machine)
        for unit in (server.NFS, server.DAEMON):
            expect(unit, server.show(machine, unit, "ActiveState"), "active")
    with tests.test("the client's mount carries on"):
        there = int(machine.must("wc -l </srv/nfs/lines"))
        client.until(f"test $(tail -n 1 /root/written) -gt {there + 20}", 200)
        waited = int(client.must("sort -n /root/waited | tail -n 1"))
        tests.figure("swap of the module, s", f"{seconds:.0f}")
        figure = f"{waited / 1000:.0f}"
        tests.figure("the client's longest wait in it, s", figure)
        client.must("systemctl stop writer; umount /mnt", 200)
        lines = list(map(int, machine.must("cat /srv/nfs/lines").split()))
        expect("lines", lines, list(range(len(lines))))
        machine.must("rm /srv/nfs/lines; ip addr flush dev $(ls /sys/class/net | grep ^en)")


def _join(machine: Machine, address: str) -> None:
    machine.must(
        "dev=$(ls /sys/class/net | grep ^en); ip link set $dev up;"
        f" ip addr add {address}/24 dev $dev"
    )


def upgrade(machine: Machine, version: str, tests: Tally) -> None:
    """Newer packages over those that are there."""
    with tests.test("newer packages are installed, and the module is built anew"):
        pid = server.show(machine, server.DAEMON, "MainPID")
        before = server.tuned(machine)
        module = server.module_of(machine)
        built = machine.must(f"sha1sum {module}")
        machine.must(f"systemd-run --unit=sampler bash -c '{SAMPLER.strip()}'")
        start = time.monotonic()
        server.install(machine, version)
        tests.figure("upgrade, s", f"{time.monotonic() - start:.0f}")
        expect("module", server.module_of(machine), module)
        if machine.must(f"sha1sum {module}") == built:
            raise LabError(f"{module} is still the old one")
        status = machine.must("dkms status sunrpc-tcpbuf").split("\n")
        expect("dkms status", len([line for line in status if line]), 1)
        expect_in("dkms status", status[0], f"{version}, ")
    with tests.test("the upgrade replaced the daemon, and its values held"):
        said = machine.must("tcptuned --version").strip()
        expect("version", said, f"tcptuned {version}")
        if server.show(machine, server.DAEMON, "MainPID") == pid:
            raise LabError("the old daemon still runs")
        machine.must("systemctl stop sampler")
        # It may go on upwards, but not back to where it began.
        samples = [int(n) for n in machine.must("cat /run/samples").split()]
        expect_least("the value meanwhile", min(samples), before["tcp_sndbuf"])
        for name, value in server.tuned(machine).items():
            expect_least(f"{name} after it", value, before[name])


def theirs_win(machine: Machine, tests: Tally) -> None:
    """A sysctl.d file of the administrator's."""
    with tests.test("a value of sysctl.d wins over the daemon's"):
        machine.put(SYSCTL, f"sunrpc.tcp_sndbuf = {THEIRS}\n")
        machine.reboot()
        server.wait(machine)
        values = server.tuned(machine)
        expect("tcp_sndbuf", values["tcp_sndbuf"], THEIRS)
        if not values["tcp_rcvbuf"]:
            raise LabError("the daemon sets no other value either")
        said = machine.must("journalctl -b -u tcptuned -o cat --no-pager")
        expect_in(
            "the daemon",
            said,
            f"sunrpc.tcp_sndbuf was already set to {THEIRS}; tcptuned leaves it"
            ' alone until "tcptuned resume"',
        )
    with tests.test("tcptuned resume takes it"):
        machine.must("tcptuned resume")
        machine.until(f"test $(cat /proc/sys/sunrpc/tcp_sndbuf) != {THEIRS}", 30)
        machine.must(f"rm {SYSCTL}")
