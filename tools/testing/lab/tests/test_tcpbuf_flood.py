# SPDX-License-Identifier: GPL-2.0
"""The smallest values, for ten minutes: never a stall, never a new connection."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images, Keep
from tools.testing.lab.tests.measured import Phase

CONNECTIONS = 8
SIMULATED_S = 600
# A MiB takes 2.2 s at the paths' 4 Mbit/s. A reply that is larger than its send
# buffer holds a thread, and there is one for each connection: a client that has
# two or three leaves none for another. Of four seeds, with the gate and without:
# pauses of up to 6 s and 5 s, rates from 0.71 and 0.83 of the path.
STALL_S = 10
SHARE = 0.6
COUNTER = {"write": "received_bytes", "read": "acked_bytes"}


def _longest_pause_s(phase: Phase, peer: str, counter: str) -> float:
    """The longest time in which a connection moved nothing, before its end."""
    last, longest = 0.0, 0.0
    for before, after in itertools.pairwise(phase.report["samples"]):
        moved = [s["server_sockets"][peer][counter] for s in (before, after)]
        if moved[1] > moved[0]:
            longest = max(longest, after["t_s"] - last)
            last = after["t_s"]
    return longest


def _mb_per_s(job: dict[str, Any]) -> float:
    """The rate of a job over all of its passes."""
    moved, seconds = (sum(one[key] for one in job["passes"]) for key in ("bytes", "seconds"))
    return float(moved / seconds / 1e6)


@pytest.mark.parametrize("way", ["write", "read"])
def test_smallest_values(images: Images, keep: Keep, way: str) -> None:
    run = measured.run(images.patched, scenario.load("flood"))
    phase = run[way]
    assert phase.report["samples"][-1]["t_s"] >= SIMULATED_S
    # Those of before the first value was set, in both phases.
    assert len(phase.peers()) == CONNECTIONS
    assert phase.peers() == run["write"].peers()
    pause_s = max(_longest_pause_s(phase, peer, COUNTER[way]) for peer in phase.peers())
    keep("flood", "patched", f"{way}_longest_pause_s", pause_s)
    rate = min(map(_mb_per_s, phase.report["jobs"]))
    keep("flood", "patched", f"{way}_slowest_mb_per_s", rate)
    assert pause_s <= STALL_S
    assert rate >= SHARE * run.limit("far-1")
