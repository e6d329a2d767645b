# SPDX-License-Identifier: GPL-2.0
"""tcptuned on both ends, nothing configured: paths run at their speed."""

from __future__ import annotations

import dataclasses
import re

import pytest

from tools.testing.lab import course, figures, scenario
from tools.testing.lab.bench import cells
from tools.testing.lab.bench.cells import Cell
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.tests.measured import Phase, Run

PEERS = cells.peers()
# The share of the limit that counts as settled.
SETTLED = 0.97
pytestmark = pytest.mark.usefixtures("program")


def _daemons_are_well(run: Run) -> None:
    for host, daemon in run.report["daemons"].items():
        assert daemon["exit"] == 0, f"{host}: {daemon['output']}"
        assert not daemon["ended_early"], f"{host}: {daemon['output']}"


def _cell(images: Images, kernel: str, cell: Cell, *, router: bool = False) -> Run:
    """A run of a cell, with daemons that start after the mounts."""
    plan = _alone(cells.plan(cell, PEERS["tcptuned"]))
    if router:
        for name, client in plan.clients.items():
            plan.clients[name] = dataclasses.replace(client, router=True)
        # What was raised for the read comes down when its rate is proven.
        plan = _longer(plan, 10)
    run = measured.run(getattr(images, kernel), plan)
    _daemons_are_well(run)
    return run


def _alone(plan: scenario.Scenario) -> scenario.Scenario:
    """A plan without the client on a LAN, its daemons after the mounts."""
    for phase in plan.phases:
        phase.jobs[:] = [job for job in phase.jobs if job.host != "lan"]
    clients = {name: plan.clients[name] for name in ("writer", "reader")}
    # The bench bounds what a writer leaves dirty, so that it is soon flushed.
    for name in [name for name in plan.server.sysctl if "dirty" in name]:
        del plan.server.sysctl[name]
    return dataclasses.replace(
        plan,
        clients=clients,
        memory_mb=cells.ROOM[int(clients["writer"].rate_mbit)][0],
        daemons_first=False,
    )


def _longer(plan: scenario.Scenario, seconds: float) -> scenario.Scenario:
    """A plan whose reads take so much longer."""
    for phase in plan.phases:
        phase.jobs[:] = [
            dataclasses.replace(job, seconds=job.seconds + seconds) if job.do == "read" else job
            for job in phase.jobs
        ]
    return plan


def _keep(images: Images, setup: str, metric: str, value: float) -> None:
    """Keep a figure that is no cell."""
    kernel = f"{images.trees.base} patched"
    figures.keep("tcptuned", kernel, setup, metric, value)


def _steady(cell: Cell, run: Run, way: str) -> float:
    """The rate after the time to settle, in MB/s."""
    moved = course.begun(course.total(run[way].report, way))
    return course.mean(moved, cell.deadline_s, cell.end_s)


def _is_settled(cell: Cell, run: Run, share: float) -> None:
    """Both directions are at a share of the limit in time, and stay there."""
    for way in course.DIRECTIONS:
        moved = course.begun(course.total(run[way].report, way))
        reached_s = course.reached(moved, SETTLED * cell.limit)
        assert reached_s is not None, way
        assert reached_s <= cell.deadline_s, way
        assert _steady(cell, run, way) >= share * cell.limit, way


CORNERS = (Cell(100, 200, "3"), Cell(10000, 30, "3"))


@pytest.mark.parametrize("cell", CORNERS, ids=str)
def test_corner(images: Images, cell: Cell) -> None:
    """On the mount that was there before the daemon."""
    _is_settled(cell, _cell(images, "patched", cell), SETTLED)


def _values(run: Run, job: int) -> dict[str, int]:
    """The files below /proc/sys/sunrpc that a host had at the end."""
    text = run["values"].output(job)
    found = re.findall(r"sunrpc/(\w+):(\d+)", text)
    return {name: int(value) for name, value in found}


def test_link_claims_more(images: Images) -> None:
    """Behind a router, a path of 1 Gbit/s on links of 10 Gbit/s."""
    cell = Cell(1000, 60, "4.2")
    run = _cell(images, "patched", cell, router=True)
    _is_settled(cell, run, SETTLED)
    bdp = cell.rate_mbit * 1e6 / 8 * cell.rtt_ms / 1e3
    values = [_values(run, job) for job in range(3)]
    assert any(value for of_host in values for value in of_host.values())
    for of_host in values:
        assert max(of_host.values()) <= 4 * bdp, values


def test_without_the_series(images: Images) -> None:
    cell = Cell(1000, 30, "3")
    run = _cell(images, "stock", cell)
    _is_settled(cell, run, 0.9)
    assert "lacks sunrpc-tcpbuf" in run.report["daemons"]["server"]["output"]


@pytest.fixture(scope="module")
def beside(images: Images, program: None) -> Run:
    """A WAN reader beside LAN clients, see the scenario."""
    run = measured.run(images.patched, scenario.load("tcptuned"))
    _daemons_are_well(run)
    return run


# Addresses of the clients of scenarios/tcptuned.toml.
WAN, LAN = "10.0.0.", "10.0.1."
# The steady part of a read is its second half, up to this. Before that, the WAN's
# is once for half a second at three quarters of its rate: in the first second
# where the guest has 14 GB, in the third with 6.
STEADY_END_S = 8


def _steady_mb_per_s(phase: Phase, prefix: str) -> float:
    """What the server's connection to a client has sent and got acknowledged."""
    (peer,) = phase.peers(prefix)
    samples = phase.report["samples"]
    end_s = min(samples[-1]["t_s"], STEADY_END_S)
    seen = [
        (sample["t_s"], sample["server_sockets"][peer]["acked_bytes"])
        for sample in samples
        if end_s / 2 <= sample["t_s"] <= end_s
    ]
    (from_s, first), (to_s, last) = seen[0], seen[-1]
    return float((last - first) / (to_s - from_s) / 1e6)


def test_wan_and_lan_beside_each_other(images: Images, beside: Run) -> None:
    together = beside["wan beside lan"]
    rates = {
        "wan_alone": _steady_mb_per_s(beside["wan"], WAN),
        "lan_alone": _steady_mb_per_s(beside["lan"], LAN),
        "wan": _steady_mb_per_s(together, WAN),
        "lan": _steady_mb_per_s(together, LAN),
    }
    for name, rate in rates.items():
        _keep(images, "wan beside lan", f"{name}_mb_per_s", rate)
    assert rates["wan"] >= 0.97 * beside.limit("wan")
    for name in ("wan", "lan"):
        assert rates[name] >= 0.97 * rates[f"{name}_alone"], rates


def test_lan_latency_beside_a_wan_reader(images: Images, beside: Run) -> None:
    idle = beside["idle"].p99_ms(1)
    busy = beside["wan beside stat"]
    _keep(images, "idle", "lan_p99_ms", idle)
    _keep(images, "wan beside stat", "lan_p99_ms", busy.p99_ms(1))
    assert _steady_mb_per_s(busy, WAN) >= 0.97 * beside.limit("wan")
    assert busy.p99_ms(1) <= 1.1 * idle


def test_lan_path_gets_no_more(beside: Run) -> None:
    """What the WAN needs is a ceiling: the LAN connection grows as on stock."""
    (lan,) = beside["wan beside lan"].peers(LAN)
    sizes = beside["wan beside lan"].report["server_sockets"][lan]
    assert sizes["sndbuf_bytes"] <= 4 << 20


def test_server_only(images: Images) -> None:
    """A client that reads far ahead, and knows nothing of the daemon."""
    cell = Cell(10000, 30, "4.2")
    plan = _alone(cells.plan(cell, PEERS["tcptuned"]))
    for name, client in plan.clients.items():
        plan.clients[name] = dataclasses.replace(client, daemon="", read_ahead_kb=131072)
    # Nobody looks at the write.
    phases = [phase for phase in plan.phases if phase.name != "write"]
    plan = dataclasses.replace(plan, phases=phases)
    rate = _steady(cell, measured.run(images.patched, plan), "read")
    _keep(images, "server only, tcptuned", "read_mb_per_s", rate)
    # The stock kernel's send buffer gives a twelfth.
    assert rate >= 0.5 * cell.limit


def _said(run: Run, phase: str) -> dict[str, str]:
    """Every file that both hosts showed in a phase, and what it said."""
    return {
        f"{job} {line.rpartition(':')[0]}": line.rpartition(":")[2]
        for job in range(2)
        for line in run[phase].output(job).splitlines()
    }


def test_killed(images: Images) -> None:
    """SIGKILL, then restore: all is as it was, the read-ahead too."""
    run = measured.run(images.patched, scenario.load("killed"))
    before, killed, after = (_said(run, phase) for phase in ("before", "kill", "after"))
    changed = {name for name, value in killed.items() if before[name] != value}
    for end in ("0 /proc/sys/sunrpc/tcp_sndbuf", "read_ahead_kb", "1 /proc"):
        assert any(end in name for name in changed), (end, changed)
    assert after == before
    for job in range(2):
        assert "restored" in run["restore"].output(job)
