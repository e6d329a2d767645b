# SPDX-License-Identifier: GPL-2.0
"""Runs of guests for tests: each done once, its figures read by many.

The processes of the tests share their runs, so it does not matter which test
goes to which.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tools.kernel import lock, overlay, tree
from tools.testing.lab import scenario
from tools.testing.lab.guest import guest
from tools.testing.lab.wire import payload_mb_per_s

# What sk_rcvbuf and sk_sndbuf are called in a report.
RCVBUF, SNDBUF = "rcvbuf_bytes", "sndbuf_bytes"

# What TCP gives a send buffer by itself: tcp_wmem[2] on every base.
TCP_WMEM2 = 4194304

long = pytest.mark.skipif("LONG" not in os.environ, reason="takes minutes; make check-long does it")

_done: dict[tuple[Path, str], Run] = {}
# The reports of all processes; set by conftest.py.
folder = Path("/nowhere")


@dataclass(frozen=True)
class Point:
    """A connection of the server between two samples of a phase.

    Sizes and counters are those at the end; out and in_ are the payload that
    the server sent and received, in MB/s.
    """

    from_s: float
    to_s: float
    out: float
    in_: float
    sizes: dict[str, int]


@dataclass(frozen=True)
class Phase:
    """What a phase of a run measured."""

    report: dict[str, Any]

    def output(self, job: int = 0) -> str:
        """What a "run" job printed; it must have succeeded."""
        done = self.report["jobs"][job]
        assert done["exit"] == 0, done["output"]
        text: str = done["output"]
        return text

    def mb_per_s(self, job: int = 0, index: int = -1) -> float:
        """Rate of a pass of a "write" or "read", by default the last."""
        rate: float = self.report["jobs"][job]["passes"][index]["mb_per_s"]
        return rate

    def peers(self, prefix: str = "") -> set[str]:
        """The clients' ends of the connections that were seen."""
        found: dict[str, Any] = self.report["server_sockets"]
        return {peer for peer in found if peer.startswith(prefix)}

    def peak(self, size: str, prefix: str = "") -> int:
        """The largest value of a size; of those peers that begin so."""
        found = self.report["server_sockets"]
        return max(int(found[peer][size]) for peer in self.peers(prefix))

    def p99_ms(self, job: int) -> float:
        """How long all but a hundredth of a "stat" job's calls took at most."""
        p99: float = self.report["jobs"][job]["p99_ms"]
        return p99

    def mean_ms(self, job: int) -> float:
        """How long a "stat" job's calls took on average."""
        mean: float = self.report["jobs"][job]["mean_ms"]
        return mean

    def rates(self, do: str, host: str = "") -> list[float]:
        """The last pass of each job of a kind, on hosts that begin so."""
        return [
            self.mb_per_s(index)
            for index, job in enumerate(self.report["jobs"])
            if job["do"] == do and job["host"].startswith(host)
        ]

    def total_mb_per_s(self) -> float:
        """Rate of all jobs together, from the start to the last one's end."""
        passes = [p for job in self.report["jobs"] for p in job["passes"]]
        start = min(one["start_s"] for one in passes)
        end = max(one["start_s"] + one["seconds"] for one in passes)
        moved = sum(one["bytes"] for one in passes)
        rate: float = moved / (end - start) / 1e6
        return rate

    def points(self) -> list[Point]:
        """The phase's course; it must be that of one connection."""
        (peer,) = self.peers()
        seen = [
            (sample["t_s"], sample["server_sockets"][peer]) for sample in self.report["samples"]
        ]
        return [
            Point(
                from_s=start,
                to_s=end,
                out=_rate("acked_bytes", first, last, end - start),
                in_=_rate("received_bytes", first, last, end - start),
                sizes=last,
            )
            for (start, first), (end, last) in itertools.pairwise(seen)
        ]

    def between(self, from_s: float, to_s: float) -> list[Point]:
        """The points of an interval of the phase, which must have some."""
        found = [
            point
            for point in self.points()
            if point.from_s >= from_s - 0.01 and point.to_s <= to_s + 0.01
        ]
        assert found, f"nothing was seen between {from_s} and {to_s} s"
        return found


def _rate(name: str, first: dict[str, int], last: dict[str, int], seconds: float) -> float:
    return (last[name] - first[name]) / seconds / 1e6


def mean(rates: list[float]) -> float:
    """The mean of rates."""
    return statistics.fmean(rates)


def reachable(base: str, limit: float, rtt_s: float) -> float:
    """What NFSv4.1 can reach of a path's limit in MB/s.

    Servers before 6.14 grant a session 30 requests, of 1 MiB here, at a time.
    """
    return limit if base == "7.2" else min(limit, (30 << 20) / rtt_s / 1e6)


@dataclass(frozen=True)
class Run:
    """What a run measured."""

    plan: scenario.Scenario
    report: dict[str, Any]

    def __getitem__(self, name: str) -> Phase:
        return Phase(next(p for p in self.report["phases"] if p["name"] == name))

    def limit(self, client: str) -> float:
        """What a client's path can carry at most, in MB/s of payload."""
        return payload_mb_per_s(self.plan.clients[client].rate_mbit)


def run(image: Path, plan: scenario.Scenario) -> Run:
    """Boot the image for the scenario, unless a test has done so before."""
    key = (image, json.dumps(scenario.to_dict(plan)))
    if key not in _done:
        name = hashlib.sha256("".join(map(str, key)).encode()).hexdigest()
        report = folder / name
        with lock.held(folder / f"{name}.lock", tree.quiet):
            if not report.is_file():
                result = guest.run(image, plan, tree.quiet)
                overlay.replace(report, json.dumps(result))
        _done[key] = Run(plan, json.loads(report.read_text()))
    return _done[key]


def changed(name: str, setup: str | None = None, **over: Any) -> scenario.Scenario:
    """A scenario with tables laid over it."""
    table = scenario.to_dict(scenario.load(name, setup))
    return scenario.from_dict(scenario.overlay(table, over))


def commands(*texts: str, memory_mb: int = 600) -> scenario.Scenario:
    """A scenario without a client: a phase per command, "0" and so on."""
    return scenario.from_dict(
        {
            "name": "commands",
            "title": "commands on the server",
            "clients": {},
            "memory_mb": memory_mb,
            "phases": [
                {"name": str(number), "jobs": [{"do": "run", "host": "server", "command": text}]}
                for number, text in enumerate(texts)
            ],
        }
    )
