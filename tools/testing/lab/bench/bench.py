# SPDX-License-Identifier: GPL-2.0
"""The bench: this project beside what one would do instead, cell by cell.

Each cell is one boot for each peer, or several where chance has a part: a write,
then a read, each on a mount of its own, and beside them a client on a LAN that
asks for attributes. Rows go to out/bench.json as soon as they are measured. A
row has the key of all that it was made of; a cell whose key is another by now
is measured again.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tools.kernel import tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Progress
from tools.testing.lab import course, grid, image, scenario
from tools.testing.lab.bench import cells, compare, table
from tools.testing.lab.bench.cells import Cell, Peer
from tools.testing.lab.guest import batch

FILE = tree.REPO / "out" / "bench.json"
DAEMON = tree.folder() / "tcptuned" / "tcptuned"
# What pictures show over time: the connection of a read, sample by sample.
COURSES_FILE = FILE.with_name("bench-courses.json")
PICTURED = Cell(10000, 30, "4.2")
# Cold is the mean of so long, from the start of the transfer.
COLD_S = 5.0
T90 = 0.9

# Of the scenario's first client, which writes, and of its second.
ADDRESSES = {"write": "10.0.0.", "read": "10.0.1."}

Row = dict[str, Any]
# What names a row.
NAME = (
    *("kernel", "peer", "rate_mbit", "rtt_ms", "nfs", "cc", "loss", "mtu"),
    *("nconnect", "direction"),
)


def name(row: Row) -> tuple[Any, ...]:
    """What tells a row from others."""
    return (*(row[key] for key in NAME), _seed(row))


def _seed(row: Row) -> int:
    """Seed of a row; rows of before there was a choice have none."""
    return int(row.get("seed", 0))


def read(file: Path = FILE) -> list[Row]:
    """All rows that were measured."""
    return table.read(file, name)


def courses() -> list[Row]:
    """What pictures show over time."""
    return table.read(COURSES_FILE, _course_name)


def _course_name(row: Row) -> tuple[Any, ...]:
    return (row["cell"], row["peer"])


@dataclass(frozen=True)
class Run:
    """One boot: a cell, a peer, the kernel that it is run on, and the seed."""

    cell: Cell
    peer_name: str
    peer: Peer
    base: str
    image: Path
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.cell}, {self.peer_name}, seed {self.seed}"

    @property
    def plan(self) -> scenario.Scenario:
        """What is run."""
        return cells.plan(self.cell, self.peer)

    @property
    def key(self) -> str:
        """What its figures depend on."""
        return key(self.image, self.plan)


def key(path: Path, plan: scenario.Scenario) -> str:
    """What a run's figures depend on: kernel, scenario and daemon."""
    daemons = [plan.server.daemon, *(c.daemon for c in plan.clients.values())]
    parts = [
        (path.parent / image.KEY).read_bytes(),
        json.dumps(scenario.to_dict(plan), sort_keys=True).encode(),
        DAEMON.read_bytes() if any(daemons) else b"",
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def check_daemons(result: Row) -> None:
    """Raise LabError when a daemon did not run to the end."""
    for host, daemon in result["daemons"].items():
        if daemon["exit"] or daemon["ended_early"]:
            raise LabError(f"the daemon of {host} failed: {daemon['output']}")


def rows(run: Run, result: Row, key: str) -> list[Row]:
    """The figures of a run, one row a direction."""
    check_daemons(result)
    path = {k: v for k, v in asdict(run.cell).items() if k != "base"}
    common = {
        **path,
        "kernel": f"{run.base} {run.peer.kernel}",
        "peer": run.peer_name,
        "setup": "boot" if run.peer.daemon else "default",
        "seed": run.seed,
        "key": key,
    }
    phases = {phase["name"]: phase for phase in result["phases"]}
    return [
        {
            **common,
            "direction": direction,
            **_figures(run.cell, phases, direction),
        }
        for direction in course.DIRECTIONS
    ]


def _figures(cell: Cell, phases: dict[str, Row], direction: str) -> Row:
    phase, (counter, _) = phases[direction], course.DIRECTIONS[direction]
    moved = course.total(phase, counter, ADDRESSES[direction])
    from_first = course.begun(moved)
    lan = next(job for job in phase["jobs"] if job["do"] == "stat")
    deadline_s = cell.path.deadline_s
    return {
        "mb_per_s": course.mean(from_first, deadline_s, cell.end_s),
        "limit_mb_per_s": cell.limit,
        "cold_mb_per_s": course.mean(moved, 0, COLD_S),
        "t90_s": course.reached(from_first, T90 * cell.limit),
        "settle_s": course.reached(from_first, grid.SETTLED * cell.limit),
        "deadline_s": deadline_s,
        "tcp_mem_bytes": phase["tcp_mem_pages"] * 4096,
        "lan_p50_ms": lan["p50_ms"],
        "lan_p99_ms": lan["p99_ms"],
    }


def windows(run: Run, result: Row) -> Row:
    """The course of a read's connection."""
    phase = next(one for one in result["phases"] if one["name"] == "read")
    return {
        "cell": str(run.cell),
        "peer": run.peer_name,
        **course.windows(phase, ADDRESSES["read"]),
    }


def missing(runs: Sequence[Run], there: Sequence[Row]) -> list[Run]:
    """The runs whose rows are not there, or were made of something else."""
    # A peer that has 4 connections itself is the same where they are varied.
    made = [(row["key"], row["nconnect"], _seed(row)) for row in there]
    wanted = len(course.DIRECTIONS)
    return [
        run
        for run in runs
        if made.count((run.key, run.cell.nconnect, run.seed)) < wanted
    ]


class Estimate:
    """How long the rest takes, going by what was done so far."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = len(runs)
        self._all = sum(run.cell.cost for run in runs)
        self._cost, self._done = 0.0, 0
        self._start = time.monotonic()
        self._lock = threading.Lock()

    def add(self, run: Run) -> None:
        """A run is over."""
        with self._lock:
            self._cost += run.cell.cost
            self._done += 1

    def __str__(self) -> str:
        text = f"{self._done} of {self._runs}"
        if not self._done:
            return text
        passed = time.monotonic() - self._start
        left = passed * (self._all / self._cost - 1)
        return f"{text}, {clock(left)} left"


def clock(seconds: float) -> str:
    """A length of time for people."""
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min"


def images(
    trees: tree.Trees, wanted: Sequence[tuple[str, str]], say: Progress
) -> dict[tuple[str, str], tuple[str, Path]]:
    """Base and image by the base that was asked for and the kernel's kind."""
    made: dict[tuple[str, str], tuple[str, Path]] = {}
    for base, kind in sorted(set(wanted)):
        of = tree.make(base, None, say=say) if base else trees
        stock = kind == "stock"
        folder = of.stock if stock else of.patched
        key = of.stock_key if stock else of.patched_key
        made[base, kind] = (of.base, image.build(folder, key, say))
    return made


def run(
    trees: tree.Trees,
    chosen: Sequence[Cell],
    peers: dict[str, Peer],
    say: Progress,
    file: Path = FILE,
) -> tuple[list[Row], list[str]]:
    """Measure what is missing; all rows of the choice, and what failed."""
    kinds = [
        (cell.base, peer.kernel) for cell in chosen for peer in peers.values()
    ]
    made = images(trees, kinds, say)
    runs = [
        Run(cell, peer_name, peer, *made[cell.base, peer.kernel], seed)
        for cell in chosen
        for peer_name, peer in peers.items()
        for seed in cell.seeds
    ]
    todo = {
        str(index): one
        for index, one in enumerate(
            # The longest first, so that they do not end alone.
            sorted(
                missing(runs, read(file)),
                key=lambda one: one.cell.cost,
                reverse=True,
            )
        )
    }
    estimate = Estimate(list(todo.values()))
    failures: list[str] = []

    def ended(task: batch.Task, result: Row) -> None:
        one = todo[task.name]
        try:
            table.merge(rows(one, result, one.key), file, name)
            if one.cell == PICTURED:
                table.merge([windows(one, result)], COURSES_FILE, _course_name)
        except (
            LabError,
            StopIteration,
            IndexError,
            ZeroDivisionError,
        ) as error:
            failures.append(f"{one}: {error!r}")
        estimate.add(one)

    def failed(task: batch.Task, error: LabError) -> None:
        one = todo[task.name]
        failures.append(f"{one}: {error}")
        estimate.add(one)

    tasks = [
        batch.Task(number, one.image, one.plan, one.seed)
        for number, one in todo.items()
    ]
    batch.run(tasks, lambda text: say(f"{estimate}: {text}"), ended, failed)
    keys = {one.key for one in runs}
    return [row for row in read(file) if row["key"] in keys], failures


def again(
    trees: tree.Trees,
    chosen: Sequence[Cell],
    peers: dict[str, Peer],
    say: Progress,
) -> tuple[int, list[str]]:
    """Measure once more, and keep nothing.

    Returns how many rows were compared with those that are known, and what
    differs or went wrong.
    """
    known = {name(row): row for row in read()}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, FILE.name)
        found, wrong = run(trees, chosen, peers, say, file)
    pairs = [(known[name(row)], row) for row in found if name(row) in known]
    wrong += [line for pair in pairs for line in differences(*pair)]
    return len(pairs), wrong


def differences(before: Row, after: Row) -> list[str]:
    """What differs in two rows of the same name, a line each."""
    what = f"{compare.label(after)}, {after['peer']}"
    return [
        f"{what}: {key} was {before.get(key)}, is {after.get(key)}"
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    ]
