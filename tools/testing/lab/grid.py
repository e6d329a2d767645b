# SPDX-License-Identifier: GPL-2.0
"""The grid: what a path reaches with nothing configured, cell by cell.

A cell is a path (rate and RTT) and a version of NFS, with a mount that writes
and one that reads. Steady is the rate from when it must have settled to the
end; settled is the first second at SETTLED of the limit.

Setups: "default" has no daemon; "tcptuned" starts one on every host when all
is mounted; with "boot" they are there before the mounts.

A cell goes to out/grid.csv as soon as it is measured.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
from dataclasses import dataclass

from tools.kernel import cli, tree
from tools.kernel.progress import Progress
from tools.kernel.tree import Trees
from tools.testing.lab import course, image, rows, scenario
from tools.testing.lab.bench import chart
from tools.testing.lab.guest import batch
from tools.testing.lab.rows import Row, Store
from tools.testing.lab.wire import payload_mb_per_s

RATES_MBIT = (100, 1000, 10000)
RTTS_MS = (0.2, 10, 30, 60, 120, 200)
VERSIONS = ("3", "4.2")
SETTLED = 0.97
# What is allowed for settling, and how long the steady rate is looked at.
SETTLE_S, SETTLE_RTTS, STEADY_S = 5, 20, 4
# Memory of the guest in MB, and MiB of the file that is written round and
# round: more than may be dirty, so that no dirty page is written twice.
ROOM = {
    100: (2500, 700),
    1000: (3000, 900),
    10000: (11000, 3000),
    40000: (11000, 3000),
}

SETUPS = ("default", "tcptuned", "boot")

NAME = ("kernel", "setup", "rate_mbit", "rtt_ms", "nfs", "direction")
STORE = Store(
    tree.REPO / "out" / "grid.csv",
    NAME,
    (
        *("mb_per_s", "limit_mb_per_s", "settle_s", "deadline_s"),
        *("tcp_mem_bytes", "date"),
    ),
    frozenset(("kernel", "setup", "nfs", "direction", "date")),
)


@dataclass(frozen=True)
class Cell:
    """A path and the version of NFS that goes over it."""

    rate_mbit: int
    rtt_ms: float
    nfs: str

    def __str__(self) -> str:
        return f"{self.rate_mbit} Mbit/s x {self.rtt_ms:g} ms NFSv{self.nfs}"

    @property
    def limit(self) -> float:
        """Payload that the path carries at most, in MB/s."""
        return payload_mb_per_s(self.rate_mbit)

    @property
    def deadline_s(self) -> float:
        """Seconds after its first byte by which a transfer must settle."""
        return SETTLE_S + SETTLE_RTTS * self.rtt_ms / 1e3


CELLS = tuple(
    itertools.starmap(Cell, itertools.product(RATES_MBIT, RTTS_MS, VERSIONS))
)
CORNERS = tuple(
    Cell(rate, rtt, nfs)
    for rate, rtt, nfs in ((100, 200, "3"), (1000, 30, "4.2"), (10000, 30, "3"))
)


def plan(cell: Cell, setup: str) -> scenario.Scenario:
    """The scenario of a cell."""
    base = scenario.load("grid", "tcptuned" if setup == "boot" else setup)
    clients = {
        name: dataclasses.replace(
            client,
            rate_mbit=cell.rate_mbit,
            delay_ms=cell.rtt_ms / 2,
            nfs=cell.nfs,
        )
        for name, client in base.clients.items()
    }
    # The first byte comes a few round trips after the start.
    seconds = cell.deadline_s + STEADY_S + 5 * cell.rtt_ms / 1e3
    memory_mb, write_mib = ROOM[cell.rate_mbit]

    def laid_over(job: scenario.Job) -> scenario.Job:
        return dataclasses.replace(
            job,
            seconds=seconds if job.seconds else 0,
            size_mib=write_mib if job.do == "write" else job.size_mib,
        )

    phases = [
        dataclasses.replace(phase, jobs=[laid_over(job) for job in phase.jobs])
        for phase in base.phases
    ]
    return dataclasses.replace(
        base,
        clients=clients,
        phases=phases,
        memory_mb=memory_mb,
        daemons_first=setup == "boot",
    )


def run(
    trees: Trees,
    kernel: str,
    setup: str,
    cells: tuple[Cell, ...],
    say: Progress,
) -> list[Row]:
    """Measure cells; their rows."""
    stock = kernel == "stock"
    path = image.build(
        trees.stock if stock else trees.patched,
        trees.stock_key if stock else trees.patched_key,
        say,
    )
    of_task = {str(cell): cell for cell in cells}
    measured: list[Row] = []

    def ended(task: batch.Task, result: Row) -> None:
        found = figures(
            of_task[task.name], result, f"{trees.base} {kernel}", setup
        )
        STORE.merge(found)
        measured.extend(found)

    tasks = [
        batch.Task(name, path, plan(cell, setup))
        for name, cell in of_task.items()
    ]
    batch.run(tasks, say, ended)
    return measured


def table(measured: list[Row]) -> str:
    """Rows for a person to read."""
    head = ("path", "direction", "MB/s", "of limit", "settled s", "TCP MB")
    lines = [
        [
            str(Cell(row["rate_mbit"], row["rtt_ms"], row["nfs"])),
            row["direction"],
            f"{row['mb_per_s']:.1f}",
            f"{row['mb_per_s'] / row['limit_mb_per_s']:.1%}",
            "never" if row["settle_s"] is None else f"{row['settle_s']:.1f}",
            f"{row['tcp_mem_bytes'] / 1e6:.0f}",
        ]
        for row in sorted(measured, key=STORE.named)
    ]
    return "\n".join(chart.table(head, lines))


def figures(cell: Cell, result: Row, kernel: str, setup: str) -> list[Row]:
    """The figures of a cell, one row a direction."""
    phases = {phase["name"]: phase for phase in result["phases"]}
    return [
        {
            "rate_mbit": cell.rate_mbit,
            "rtt_ms": cell.rtt_ms,
            "direction": direction,
            "nfs": cell.nfs,
            "kernel": kernel,
            "setup": setup,
            **_figures(cell, course.total(phases[direction], direction)),
            "deadline_s": cell.deadline_s,
            "date": rows.today(),
            "tcp_mem_bytes": phases[direction]["tcp_mem_pages"] * 4096,
        }
        for direction in course.DIRECTIONS
    ]


def _figures(cell: Cell, moved: course.Course) -> Row:
    """Steady rate, and when it was reached, from the first byte on."""
    moved = course.begun(moved)
    end = cell.deadline_s + STEADY_S
    return {
        "mb_per_s": course.mean(moved, cell.deadline_s, end),
        "limit_mb_per_s": cell.limit,
        "settle_s": course.reached(moved, SETTLED * cell.limit),
    }


def _command(options: argparse.Namespace, say: Progress) -> int:
    trees = cli.trees(options, say)
    cells = tuple(
        cell
        for cell in (CORNERS if options.quick else CELLS)
        if cell.rate_mbit in (options.rate or RATES_MBIT)
        and cell.rtt_ms in (options.rtt or RTTS_MS)
    )
    measured = run(trees, options.kernel, options.setup, cells, say)
    say.clear()
    print(table(measured))
    print(f"\nThe figures are in {STORE.file}.")
    return 0


def add_command(commands: cli.Commands) -> None:
    """Add the command that measures cells."""
    parser = commands.add(
        "grid", _command, "what every path reaches with tcptuned on both ends"
    )
    image.option(parser)
    parser.add_argument(
        "--setup",
        choices=SETUPS,
        default="tcptuned",
        help="no daemon, daemons after the mounts, or before them [tcptuned]",
    )
    parser.add_argument("--quick", action="store_true", help="only a few cells")
    for word, of, values in (
        ("--rate", "Mbit/s", RATES_MBIT),
        ("--rtt", "ms", RTTS_MS),
    ):
        parser.add_argument(
            word,
            action="append",
            type=float,
            choices=values,
            help=f"only cells of this many {of}",
        )
