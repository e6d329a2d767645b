# SPDX-License-Identifier: GPL-2.0
"""tcptuned on both ends, nothing configured: paths run at their speed."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from tools.testing.lab import figures, grid, scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.tests.measured import Phase, Run

pytestmark = pytest.mark.usefixtures("program")


def _daemons_are_well(run: Run) -> None:
    for host, daemon in run.report["daemons"].items():
        assert daemon["exit"] == 0, f"{host}: {daemon['output']}"
        assert not daemon["ended_early"], f"{host}: {daemon['output']}"


def _cell(
    images: Images, kernel: str, cell: grid.Cell, *, router: bool = False
) -> tuple[Run, list[dict[str, Any]]]:
    """A run of a cell and its rows, which are kept."""
    plan = grid.plan(cell, "tcptuned")
    if router:
        clients = {
            name: dataclasses.replace(client, router=True)
            for name, client in plan.clients.items()
        }
        # What was raised for the read comes down when its rate is proven.
        plan = _longer(dataclasses.replace(plan, clients=clients), 10)
    run = measured.run(getattr(images, kernel), plan)
    _daemons_are_well(run)
    setup = "tcptuned, behind a router" if router else "tcptuned"
    name = f"{images.trees.base} {kernel}"
    rows = grid.figures(cell, run.report, name, setup)
    grid.STORE.merge(rows)
    return run, rows


def _longer(plan: scenario.Scenario, seconds: float) -> scenario.Scenario:
    """A plan whose reads take so much longer."""
    phases = [
        dataclasses.replace(
            phase,
            jobs=[
                dataclasses.replace(job, seconds=job.seconds + seconds)
                if job.do == "read"
                else job
                for job in phase.jobs
            ],
        )
        for phase in plan.phases
    ]
    return dataclasses.replace(plan, phases=phases)


def _keep(images: Images, setup: str, metric: str, value: float) -> None:
    """Keep a figure that is no cell."""
    kernel = f"{images.trees.base} patched"
    figures.keep("tcptuned", kernel, setup, metric, value)


def _is_settled(cell: grid.Cell, row: dict[str, Any], share: float) -> None:
    assert row["mb_per_s"] >= share * cell.limit, row
    assert row["settle_s"] is not None, row
    assert row["settle_s"] <= cell.deadline_s, row


@pytest.mark.parametrize("cell", grid.CORNERS, ids=str)
def test_corner(images: Images, cell: grid.Cell) -> None:
    """On the mount that was there before the daemon."""
    for row in _cell(images, "patched", cell)[1]:
        _is_settled(cell, row, grid.SETTLED)


def _values(run: Run, job: int) -> dict[str, int]:
    """The files below /proc/sys/sunrpc that a host had at the end."""
    text = run["values"].output(job)
    found = re.findall(r"sunrpc/(\w+):(\d+)", text)
    return {name: int(value) for name, value in found}


def test_link_claims_more(images: Images) -> None:
    """Behind a router, a path of 1 Gbit/s on links of 10 Gbit/s."""
    cell = grid.Cell(1000, 60, "4.2")
    run, rows = _cell(images, "patched", cell, router=True)
    for row in rows:
        _is_settled(cell, row, grid.SETTLED)
    bdp = cell.rate_mbit * 1e6 / 8 * cell.rtt_ms / 1e3
    values = [_values(run, job) for job in range(3)]
    assert any(value for of_host in values for value in of_host.values())
    for of_host in values:
        assert max(of_host.values()) <= 4 * bdp, values


def test_without_the_series(images: Images) -> None:
    cell = grid.Cell(1000, 30, "3")
    run, rows = _cell(images, "stock", cell)
    for row in rows:
        _is_settled(cell, row, 0.9)
    said = run.report["daemons"]["server"]["output"]
    assert "lacks sunrpc-tcpbuf" in said


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
    cell = grid.Cell(10000, 30, "4.2")
    rates = {}
    for setup in ("default", "tcptuned"):
        plan = grid.plan(cell, setup)
        clients = {
            name: dataclasses.replace(client, daemon="", read_ahead_kb=131072)
            for name, client in plan.clients.items()
        }
        plan = dataclasses.replace(plan, clients=clients)
        kernel = images.stock if setup == "default" else images.patched
        run = measured.run(kernel, plan)
        rows = grid.figures(cell, run.report, "", setup)
        rates[setup] = next(
            row["mb_per_s"] for row in rows if row["direction"] == "read"
        )
        _keep(images, f"server only, {setup}", "read_mb_per_s", rates[setup])
    assert rates["tcptuned"] >= 5 * rates["default"], rates


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
    before, killed, after = (
        _said(run, phase) for phase in ("before", "kill", "after")
    )
    changed = {name for name, value in killed.items() if before[name] != value}
    for end in ("0 /proc/sys/sunrpc/tcp_sndbuf", "read_ahead_kb", "1 /proc"):
        assert any(end in name for name in changed), (end, changed)
    assert after == before
    for job in range(2):
        assert "restored" in run["restore"].output(job)
