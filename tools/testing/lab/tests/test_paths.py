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


def _old_mount(cell: Cell) -> scenario.Scenario:
    """A cell whose mounts were made before the daemons started."""
    plan = _alone(cells.plan(cell, PEERS["tcptuned"]), cell.end_s + 1)
    for name in [name for name in plan.server.sysctl if "dirty" in name]:
        del plan.server.sysctl[name]
    memory_mb = cells.ROOM[cell.rate_mbit][0]
    return dataclasses.replace(plan, memory_mb=memory_mb, daemons_first=False)


OLD = [Cell(10000, rtt_ms, "4.2") for rtt_ms in (60, 120)]


@pytest.mark.parametrize("cell", OLD, ids=str)
def test_old_mount(images: Images, keep: Keep, cell: Cell) -> None:
    """A scale of 10 gives 93 % and 47 %; each end renews what it receives."""
    run = measured.run(images.patched, _old_mount(cell))
    for way, host in (("write", "server"), ("read", "reader")):
        rate = _mean(run, way, cell.deadline_s, cell.end_s)
        keep("old mount, tcptuned", f"{cell}", f"{way}_mb_per_s", rate)
        assert rate >= 0.97 * cell.limit, way
        said = run.report["daemons"][host]["output"]
        assert said.count("renewed the connection") == 1, said


def test_old_mount_of_v3(images: Images) -> None:
    """It may repeat requests, so that its connection stays as it is."""
    cell = Cell(1000, 120, "3")
    plan = _old_mount(cell)
    small = {"net.ipv4.tcp_rmem": "4096 131072 6291456"}
    for name, client in plan.clients.items():
        sysctl = {**client.sysctl, **small}
        plan.clients[name] = dataclasses.replace(client, sysctl=sysctl)
    run = measured.run(images.patched, plan)
    # 65,535 << 7 per round trip.
    assert _mean(run, "read", cell.deadline_s, cell.end_s) <= 0.6 * cell.limit
    for daemon in run.report["daemons"].values():
        assert "renewed" not in daemon["output"]


ROUNDS = 150
# While the clients are at work their connections end, from either end.
RENEW = """\
while pgrep -f '[r]eplay.py' >/dev/null; do
    sleep 0.3; ss -HtnK sport = :2049
    sleep 0.3; for host in v3 v40 v41 v42; do ip netns exec $host ss -HtnK dport = :2049; done
done | wc -l
"""


def test_done_once(images: Images) -> None:
    """What must not be done twice, while connections are renewed."""
    path = {"rate_mbit": 1000, "delay_ms": 5}
    versions = {"v3": "3", "v40": "4.0", "v41": "4.1", "v42": "4.2"}
    replay = "python3 $LAB_REPO/tools/testing/lab/guest/replay.py"
    work = [
        {
            "do": "run",
            "host": name,
            "command": f"mkdir /mnt/{name}/of-{name}; {replay} /mnt/{name}/of-{name} {ROUNDS}",
        }
        for name in versions
    ]
    plan = scenario.from_dict(
        {
            "name": "replay",
            "title": "requests while connections are renewed",
            "clients": {name: {**path, "nfs": nfs} for name, nfs in versions.items()},
            "memory_mb": 1000,
            "phases": [
                {"name": "work", "jobs": [*work, {"do": "run", "host": "server", "command": RENEW}]}
            ],
        }
    )
    run = measured.run(images.patched, plan)["work"]
    for job, name in enumerate(versions):
        assert f"{ROUNDS} rounds, done once" in run.output(job), name
    assert int(run.output(len(versions))) > 20
