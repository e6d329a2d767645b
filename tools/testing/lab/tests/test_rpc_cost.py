# SPDX-License-Identifier: GPL-2.0
"""What the series costs: pairs and their spread, the meter, the page."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tools.kernel import tree
from tools.kernel.errors import LabError
from tools.testing.lab import scenario
from tools.testing.lab.bench import cost, pairs
from tools.testing.lab.bench.meter import TASK_CLOCK, Meter, counter
from tools.testing.lab.bench.pairs import Spread

# Of hardware, and of no machine's.
NO_EVENT = (0, 1 << 31)

# Values, and the median with its interval: the ends of a sign test for which
# the tables have 2/2^n, 2 (1 + n)/2^n, and so on.
SPREADS: dict[str, tuple[list[float], Spread]] = {
    "one": ([3], Spread(3, 3, 3, 0)),
    "two": ([4, 3], Spread(3.5, 3, 4, 0.5)),
    "five": ([5, 4, 1, 2, 3], Spread(3, 1, 5, 1 - 2 / 32)),
    "six": ([6, 5, 4, 1, 2, 3], Spread(3.5, 1, 6, 1 - 2 / 64)),
    "eight": ([*range(8)], Spread(3.5, 0, 7, 1 - 2 / 256)),
    "nine": ([*range(9)], Spread(4, 1, 7, 1 - 2 * 10 / 512)),
    "twelve": ([*range(12)], Spread(5.5, 2, 9, 1 - 2 * 79 / 4096)),
}


@pytest.mark.parametrize("case", SPREADS.values(), ids=SPREADS)
def test_spread(case: tuple[list[float], Spread]) -> None:
    values, spread = case
    assert pairs.spread(values) == spread


# Waits, computes for half a second, says how long it really was, and waits.
BUSY = """
import time
input()
start = time.process_time()
while time.process_time() < start + 0.5:
    pass
print(time.process_time() - start, flush=True)
input()
"""


@pytest.mark.parametrize("kind", ["counter", "time"])
def test_meter(kind: str) -> None:
    """It counts while a process computes, and not while that waits.

    The counter is that of time: few machines have one of instructions.
    """
    event = TASK_CLOCK if kind == "counter" else NO_EVENT
    there = counter(os.getpid(), event)
    if there is not None:
        os.close(there)
    elif kind == "counter":
        pytest.skip("this kernel lets nobody have counters")
    with subprocess.Popen(
        [sys.executable, "-c", BUSY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        time.sleep(0.5)
        meter = Meter(process.pid, event)
        start = meter.read()
        print(file=process.stdin, flush=True)
        took = float(process.stdout.readline())
        time.sleep(0.5)
        end = meter.read()
        print(file=process.stdin, flush=True)
    meter.close()
    assert end - start == pytest.approx(1e9 * took, rel=0.2)
    assert meter.unit == ("instructions" if kind == "counter" else "ns")


def test_between() -> None:
    marks = [("a", 10), ("rest", 15), ("a", 100), ("b", 107), ("rest", 107)]
    assert cost.between(marks) == {"a": 12, "rest": 85, "b": 0}


def _phase(output: str, status: int = 0) -> dict[str, Any]:
    return {"name": "all", "jobs": [{"exit": status, "output": output}]}


ROUND = "".join(f"7 RPCs: {name}\n64+0 records in\n" for name in cost.MEASURED)


def test_calls() -> None:
    counted = cost.calls(_phase(ROUND * 2))
    assert counted == dict.fromkeys(cost.MEASURED, 14)


# What a job said that has no count, and how it ended.
BAD: dict[str, tuple[str, int]] = {
    "failed": (ROUND, 1),
    "ended early": (ROUND.rpartition("7")[0], 0),
    "nothing was called": (ROUND.replace("7 RPCs: getattr", "0 RPCs: x"), 0),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_no_calls(case: tuple[str, int]) -> None:
    with pytest.raises(LabError, match=r"the job of cost\.toml failed"):
        cost.calls(_phase(*case))


def test_failed_guest(tmp_path: Path) -> None:
    """One that fails ends those that wait for it, and is named."""
    programs = {"stock": "echo 'lab: getattr'; sleep 60", "patched": "exit 1"}
    images = {}
    for kernel, program in programs.items():
        image = tmp_path / kernel
        image.write_text(f"#!/bin/sh\n{program}\n")
        image.chmod(0o755)
        images["", kernel] = ("7.2", image)
    with pytest.raises(LabError, match="guest patched ended without a result"):
        cost.block(images, [cost.BASE, cost.OTHERS[0]], tree.quiet)


def _block(stock: float, patched: float) -> dict[str, cost.Costs]:
    block = {
        kind.name: dict.fromkeys(cost.MEASURED, stock) for kind in cost.KINDS
    }
    block["patched"]["getattr"] = patched
    return block


def test_figures() -> None:
    """Ratios of the pairs of a block, never of two blocks."""
    blocks = [_block(10, 11), _block(20, 24), _block(10, 10)]
    rows = cost.figures("7.2.13", "1234", "ns", blocks)
    assert len(rows) == len(cost.MEASURED) * len(cost.OTHERS)
    first, *rest = rows
    assert (first["calls"], first["kind"]) == ("getattr", "patched")
    assert (first["median"], first["low"], first["high"]) == (1.1, 1, 1.2)
    assert (first["pairs"], first["confidence"]) == (3, 0.75)
    assert all(row["low"] == row["high"] == 1 for row in rest)
    text = cost.text(rows)
    assert "1.100 (1.000 to 1.200)" in text
    assert "median of 3 pairs and its 75% interval" in text


@pytest.mark.parametrize("kind", cost.KINDS, ids=lambda kind: str(kind.name))
def test_scenario(kind: cost.Kind) -> None:
    """It says what is measured, and a stock kernel has no value to set."""
    plan = scenario.load(cost.SCENARIO, kind.setup)
    (phase,) = plan.phases
    (job,) = phase.jobs
    for name in cost.MEASURED:
        assert f'measured "{name}"' in job.command
    assert f"mark {cost.REST}\n" in job.command
    sysctls = [host.sysctl for host in plan.clients.values()]
    for sysctl in [plan.server.sysctl, *sysctls]:
        values = any(name.startswith("sunrpc.") for name in sysctl)
        assert values == (kind.setup == "values")
    assert kind.setup == "default" or kind.kernel == "patched"
