# SPDX-License-Identifier: GPL-2.0
"""tcptuned on both ends, nothing configured: paths run at their speed."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import grid
import lock
import measured
import scenario
import tree
from conftest import Images
from measured import Run

DAEMON = tree.REPO / "tools" / "tcptuned"


@pytest.fixture(scope="session", autouse=True)
def program() -> None:
    """The daemon, where scenarios look for it."""
    build = tree.folder()
    # Relative, because make splits a path with a space.
    folder = os.path.relpath(build / "tcptuned", DAEMON)
    with lock.held(build / ".tcptuned.lock", tree.quiet):
        subprocess.run(["make", "-s", "-C", DAEMON, f"O={folder}"], check=True)


def _daemons_are_well(run: Run) -> None:
    for host, daemon in run.report["daemons"].items():
        assert daemon["exit"] == 0, f"{host}: {daemon['output']}"
        assert not daemon["ended_early"], f"{host}: {daemon['output']}"


def _cell(
    image: Path, cell: grid.Cell, *, router: bool = False
) -> tuple[Run, list[dict[str, Any]]]:
    plan = grid.plan(cell, "tcptuned")
    if router:
        clients = {
            name: dataclasses.replace(client, router=True)
            for name, client in plan.clients.items()
        }
        plan = dataclasses.replace(plan, clients=clients)
    run = measured.run(image, plan)
    _daemons_are_well(run)
    return run, grid.rows(cell, run.report, "patched", "tcptuned")


def _is_settled(cell: grid.Cell, row: dict[str, Any], share: float) -> None:
    assert row["mb_per_s"] >= share * cell.limit, row
    assert row["settle_s"] is not None, row
    assert row["settle_s"] <= cell.deadline_s, row


@pytest.mark.parametrize("cell", grid.CORNERS, ids=str)
def test_corner(images: Images, cell: grid.Cell) -> None:
    """On the mount that was there before the daemon."""
    for row in _cell(images.patched, cell)[1]:
        _is_settled(cell, row, grid.SETTLED)


def _values(run: Run, job: int) -> dict[str, int]:
    """The files below /proc/sys/sunrpc that a host had at the end."""
    text = run["values"].output(job)
    found = re.findall(r"sunrpc/(\w+):(\d+)", text)
    return {name: int(value) for name, value in found}


def test_link_claims_more(images: Images) -> None:
    """Behind a router, a path of 1 Gbit/s on links of 10 Gbit/s."""
    cell = grid.Cell(1000, 60, "4.2")
    run, rows = _cell(images.patched, cell, router=True)
    for row in rows:
        _is_settled(cell, row, grid.SETTLED)
    bdp = cell.rate_mbit * 1e6 / 8 * cell.rtt_ms / 1e3
    values = [_values(run, job) for job in range(3)]
    assert any(value for of_host in values for value in of_host.values())
    for of_host in values:
        assert max(of_host.values()) <= 4 * bdp, values


def test_without_the_series(images: Images) -> None:
    cell = grid.Cell(1000, 30, "3")
    run, rows = _cell(images.stock, cell)
    for row in rows:
        _is_settled(cell, row, 0.9)
    said = run.report["daemons"]["server"]["output"]
    assert "series" in said


@pytest.fixture(scope="module")
def beside(images: Images, program: None) -> Run:
    """A WAN reader beside LAN clients, see the scenario."""
    run = measured.run(images.patched, scenario.load("tcptuned"))
    _daemons_are_well(run)
    return run


# Of a read of 8 s, whose first round trips carry nothing yet.
WHOLE = 0.95


def test_wan_and_lan_beside_each_other(beside: Run) -> None:
    wan = beside.limit("wan")
    assert beside["wan beside lan"].mb_per_s() >= WHOLE * wan
    lan = beside["lan"].mb_per_s()
    assert beside["wan beside lan"].mb_per_s(1) >= 0.97 * lan


def test_lan_latency_beside_a_wan_reader(beside: Run) -> None:
    idle = beside["idle"].report["jobs"][1]["p99_ms"]
    busy = beside["wan beside stat"]
    assert busy.mb_per_s() >= WHOLE * beside.limit("wan")
    assert busy.report["jobs"][1]["p99_ms"] <= 1.1 * idle


def test_lan_path_gets_no_more(beside: Run) -> None:
    """What the WAN needs is a ceiling: the LAN connection grows as on stock."""
    (lan,) = beside["wan beside lan"].peers("10.0.1.")
    sizes = beside["wan beside lan"].report["server_sockets"][lan]
    assert sizes["sndbuf_bytes"] <= 4 << 20
