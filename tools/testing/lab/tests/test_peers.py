# SPDX-License-Identifier: GPL-2.0
"""Peers that lie: the daemon's budget holds, an honest peer keeps its rate."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tools.testing.lab import course, scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images, Keep
from tools.testing.lab.tests.measured import Phase, Run

pytestmark = pytest.mark.usefixtures("program")

STRANGERS = (
    "python3 $LAB_REPO/tools/testing/lab/guest/strangers.py 10.0.1.1 $(cat /run/handle)"
    " --first 10.9.0.1"
)
NETEM = "tc qdisc change dev eth0 root netem limit 10000000 delay"
MOVE = f"while sleep 2; do {NETEM} 29.9ms; sleep 2; {NETEM} 0.2ms; done & move=$!;"
HONEST = "10.0.0."
PAGE_BYTES = 4096


@dataclass(frozen=True)
class Lie:
    """What peers do beside the honest one.

    seconds: for how long. before, after: further commands. path: what is not
    as in the scenario. all_memory: TCP's memory of the whole guest counts, not
    the server's alone.
    """

    connections: int
    seconds: int
    arguments: str
    before: str = ""
    after: str = ""
    path: dict[str, Any] | None = None
    all_memory: bool = True


LIES = {
    "acknowledges after 1 s": Lie(
        1, 22, "--take --requests 64 --rcvbuf 1000000000", before=f"{NETEM} 1s;"
    ),
    # The data that it does not read stay in the guest, too.
    "window of 1 GiB, reads nothing": Lie(
        1, 18, "--requests 1200 --rcvbuf 1073741823", all_memory=False
    ),
    "1,000 at once": Lie(
        1000,
        15,
        "--take --requests 4 --bytes 32768 --rcvbuf 100000000",
        before=f"{NETEM} 1s;",
        path={"rate_mbit": 100, "queue_packets": 300},
    ),
    "RTT changes 100 times": Lie(
        1, 12, "--take --requests 64 --rcvbuf 1000000000", before=MOVE, after="kill $move"
    ),
}


def _plan(lie: Lie | None) -> scenario.Scenario:
    table = scenario.to_dict(scenario.load("peers"))
    if lie:
        table["clients"]["liar"] |= lie.path or {}
        command = (
            f"ip route add local 10.9.0.0/16 dev lo; {lie.before}"
            f"{STRANGERS} {lie.connections} {lie.seconds} {lie.arguments}; {lie.after}"
        )
        table["phases"][2]["jobs"].append({"do": "run", "host": "liar", "command": command})
    return scenario.from_dict(json.loads(json.dumps(table)))


def _rate(run: Run, seconds: float) -> float:
    """What the honest peer got while the others lied, in MB/s."""
    phase = run["beside"]
    (honest,) = phase.peers(HONEST)
    moved = [
        (sample["t_s"], sample["server_sockets"][honest]["acked_bytes"])
        for sample in phase.report["samples"]
    ]
    return course.mean(moved, 0, seconds)


def _own_bytes(run: Run) -> tuple[int, int]:
    """What TCP gives a send and a receive buffer by itself."""
    found = re.findall(r"^\d+\s+\d+\s+(\d+)$", run["prepare"].output(), re.MULTILINE)
    return int(found[0]), int(found[1])


def _most(phase: Phase, bytes_of: Callable[[dict[str, int]], int]) -> int:
    """The largest sum over the server's connections at an instant."""
    return max(
        sum(map(bytes_of, sample["server_sockets"].values())) for sample in phase.report["samples"]
    )


def _granted_bytes(phase: Phase, own: tuple[int, int]) -> int:
    """What the daemon's values let buffers hold, beyond what TCP does."""
    return _most(
        phase,
        lambda one: max(0, one["sndbuf_bytes"] - own[0]) + max(0, one["rcvbuf_bytes"] - own[1]),
    )


def _held_bytes(phase: Phase) -> int:
    """What the server's buffers did hold."""
    return _most(phase, lambda one: one["queued_bytes"] + one["unread_bytes"])


def _budget_bytes(run: Run) -> int:
    text = run["budget"].output()
    found = re.search(r"^tcptuned_memory_budget_bytes\S* (\d+)", text, re.MULTILINE)
    assert found
    return int(found[1])


@pytest.mark.parametrize("name", LIES)
def test_peers(images: Images, keep: Keep, name: str) -> None:
    lie = LIES[name]
    alone, run = (measured.run(images.patched, _plan(one)) for one in (None, lie))
    assert f"asked={lie.connections}\nopen={lie.connections}" in run["beside"].output(1)
    budget = _budget_bytes(run)
    figures = {
        "budget_bytes": budget,
        "granted_bytes": _granted_bytes(run["beside"], _own_bytes(run)),
        "held_bytes": _held_bytes(run["beside"]),
        "tcp_mem_bytes": run["beside"].report["tcp_mem_pages"] * PAGE_BYTES,
        "honest_mb_per_s": _rate(run, lie.seconds),
        "alone_mb_per_s": _rate(alone, lie.seconds),
    }
    for metric, value in figures.items():
        keep("peers", name, metric, value)
    assert figures["granted_bytes"] <= budget
    assert figures["held_bytes"] <= budget
    if lie.all_memory:
        assert figures["tcp_mem_bytes"] <= budget
    assert figures["honest_mb_per_s"] >= 0.9 * figures["alone_mb_per_s"]
