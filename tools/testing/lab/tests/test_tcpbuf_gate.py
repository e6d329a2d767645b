# SPDX-License-Identifier: GPL-2.0
"""The gate: unsent replies hold back requests."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images, Keep
from tools.testing.lab.tests.measured import Phase, Run

WAN, LAN = 0, 1  # the jobs of the phase "read" in scenarios/gate.toml
SYSCTL = "sunrpc.tcp_notsent_lowat"


def _run(images: Images, setup: str, **server: Any) -> Phase:
    plan = scenario.load("gate", setup)
    plan = dataclasses.replace(
        plan, server=dataclasses.replace(plan.server, **server)
    )
    return measured.run(images.patched, plan)["read"]


def _idle_p99_ms(images: Images) -> float:
    """What stat() takes on a server that has nothing else to do."""
    return _run(images, "idle").p99_ms(LAN)


def _lan_is_idle(images: Images, phase: Phase, job: int = LAN) -> bool:
    """Whether stat() on the LAN takes what it takes on an idle server."""
    # 6.1 hands TCP a reply page by page, which takes time of the one processor:
    # p99 of up to 0.33 ms were seen, and up to 95 ms with the gate off.
    room = 2 if images.trees.base == "6.1" else 1.1
    return phase.p99_ms(job) <= room * _idle_p99_ms(images)


def _keep(keep: Keep, setup: str, phase: Phase) -> None:
    """Keep a row of the gate's table: of a read, and stat() beside it."""
    rates = phase.rates("read")
    stat = next(j for j in phase.report["jobs"] if j["do"] == "stat")
    keep("gate", setup, "wan_read_mb_per_s", min(rates))
    keep("gate", setup, "tcp_mem_pages", phase.report["tcp_mem_pages"])
    for name in ("p50_ms", "p99_ms"):
        keep("gate", setup, f"{stat['host']}_{name}", stat[name])


@pytest.mark.parametrize("threads", [1, 64])
def test_lan_does_not_wait(images: Images, keep: Keep, threads: int) -> None:
    keep("gate", "patched idle", "lan_p99_ms", _idle_p99_ms(images))
    phase = _run(images, "gate", threads=threads)
    _keep(keep, f"patched gate, threads={threads}", phase)
    assert phase.mb_per_s(WAN) >= 97
    assert _lan_is_idle(images, phase)


def test_stock_parks_threads(images: Images, keep: Keep) -> None:
    """What the gate is for."""
    plan = scenario.load("gate", "default")
    phase = measured.run(images.stock, plan)["read"]
    _keep(keep, "stock default", phase)
    # Before 6.14 a session has 30 requests, so that all 8 are seldom parked at
    # once: the mean shows it, not always the 99th percentile.
    assert phase.mean_ms(LAN) > 2 * _idle_p99_ms(images)


def _with_wmem(plan: scenario.Scenario, most: int) -> scenario.Scenario:
    """The plan with another bound of TCP's own for send buffers."""
    sysctl = {**plan.server.sysctl, "net.ipv4.tcp_wmem": f"4096 16384 {most}"}
    server = dataclasses.replace(plan.server, sysctl=sysctl)
    return dataclasses.replace(plan, server=server)


# A buffer that cannot grow to what the path holds is full of data in flight, of
# which nothing is unsent; in the smallest not even one reply has room.
@pytest.mark.parametrize("kib", [256, 4096])
def test_full_buffer_parks_no_thread(
    images: Images, keep: Keep, kib: int
) -> None:
    plan = _with_wmem(scenario.load("gate", "default"), kib * 1024)
    read = dataclasses.replace(plan.phases[-1].jobs[WAN], size_mib=100)
    jobs = [read, *plan.phases[-1].jobs[LAN:]]
    plan.phases[-1] = dataclasses.replace(plan.phases[-1], jobs=jobs)
    stock = measured.run(images.stock, plan)["read"]
    gated = measured.run(images.patched, plan)["read"]
    what = f"tcp_wmem[2] {kib} KiB"
    _keep(keep, f"stock default, {what}", stock)
    _keep(keep, f"patched default, {what}", gated)
    assert stock.mean_ms(LAN) > 2 * _idle_p99_ms(images)
    assert _lan_is_idle(images, gated)
    assert gated.mb_per_s(WAN) >= 0.98 * stock.mb_per_s(WAN)


def test_socket_limit_parks_no_thread(images: Images, keep: Keep) -> None:
    phase = _run(images, "socket")
    _keep(keep, "patched socket", phase)
    assert phase.p99_ms(LAN) <= 1.1 * _idle_p99_ms(images)


def _changed(plan: scenario.Scenario, **changes: Any) -> scenario.Scenario:
    """The plan with the keys of each client in changes laid over it."""
    table = scenario.to_dict(plan)
    for name, keys in changes.items():
        table["clients"][name] = {**table["clients"].get(name, {}), **keys}
    return scenario.from_dict(table)


def test_memory(images: Images, keep: Keep) -> None:
    # NFSv4.1 servers before 6.14 have a limit of their own, of 30 requests.
    mount = {} if images.trees.base == "7.2" else {"nfs": "3"}

    def read(image: Path, setup: str, name: str) -> Phase:
        plan = _changed(scenario.load("gate", setup), wan=mount)
        phase = measured.run(image, plan)["read"]
        _keep(keep, name, phase)
        return phase

    gate = read(images.patched, "gate", "patched gate")
    open_ = read(images.patched, "open", "patched open")
    stock = read(images.stock, "tcp_wmem", "stock tcp_wmem")
    assert stock.mb_per_s(WAN) == pytest.approx(97.4, rel=0.03)
    pages = gate.report["tcp_mem_pages"]
    # A peak, which each seed puts elsewhere: 44 to 47 % were seen.
    assert pages <= 0.5 * stock.report["tcp_mem_pages"]
    assert pages <= 0.75 * open_.report["tcp_mem_pages"]


def test_another_mount(images: Images, keep: Keep) -> None:
    """NFSv3 over IPv6, on two connections."""
    mount = {"nfs": "3", "family": 6, "options": "nconnect=2"}
    gated, without = (
        measured.run(
            images.patched,
            _changed(scenario.load("gate", setup), wan=mount, lan=mount),
        )["read"]
        for setup in ("gate", "open")
    )
    _keep(keep, "patched gate, another mount", gated)
    _keep(keep, "patched open, another mount", without)
    # NFSv3 asks once more before it reads, and IPv6 has longer headers. Two
    # connections share the work otherwise with the gate: 0.35 % less was seen.
    assert gated.mb_per_s(WAN) >= 94
    assert gated.mb_per_s(WAN) >= 0.995 * without.mb_per_s(WAN)
    assert _lan_is_idle(images, gated)


def _with_jobs(
    plan: scenario.Scenario, jobs: list[dict[str, Any]]
) -> scenario.Scenario:
    table = scenario.to_dict(plan)
    table["phases"][-1]["jobs"] = jobs
    return scenario.from_dict(table)


def test_stat_beside_own_read(images: Images, keep: Keep) -> None:
    """stat() on the WAN mount while it reads; 3,204 ms on stock 7.2.

    Once the read is at speed: replies to what it read ahead come first, and
    as long as TCP is in slow start they take their time.
    """
    read = {"do": "read", "host": "wan", "file": "far", "size_mib": 1200}
    stat = {"do": "stat", "host": "wan", "file": "near", "start_s": 2.0}
    plan = scenario.load("gate", "gate")
    command = plan.phases[0].jobs[0].command.replace("=600", "=1200")
    jobs = [dataclasses.replace(plan.phases[0].jobs[0], command=command)]
    plan.phases[0] = dataclasses.replace(plan.phases[0], jobs=jobs)
    plan = _with_jobs(plan, [read, stat])
    plan = _changed(plan, wan={"read_ahead_kb": 32768})
    phase = measured.run(images.patched, plan)["read"]
    _keep(keep, "patched gate, stat() on the wan mount", phase)
    assert phase.p99_ms(LAN) < 3204 / 4


def test_four_wan_readers(images: Images, keep: Keep) -> None:
    plan = scenario.load("gate", "gate")
    names = ["wan", "wan2", "wan3", "wan4"]
    path = dataclasses.asdict(plan.clients["wan"])
    plan = _changed(plan, **{name: path for name in names[1:]})
    reads = [
        {"do": "read", "host": name, "file": "far", "size_mib": 600}
        for name in names
    ]
    stat = {"do": "stat", "host": "lan", "file": "near"}
    plan = dataclasses.replace(plan, memory_mb=8000)
    phase = measured.run(images.patched, _with_jobs(plan, [*reads, stat]))[
        "read"
    ]
    _keep(keep, "patched gate, 4 wan readers", phase)
    assert min(phase.rates("read")) >= 96
    assert _lan_is_idle(images, phase, job=4)


def _small_reads(images: Images, lowat: int) -> Run:
    """64 processes of one client read a file each in records of 4 KiB."""
    table = scenario.to_dict(scenario.load("gate", "gate"))
    table["server"]["threads"] = 64
    table["server"]["sysctl"][SYSCTL] = lowat
    table["clients"] = {"lan": {**table["clients"]["lan"], "delay_ms": 1}}
    table["phases"][0]["jobs"][0]["command"] = (
        "for i in $(seq 64); do"
        " dd if=/dev/zero of=/srv/nfs/$i bs=1M count=1 status=none; done"
    )
    table["phases"][1]["jobs"] = [
        {
            "do": "read",
            "host": "lan",
            "file": str(number),
            "size_mib": 1,
            "record_kib": 4,
            "passes": 1,
        }
        for number in range(1, 65)
    ]
    table["clients"]["lan"]["options"] = "rsize=4096"
    return measured.run(images.patched, scenario.from_dict(table))


def test_small_replies_keep_their_parallelism(
    images: Images, keep: Keep
) -> None:
    seconds = []
    for lowat in (0, 131072):
        phase = _small_reads(images, lowat)["read"]
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
    table = scenario.to_dict(scenario.load("gate", "gate"))
    values = [4096, 0, 131072, 1, 1 << 20, 0, (1 << 30) - 1]
    table["phases"][1]["events"] = [
        {"at_s": 0.25 + n / 20, "host": "server", "sysctl": {SYSCTL: value}}
        for n, value in enumerate(values * 10)
    ]
    table["sample_ms"] = 50
    plan = scenario.from_dict(table)
    phase = measured.run(images.patched, plan)["read"]
    assert len(phase.peers("10.0.0.")) == 1
    assert phase.mb_per_s(WAN) >= 96
