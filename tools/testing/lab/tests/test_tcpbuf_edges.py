# SPDX-License-Identifier: GPL-2.0
"""Growth where TCP itself is another: short of memory, cookies, loopback."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.tests.measured import RCVBUF, SNDBUF, TCP_WMEM2, Point, Run, mean

CEILING = 67108864
SYSCTL = {
    "net.ipv4.tcp_rmem": f"4096 131072 {CEILING}",
    "net.ipv4.tcp_wmem": f"4096 16384 {CEILING}",
}
WAN = {"rate_mbit": 1000, "delay_ms": 15, "read_ahead_kb": 32768, "sysctl": SYSCTL}
OURS = {
    "net.core.rmem_max": CEILING,
    "net.core.wmem_max": CEILING,
    "sunrpc.tcp_rcvbuf": CEILING,
    "sunrpc.tcp_sndbuf": CEILING,
}


def _plan(phases: list[dict[str, Any]], **more: Any) -> scenario.Scenario:
    table = {"name": "edge", "title": "an edge", "clients": {"wan": WAN}}
    return scenario.from_dict({**table, "phases": phases, **more})


def _run(command: str, host: str = "server") -> dict[str, Any]:
    return {"do": "run", "host": host, "command": command}


# Seconds into the read at which TCP's memory gets short, and enough again.
SHORT_S, ENOUGH_S, END_S = 2, 4, 6
SHORT, ENOUGH = "500 1000 100000", "100000 200000 400000"


def _memory_gets_short() -> scenario.Scenario:
    events = [
        {"at_s": at_s, "host": "server", "sysctl": {"net.ipv4.tcp_mem": pages}}
        for at_s, pages in ((SHORT_S, SHORT), (ENOUGH_S, ENOUGH))
    ]
    command = "dd if=/dev/zero of=/srv/nfs/data bs=1M count=600 status=none"
    return _plan(
        [
            {"name": "make the file", "jobs": [_run(command)]},
            {
                "name": "read",
                "jobs": [{"do": "read", "host": "wan", "size_mib": 600}],
                "events": events,
            },
        ],
        server={"sysctl": OURS},
        memory_mb=3000,
    )


def _largest(points: list[Point]) -> int:
    return max(point.sizes[SNDBUF] for point in points)


def test_memory_pressure(images: Images) -> None:
    """A send buffer that grew is given back, and grows again afterwards."""
    run = measured.run(images.patched, _memory_gets_short())
    phase = run["read"]
    before = phase.between(SHORT_S - 0.5, SHORT_S)
    short = phase.between(SHORT_S + 0.5, ENOUGH_S)
    after = phase.between(ENOUGH_S + 1, END_S)
    assert _largest(before) > TCP_WMEM2
    assert _largest(short) <= TCP_WMEM2
    assert min(p.out for p in short) > 0, "it stalled"
    assert _largest(after) > TCP_WMEM2
    assert mean([p.out for p in after]) >= 0.97 * run.limit("wan")


# Ceilings of 512 MiB at both ends, and TCP memory of 120 MB.
SCARCE = "20000 30000 40000"


@pytest.mark.parametrize("do", ["write", "read"])
def test_ceilings_beyond_memory(images: Images, do: str) -> None:
    """Slower than the path, by what TCP's memory is less; but no crawl."""
    limits = {f"sunrpc.tcp_{name}": 512 << 20 for name in ("clnt_rcvbuf", "clnt_sndbuf")}
    ours = {key: 512 << 20 for key in OURS}
    command = "dd if=/dev/zero of=/srv/nfs/data bs=1M count=600 status=none"
    wan = {"rate_mbit": 10000, "delay_ms": 60, "read_ahead_kb": 524288}
    job = {"do": do, "host": "wan", "size_mib": 600, "passes": 2}
    run = measured.run(
        images.patched,
        _plan(
            [{"name": "make the file", "jobs": [_run(command)]}, {"name": do, "jobs": [job]}],
            clients={"wan": {**wan, "sysctl": {"vm.dirty_ratio": 80, **limits}}},
            server={"threads": 64, "sysctl": {"net.ipv4.tcp_mem": SCARCE, **ours}},
            memory_mb=6000,
        ),
    )
    # 120 MB per 120 ms is 1 GB/s; an end that had it all left 8.6 MB/s. 401 and
    # 513 were seen on 7.2, 137 on 6.1.
    assert run[do].mb_per_s(index=1) >= 100


RMEM = "4096 131072 262144"
COOKIES = "awk '/^TcpExt/ && $2 ~ /[0-9]/ {print $3}' /proc/net/netstat"
REMOUNT = (
    "umount /mnt/wan && mount -t nfs -o vers=4.2 10.0.0.1:/ /mnt/wan && "
    "echo 32768 >/sys/class/bdi/$(mountpoint -d /mnt/wan)/read_ahead_kb"
)


def test_syn_cookies(images: Images) -> None:
    """Connections of which only a cookie kept the handshake grow as others."""
    run = measured.run(
        images.patched,
        _plan(
            [
                {"name": "connect", "jobs": [_run(REMOUNT, "wan")]},
                *(
                    {"name": do, "jobs": [{"do": do, "host": "wan", "size_mib": 300}]}
                    for do in ("write", "read")
                ),
                {"name": "count", "jobs": [_run(COOKIES)]},
            ],
            server={"sysctl": {"net.ipv4.tcp_syncookies": 2, **OURS}},
        ),
    )
    run["connect"].output()
    assert int(run["count"].output()) > 0, "no connection came by a cookie"
    for phase in ("write", "read"):
        reached = max(p.in_ + p.out for p in run[phase].points())
        assert reached >= 0.97 * run.limit("wan")


def test_what_tcp_does_not_tune_stays(images: Images) -> None:
    """No receive buffer grows where net.ipv4.tcp_moderate_rcvbuf is 0."""
    off = {"net.ipv4.tcp_moderate_rcvbuf": 0, "net.ipv4.tcp_rmem": RMEM}
    write = {"do": "write", "host": "wan", "size_mib": 100}
    plan = _plan([{"name": "write", "jobs": [write]}], server={"sysctl": {**OURS, **off}})
    phase = measured.run(images.patched, plan)["write"]
    assert phase.peak(RCVBUF) == int(RMEM.split()[1])


LOOPBACK = """
mkdir /mnt/loop && mount -t nfs -o vers=4.2 127.0.0.1:/ /mnt/loop || exit
for _ in 1 2 3; do
	dd if=/dev/zero of=/mnt/loop/data bs=1M count=200 conv=fsync status=none
	dd if=/mnt/loop/data of=/dev/null bs=1M iflag=nocache status=none
done
ss -tmn state established '( sport = :2049 )'
umount /mnt/loop
"""


def _loopback(images: Images, image: str, *values: str) -> tuple[int, int]:
    """Buffers of the server's end of a mount of itself, after heavy use."""
    commands = [f"echo {CEILING} >/proc/sys/{name}" for name in values]
    plan = measured.commands(*commands, LOOPBACK, memory_mb=2000)
    output = measured.run(getattr(images, image), plan)[str(len(commands))].output()
    (sizes,) = re.findall(r"skmem:\(.*?,rb(\d+),.*?,tb(\d+)", output)
    return int(sizes[0]), int(sizes[1])


def test_loopback(images: Images) -> None:
    """A server that mounts itself works, with windows as TCP gives them."""
    names = [name.replace(".", "/") for name in OURS]
    names += ["sunrpc/tcp_clnt_rcvbuf", "sunrpc/tcp_clnt_sndbuf"]
    received, sent = _loopback(images, "patched", *names)
    stock_received, stock_sent = _loopback(images, "stock")
    assert sent == pytest.approx(stock_sent, rel=0.05)
    # Before 6.6 a window is half of its buffer, whatever the packets are like.
    share = 2 if images.trees.base == "6.1" else 1
    assert 0.95 <= received / stock_received <= 1.05 * share


# netem loses whole GSO packets: have TCP send single ones.
SINGLE = f"ip link set eth0 gso_max_segs 1 && {REMOUNT}"
RETRANSMITTED = "awk '/^Tcp:/ && $2 ~ /[0-9]/ {print $13}' /proc/net/snmp"


def _lossy(images: Images, image: str, server: dict[str, Any]) -> Run:
    # CUBIC's window at that loss is far below what any buffer holds.
    sysctl = {**SYSCTL, "net.ipv4.tcp_congestion_control": "bbr"}
    write = {"do": "write", "host": "wan", "size_mib": 600}
    plan = _plan(
        [
            {"name": "connect", "jobs": [_run(SINGLE, "wan")]},
            {"name": "write", "jobs": [write]},
            {"name": "count", "jobs": [_run(RETRANSMITTED, "wan")]},
        ],
        clients={"wan": {**WAN, "loss_percent": 0.01, "sysctl": sysctl}},
        server={"sysctl": {"net.core.rmem_max": CEILING, **server}},
    )
    run = measured.run(getattr(images, image), plan)
    assert int(run["count"].output()) > 10, "nothing was lost"
    return run


def test_loss(images: Images) -> None:
    """What is lost costs no more than with the same room by TCP's own limit.

    TCP adds the span of the packets behind a hole to what it gives.
    """
    tcp = {"net.ipv4.tcp_rmem": f"4096 131072 {2 * CEILING}"}
    theirs = _lossy(images, "stock", tcp)["write"]
    ours = _lossy(images, "patched", OURS)["write"]
    assert ours.mb_per_s() >= 0.98 * theirs.mb_per_s()
