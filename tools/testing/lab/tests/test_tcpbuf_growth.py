# SPDX-License-Identifier: GPL-2.0
"""What values in /proc/sys/sunrpc give: windows that fill the path."""

from __future__ import annotations

from typing import Any

import pytest

from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images, Keep
from tools.testing.lab.tests.measured import RCVBUF, SNDBUF, TCP_WMEM2, Phase, Point, Run, mean


@pytest.mark.parametrize("phase", ["write", "read"])
def test_1_gbit_30_ms(images: Images, phase: str) -> None:
    run = measured.run(images.patched, scenario.load("ibm-2008", "tuned"))
    # Kernels before 7 open a window by two packets for each that GRO merged,
    # whatever the size of the buffer.
    share = 0.97 if images.trees.base == "7.2" else 0.95
    assert run[phase].mb_per_s() >= share * run.limit("wan")


def test_10_gbit_120_ms(images: Images) -> None:
    plan = scenario.load("transatlantic", "tuned")
    plan.phases[:] = [one for one in plan.phases if one.name == "write"]
    run = measured.run(images.patched, plan)
    limit = measured.reachable(images.trees.base, run.limit("wan"), 0.12)
    assert run["write"].mb_per_s() >= 0.9 * limit


CEILING = 134217728


def _bounded_read(**client_sysctl: Any) -> scenario.Scenario:
    """A read whose window is small but for what the client's file gives."""
    rmem = {"net.ipv4.tcp_rmem": "4096 131072 6291456"}
    limits = {"net.core.rmem_max": CEILING, "net.core.wmem_max": CEILING}
    plan = measured.changed(
        "live",
        clients={"wan": {"sysctl": {**rmem, **client_sysctl}}},
        server={"sysctl": {**limits, "sunrpc.tcp_sndbuf": CEILING}},
    )
    plan.phases[-1].events.clear()
    return plan


def test_receive_buffer_of_a_client(images: Images) -> None:
    """It has a file of its own: a client's namespace may hold a server too."""
    plan = _bounded_read(**{"sunrpc.tcp_rcvbuf": CEILING})
    assert measured.run(images.patched, plan)["read"].mb_per_s() < 250
    plan = _bounded_read(**{"sunrpc.tcp_clnt_rcvbuf": CEILING})
    run = measured.run(images.patched, plan)
    limit = measured.reachable(images.trees.base, run.limit("wan"), 0.03)
    assert max(p.out for p in run["read"].points()) >= 0.95 * limit


# A value is written at 2 s, while data move: by the server for a read, by the
# client for a write. points() wants it to be one connection all the time. The
# last points are those of a job that has ended.
@pytest.mark.parametrize(
    ("name", "way", "default"), [("live", "read", 134), ("live-client", "write", 95)]
)
def test_live(images: Images, keep: Keep, name: str, way: str, default: float) -> None:
    run = measured.run(images.patched, scenario.load(name))
    phase = run[way]
    limit = measured.reachable(images.trees.base, run.limit("wan"), 0.03)
    before = _rate(way, phase.between(1, 2))
    reached_s = next(
        point.to_s - 2 for point in phase.between(2, 3.75) if _rate(way, [point]) >= 0.95 * limit
    )
    after = min(_rate(way, [point]) for point in phase.between(3, 3.75))
    keep(name, "patched, before the value", f"{way}_mb_per_s", before)
    keep(name, "patched, 1 s after it", f"{way}_mb_per_s", after)
    keep(name, "patched", "reached_95_percent_s", reached_s)
    assert before == pytest.approx(default, rel=0.05)
    assert reached_s <= 2
    assert after >= 0.95 * limit


# A connection that lives through a value that net.core.wmem_max (rmem_max)
# forbids, the raise of that limit, and the return to 0. The instants of
# scenarios/rise-and-fall.toml:
SET_S, RAISED_S, BACK_S, END_S = 2, 3.5, 5.5, 8.5
TCP_RMEM2 = 2097152


def _life(images: Images, way: str) -> Run:
    if way == "write" and images.trees.base != "7.2":
        pytest.skip("its windows open more slowly than the scenario's phases")
    plan = scenario.load("rise-and-fall")
    return measured.run(images.patched, plan)


def _rate(way: str, points: list[Point]) -> float:
    return mean([p.out if way == "read" else p.in_ for p in points])


def _size(way: str, points: list[Point]) -> int:
    name = SNDBUF if way == "read" else RCVBUF
    return max(point.sizes[name] for point in points)


WAYS = pytest.mark.parametrize(("way", "tcps_own"), [("read", TCP_WMEM2), ("write", TCP_RMEM2)])


def _default_rate(way: str, phase: Phase) -> float:
    return _rate(way, phase.between(SET_S - 1, SET_S))


@WAYS
def test_host_limit_bounds_a_value(images: Images, way: str, tcps_own: int) -> None:
    phase = _life(images, way)[way]
    bounded = phase.between(SET_S + 0.5, RAISED_S)
    assert _size(way, bounded) == tcps_own
    assert _rate(way, bounded) == pytest.approx(_default_rate(way, phase), rel=0.05)


@WAYS
def test_host_limit_is_raised_live(images: Images, way: str, tcps_own: int) -> None:
    life = _life(images, way)
    grown = life[way].between(RAISED_S + 1, BACK_S)
    assert _rate(way, grown) >= 0.97 * life.limit("wan")
    assert _size(way, grown) > tcps_own
    # The path holds 7.5 MB; a buffer is at most twice its payload, and the
    # series gives four bandwidth-delay products.
    assert _size(way, grown) < 8 * 7.5e6


@WAYS
def test_0_gives_an_old_connection_back(images: Images, way: str, tcps_own: int) -> None:
    phase = _life(images, way)[way]
    back = phase.between(BACK_S + 0.5, END_S)
    assert _size(way, back) == tcps_own
    assert _rate(way, back) == pytest.approx(_default_rate(way, phase), rel=0.05)
    assert min(p.out + p.in_ for p in back) > 0, "it stalled"
    # The job compares what was moved.
    assert phase.output() == ""


@WAYS
def test_0_gives_new_connections_the_default(images: Images, way: str, tcps_own: int) -> None:
    life = _life(images, way)
    new = life[f"new {way}"]
    assert new.peers().isdisjoint(life[way].peers()), "not a new connection"
    points = new.between(3, 4)
    assert _size(way, points) == tcps_own
    # 12 % less was seen for the write, with HyStart off.
    assert _rate(way, points) == pytest.approx(_default_rate(way, life[way]), rel=0.15)
