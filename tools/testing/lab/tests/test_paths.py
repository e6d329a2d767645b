# SPDX-License-Identifier: GPL-2.0
"""What binds a path beside its windows; the daemon on both ends, nothing configured."""

from __future__ import annotations

import dataclasses

import pytest

from tools.testing.lab import course, scenario
from tools.testing.lab.bench import cells
from tools.testing.lab.bench.cells import Cell
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images, Keep
from tools.testing.lab.tests.measured import Run

PEERS = cells.peers()
pytestmark = pytest.mark.usefixtures("program")


def _alone(plan: scenario.Scenario, seconds: float) -> scenario.Scenario:
    """A cell without the client on a LAN, its transfers so long."""
    for phase in plan.phases:
        phase.jobs[:] = [
            dataclasses.replace(job, seconds=seconds) if job.seconds else job
            for job in phase.jobs
            if job.host != "lan"
        ]
    clients = {name: plan.clients[name] for name in ("writer", "reader")}
    return dataclasses.replace(plan, clients=clients)


def _mean(run: Run, way: str, from_s: float, to_s: float) -> float:
    """The rate between two times after the first byte, in MB/s."""
    return course.mean(course.begun(course.total(run[way].report, way)), from_s, to_s)


def test_random_loss(images: Images, keep: Keep) -> None:
    """One packet of 10,000 lost: connections change to BBR."""
    cell = Cell(1000, 30, "4.2", loss=1e-4)
    run = measured.run(images.patched, _alone(cells.plan(cell, PEERS["tcptuned"]), 12))
    for host, sysctl in (("server", "tcp_lossy"), ("writer", "tcp_clnt_lossy")):
        said = run.report["daemons"][host]["output"]
        assert f'sunrpc.{sysctl}_congestion_control "" -> bbr' in said
        assert f'sunrpc.{sysctl}_congestion_control restored to ""' in said
    assert "_congestion_control" not in run.report["daemons"]["reader"]["output"]
    for way in course.DIRECTIONS:
        rate = _mean(run, way, cell.deadline_s, 11)
        keep("random loss, tcptuned", f"{cell}", f"{way}_mb_per_s", rate)
        # CUBIC carries 6 to 8.
        assert rate >= 90, way
