# SPDX-License-Identifier: GPL-2.0
"""The bench: this project beside what one would do instead, cell by cell.

Each cell is one boot for each peer, or several where chance has a part: a write,
then a read, each on a mount of its own, and beside them a client on a LAN that
asks for attributes. A row goes to Documentation/bench/rows.csv as soon as it is
measured, with the date, the digests of the code, and the key of all that it was
made of. A cell whose key is another by now is measured again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.kernel import tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Progress
from tools.testing.lab import course, digests, image, rows, scenario
from tools.testing.lab.bench import cells
from tools.testing.lab.bench.cells import Cell, Peer
from tools.testing.lab.guest import batch
from tools.testing.lab.rows import Row, Store

DAEMON = tree.folder() / "tcptuned" / "tcptuned"
FOLDER = tree.REPO / "Documentation" / "bench"
# What pictures show over time: the connection of a read, sample by sample.
PICTURED = Cell(10000, 30, "4.2")
# So long, until nothing changes any more.
PICTURED_S = 3
# Cold is the mean of so long, from the start of the transfer.
COLD_S = 5.0
T90 = 0.9

# What says of what code a row is; without a key nobody knows.
MADE_OF = ("date", "series", "daemon", "key")
STORE = Store(
    FOLDER / "rows.csv",
    (
        *("rate_mbit", "rtt_ms", "nfs", "cc", "loss", "mtu", "nconnect"),
        *("direction", "peer", "kernel", "seed"),
    ),
    # draws: how many seeds a row is the mean of.
    (
        *("draws", "mb_per_s", "cold_mb_per_s", "t90_s", "tcp_mem_mb"),
        *("lan_p50_ms", "lan_p99_ms", *MADE_OF),
    ),
    frozenset(("kernel", "peer", "nfs", "cc", "direction", *MADE_OF)),
)
COURSES = Store(
    FOLDER / "window.csv",
    ("peer", "t_s"),
    ("window_mb", "flight_mb", "date", "key"),
    frozenset(("peer", "date", "key")),
)


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
    return digests.of(
        (path.parent / image.KEY).read_bytes(),
        json.dumps(scenario.to_dict(plan), sort_keys=True).encode(),
        digests.daemon().encode() if _has_daemon(plan) else b"",
    )


def made_of(base: str, path: Path, plan: scenario.Scenario, kind: str) -> Row:
    """Today's date, the digests of the code of a run, and its key."""
    return {
        "date": rows.today(),
        "series": digests.series(base) if kind == "patched" else "",
        "daemon": digests.daemon() if _has_daemon(plan) else "",
        "key": key(path, plan),
    }


def _has_daemon(plan: scenario.Scenario) -> bool:
    return any([plan.server.daemon, *(c.daemon for c in plan.clients.values())])


def check_daemons(result: Row) -> None:
    """Raise LabError when a daemon did not run to the end."""
    for host, daemon in result["daemons"].items():
        if daemon["exit"] or daemon["ended_early"]:
            raise LabError(f"the daemon of {host} failed: {daemon['output']}")


def figures(run: Run, result: Row) -> list[Row]:
    """The rows of a run, one a direction."""
    check_daemons(result)
    path = {k: v for k, v in asdict(run.cell).items() if k != "base"}
    common = {
        **path,
        "kernel": f"{run.base} {run.peer.kernel}",
        "peer": run.peer_name,
        "seed": run.seed,
        "draws": 1,
        **made_of(run.base, run.image, run.plan, run.peer.kernel),
    }
    phases = {phase["name"]: phase for phase in result["phases"]}
    return [
        {**common, "direction": direction, **rows.rounded(_figures(run.cell, phases, direction))}
        for direction in course.DIRECTIONS
    ]


def _figures(cell: Cell, phases: dict[str, Row], direction: str) -> Row:
    phase = phases[direction]
    moved = course.total(phase, direction)
    from_first = course.begun(moved)
    lan = next(job for job in phase["jobs"] if job["do"] == "stat")
    return {
        "mb_per_s": course.mean(from_first, cell.deadline_s, cell.end_s),
        "cold_mb_per_s": course.mean(moved, 0, COLD_S),
        "t90_s": course.reached(from_first, T90 * cell.limit),
        "tcp_mem_mb": phase["tcp_mem_pages"] * 4096 / 1e6,
        "lan_p50_ms": lan["p50_ms"],
        "lan_p99_ms": lan["p99_ms"],
    }


def windows(run: Run, result: Row) -> list[Row]:
    """The course of a read's connection."""
    phase = next(one for one in result["phases"] if one["name"] == "read")
    seen = course.windows(phase, course.ADDRESSES["read"])
    common = {"peer": run.peer_name, "date": rows.today(), "key": run.key}
    return [
        rows.rounded({**common, "t_s": t_s, "window_mb": window / 1e6, "flight_mb": flight / 1e6})
        for t_s, window, flight in zip(*seen.values(), strict=True)
        if t_s <= PICTURED_S
    ]


def missing(runs: Sequence[Run], there: Sequence[Row]) -> list[Run]:
    """The runs whose rows are not there, or were made of something else."""
    # A peer that has 4 connections itself is the same where they are varied.
    made = [(row["key"], row["nconnect"], row["seed"]) for row in there]
    wanted = len(course.DIRECTIONS)
    return [run for run in runs if made.count((run.key, run.cell.nconnect, run.seed)) < wanted]


def is_stale(run: Run, there: Sequence[Row]) -> bool:
    """Whether a run that is missing has rows, of another seed perhaps."""
    return any(
        row["peer"] == run.peer_name
        and row["kernel"].split()[0] == run.base
        and all(
            row[column] == value for column, value in asdict(run.cell).items() if column != "base"
        )
        for row in there
    )


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
    *,
    only_stale: bool = False,
    again: bool = False,
) -> tuple[list[Row], list[str]]:
    """Measure what is missing, or all; the choice's rows, and what failed."""
    kinds = [(cell.base, peer.kernel) for cell in chosen for peer in peers.values()]
    made = images(trees, kinds, say)
    runs = [
        Run(cell, peer_name, peer, *made[cell.base, peer.kernel], seed)
        for cell in chosen
        for peer_name, peer in peers.items()
        for seed in cell.seeds
    ]
    if any(peer.daemon for peer in peers.values()):
        digests.check_binary(DAEMON)
    there = [] if again else STORE.read()
    ordered = in_order(runs, there, only_stale=only_stale)
    todo = {str(index): one for index, one in enumerate(ordered)}
    failures: list[str] = []

    def ended(task: batch.Task, result: Row) -> None:
        one = todo[task.name]
        try:
            merge(STORE, figures(one, result))
            if one.cell == PICTURED:
                merge(COURSES, windows(one, result))
        except (LabError, StopIteration, IndexError, ZeroDivisionError) as error:
            failures.append(f"{one}: {error!r}")

    def failed(task: batch.Task, error: LabError) -> None:
        failures.append(f"{todo[task.name]}: {error}")

    tasks = [batch.Task(number, one.image, one.plan, one.seed) for number, one in todo.items()]
    batch.run(tasks, say, ended, failed)
    keys = {one.key for one in runs}
    return [row for row in STORE.read() if row["key"] in keys], failures


def in_order(runs: Sequence[Run], there: Sequence[Row], *, only_stale: bool = False) -> list[Run]:
    """What is to be measured: first what is there, but of other code.

    Of each sort the longest first, so that they do not end alone.
    """
    sorts = [(run, is_stale(run, there)) for run in missing(runs, there)]
    return [
        run
        for run, stale in sorted(sorts, key=lambda one: (one[1], one[0].cell.cost), reverse=True)
        if stale or not only_stale
    ]


def merge(store: Store, new: Sequence[Row]) -> None:
    """Keep rows; one that is as before keeps its date, too."""
    there = {store.named(row): row for row in store.read()}
    store.merge(
        row for row in new if {**there.get(store.named(row), {}), "date": row["date"]} != row
    )
