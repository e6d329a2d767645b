# SPDX-License-Identifier: GPL-2.0
"""The gate: unsent replies hold back requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images, Keep
from tools.testing.lab.tests.measured import Phase

WAN, LAN = 0, 1  # the jobs of the phase "read" in scenarios/gate.toml
SYSCTL = "sunrpc.tcp_notsent_lowat"
STAT = {"do": "stat", "host": "lan", "file": "near"}


def _make(command: str) -> dict[str, Any]:
    job = {"do": "run", "host": "server", "command": command}
    return {"name": "make the files", "jobs": [job]}


def _dd(name: str, mib: int) -> str:
    return f"dd if=/dev/zero of=/srv/nfs/{name} bs=1M count={mib} status=none"


FILES = _make(f"{_dd('far', 600)}; touch /srv/nfs/near")


def _read(host: str = "wan", size_mib: int = 600) -> dict[str, Any]:
    return {"do": "read", "host": host, "file": "far", "size_mib": size_mib}


def _phase(image: Path, setup: str, **over: Any) -> Phase:
    """The reads of a setup of gate.toml, with tables laid over it."""
    return measured.run(image, measured.changed("gate", setup, **over))["read"]


def _idle_p99_ms(images: Images) -> float:
    """What stat() takes on a server that has nothing else to do."""
    return _phase(images.patched, "idle").p99_ms(LAN)


def _lan_is_idle(images: Images, phase: Phase, job: int = LAN) -> bool:
    """Whether stat() on the LAN takes what it takes on an idle server."""
    # 6.1 hands TCP a reply page by page, which takes time of the one processor:
    # p99 of up to 0.33 ms were seen, and up to 95 ms with the gate off.
    room = 2 if images.trees.base == "6.1" else 1.1
    return phase.p99_ms(job) <= room * _idle_p99_ms(images)


def _keep(keep: Keep, setup: str, phase: Phase) -> None:
    """Keep a row of the gate's table: of a read, and stat() beside it."""
    stat = next(j for j in phase.report["jobs"] if j["do"] == "stat")
    keep("gate", setup, "wan_read_mb_per_s", min(phase.rates("read")))
    keep("gate", setup, "tcp_mem_pages", phase.report["tcp_mem_pages"])
    for name in ("p50_ms", "p99_ms"):
        keep("gate", setup, f"{stat['host']}_{name}", stat[name])


@pytest.mark.parametrize("threads", [1, 64])
def test_lan_does_not_wait(images: Images, keep: Keep, threads: int) -> None:
    keep("gate", "patched idle", "lan_p99_ms", _idle_p99_ms(images))
    phase = _phase(images.patched, "gate", server={"threads": threads})
    _keep(keep, f"patched gate, threads={threads}", phase)
    assert phase.mb_per_s(WAN) >= 97
    assert _lan_is_idle(images, phase)


# A buffer that cannot grow to what the path holds is full of data in flight, of
# which nothing is unsent; in the smallest not even one reply has room. The
# largest is what TCP has by default.
@pytest.mark.parametrize("kib", [256, 4096])
def test_full_buffer_parks_no_thread(images: Images, keep: Keep, kib: int) -> None:
    """As it does on the stock kernel, which is what the gate is for."""
    sysctl = {"net.ipv4.tcp_wmem": f"4096 16384 {kib * 1024}"}
    phases = [FILES, {"name": "read", "jobs": [_read(size_mib=100), STAT]}]
    over = {"server": {"sysctl": sysctl}, "phases": phases}
    stock = _phase(images.stock, "default", **over)
    gated = _phase(images.patched, "default", **over)
    what = f"tcp_wmem[2] {kib} KiB"
    _keep(keep, f"stock default, {what}", stock)
    _keep(keep, f"patched default, {what}", gated)
    # Before 6.14 a session has 30 requests, so that all 8 are seldom parked at
    # once: the mean shows it, not always the 99th percentile.
    assert stock.mean_ms(LAN) > 2 * _idle_p99_ms(images)
    assert _lan_is_idle(images, gated)
    assert gated.mb_per_s(WAN) >= 0.98 * stock.mb_per_s(WAN)


def test_socket_limit_parks_no_thread(images: Images, keep: Keep) -> None:
    phase = _phase(images.patched, "socket")
    _keep(keep, "patched socket", phase)
    assert phase.p99_ms(LAN) <= 1.1 * _idle_p99_ms(images)


def test_memory(images: Images, keep: Keep) -> None:
    # NFSv4.1 servers before 6.14 have a limit of their own, of 30 requests.
    nfs = "4.2" if images.trees.base == "7.2" else "3"
    found = {
        f"{kernel} {setup}": _phase(getattr(images, kernel), setup, clients={"wan": {"nfs": nfs}})
        for kernel, setup in (*(("patched", "gate"), ("patched", "open"), ("stock", "tcp_wmem")),)
    }
    for name, phase in found.items():
        _keep(keep, name, phase)
    gate, open_, stock = (p.report["tcp_mem_pages"] for p in found.values())
    rate = found["stock tcp_wmem"].mb_per_s(WAN)
    assert rate == pytest.approx(97.4, rel=0.03)
    # A peak, which each seed puts elsewhere: 44 to 47 % were seen.
    assert gate <= 0.5 * stock
    assert gate <= 0.75 * open_


def test_another_mount(images: Images, keep: Keep) -> None:
    """NFSv3 over IPv6, on two connections."""
    mount = {"nfs": "3", "family": 6, "options": "nconnect=2"}
    gated, without = (
        _phase(images.patched, setup, clients={"wan": mount, "lan": mount})
        for setup in ("gate", "open")
    )
    _keep(keep, "patched gate, another mount", gated)
    _keep(keep, "patched open, another mount", without)
    # NFSv3 asks once more before it reads, and IPv6 has longer headers. Two
    # connections share the work otherwise with the gate: 0.35 % less was seen.
    assert gated.mb_per_s(WAN) >= 94
    assert gated.mb_per_s(WAN) >= 0.995 * without.mb_per_s(WAN)
    assert _lan_is_idle(images, gated)


def test_stat_beside_own_read(images: Images, keep: Keep) -> None:
    """stat() on the WAN mount while it reads; 3,204 ms on stock 7.2.

    Once the read is at speed: replies to what it read ahead come first, and
    as long as TCP is in slow start they take their time.
    """
    phases = [
        _make(f"{_dd('far', 1200)}; touch /srv/nfs/near"),
        {"name": "read", "jobs": [_read(size_mib=1200), {**STAT, "host": "wan", "start_s": 2.0}]},
    ]
    client = {"wan": {"read_ahead_kb": 32768}}
    phase = _phase(images.patched, "gate", phases=phases, clients=client)
    _keep(keep, "patched gate, stat() on the wan mount", phase)
    assert phase.p99_ms(LAN) < 3204 / 4


def test_four_wan_readers(images: Images, keep: Keep) -> None:
    phase = _phase(
        images.patched,
        "gate",
        clients={"wan": {"count": 4}},
        phases=[FILES, {"name": "read", "jobs": [_read(), STAT]}],
        memory_mb=8000,
    )
    _keep(keep, "patched gate, 4 wan readers", phase)
    assert min(phase.rates("read")) >= 96
    assert _lan_is_idle(images, phase, job=4)


def _small_reads(images: Images, lowat: int) -> Phase:
    """64 processes of one client read a file each in records of 4 KiB."""
    read = {**_read("lan", 1), "record_kib": 4}
    reads = [{**read, "file": str(number)} for number in range(1, 65)]
    make = f"for i in $(seq 64); do {_dd('$i', 1)}; done"
    return _phase(
        images.patched,
        "gate",
        server={"threads": 64, "sysctl": {SYSCTL: lowat}},
        clients={"lan": {"delay_ms": 1, "options": "rsize=4096"}},
        phases=[_make(make), {"name": "read", "jobs": reads}],
    )


def test_small_replies_keep_their_parallelism(images: Images, keep: Keep) -> None:
    seconds = []
    for lowat in (0, 131072):
        phase = _small_reads(images, lowat)
        jobs = phase.report["jobs"]
        seconds.append(sum(p["seconds"] for j in jobs for p in j["passes"]))
        setup = f"patched, tcp_notsent_lowat={lowat}, 64 readers of 4 KiB"
        keep("gate", setup, "lan_read_mb_per_s", phase.total_mb_per_s())
    without, with_gate = seconds
    # Not to the last bit: 64 replies of 4 KiB are more than the first
    # congestion windows of a connection can send, and so close the gate.
    assert with_gate == pytest.approx(without, rel=0.02)


def test_value_changes_while_it_matters(images: Images) -> None:
    """Closed and opened by hand, off and on, every 50 ms: nothing is lost."""
    values = [4096, 0, 131072, 1, 1 << 20, 0, (1 << 30) - 1]
    events = [
        {"at_s": 0.25 + n / 20, "host": "server", "sysctl": {SYSCTL: value}}
        for n, value in enumerate(values * 10)
    ]
    read = {"name": "read", "jobs": [_read(), STAT], "events": events}
    phase = _phase(images.patched, "gate", phases=[FILES, read], sample_ms=50)
    assert len(phase.peers("10.0.0.")) == 1
    assert phase.mb_per_s(WAN) >= 96
