# SPDX-License-Identifier: GPL-2.0
"""What other people's documents promise, measured: headlines.toml has them.

Each row is a set-up of a headline: as it was then, with the document's own
remedy, and with this project. Rows go to Documentation/bench/headlines.csv as
soon as they are measured, in minutes for all of them.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.kernel import tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Progress
from tools.testing.lab import digests, scenario
from tools.testing.lab.bench import bench, chart
from tools.testing.lab.guest import batch
from tools.testing.lab.rows import Row, Store
from tools.testing.lab.wire import PAYLOAD_SHARE

HEADLINES_FILE = Path(__file__).with_name("headlines.toml")
TEXTS = ("headline", "setup", "kernel", "metric", *bench.MADE_OF)
STORE = Store(
    bench.FOLDER / "headlines.csv",
    ("headline", "setup"),
    ("kernel", "metric", "value", "limit", *bench.MADE_OF),
    frozenset(TEXTS),
)
PAGE_BYTES = 4096
# Of the readers of 2013: from all being at speed to the first being done.
STEADY_S = (2.5, 4.25)


@dataclass(frozen=True)
class Setup:
    """A row: a setup of the scenario, on a kernel, and the phase to look at.

    metric: another one than the headline's.
    """

    title: str
    kernel: str
    setup: str
    phase: str
    metric: str = ""


@dataclass(frozen=True)
class Headline:
    """What stands for a document. metric: a key of METRICS."""

    name: str
    scenario: str
    metric: str
    setups: tuple[Setup, ...]


def load(file: Path = HEADLINES_FILE) -> list[Headline]:
    """All headlines. LabError names what is wrong with the file."""
    try:
        tables = tomllib.loads(file.read_text())
        return [
            Headline(
                **{
                    **one,
                    "name": name,
                    "setups": tuple(Setup(**row) for row in one["setups"]),
                }
            )
            for name, one in tables.items()
        ]
    except (OSError, tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        raise LabError(f"{file}: {error!r}") from None


def copied(output: str) -> list[tuple[int, float]]:
    """Bytes and seconds of each dd that ended well, from what they said."""
    found = re.findall(
        r"^(\d+) bytes .*copied, ([\d.]+(?:e-?\d+)?) s,", output, re.MULTILINE
    )
    return [(int(size), float(seconds)) for size, seconds in found]


def _together(phase: Row) -> tuple[int, float]:
    """What the phase's processes copied, and in how long: all start at once."""
    job = phase["jobs"][0]
    done = copied(job["output"])
    if job["exit"] or not done:
        raise LabError(f"phase {phase['name']!r}: {job['output']}")
    return sum(size for size, _ in done), max(seconds for _, seconds in done)


def _payload(client: scenario.Client) -> float:
    """Bytes per second that a path carries at most."""
    return client.rate_mbit * 1e6 / 8 * PAYLOAD_SHARE


def _first(phase: Row) -> float:
    """A job that writes: its first pass, on a fresh mount."""
    rate: float = phase["jobs"][0]["passes"][0]["mb_per_s"]
    return rate


def _copy(phase: Row) -> float:
    """Of a phase of dd, or of a job that reads: its last pass."""
    job = phase["jobs"][0]
    if "passes" in job:
        rate: float = job["passes"][-1]["mb_per_s"]
        return rate
    size, seconds = _together(phase)
    return size / seconds / 1e6


def _reads(phase: Row) -> float:
    size, seconds = _together(phase)
    return size / PAGE_BYTES / seconds


def _reads_limit(phase: Row, client: scenario.Client) -> float:
    """A reader waits for a round trip; the path carries so many replies."""
    readers = len(copied(phase["jobs"][0]["output"]))
    return min(
        readers / (2 * client.delay_ms / 1e3), _payload(client) / PAGE_BYTES
    )


def _pages(phase: Row) -> float:
    """What lies in the send buffers of all connections, on average."""
    held = [
        sum(one["queued_bytes"] for one in sample["server_sockets"].values())
        for sample in phase["samples"]
        if STEADY_S[0] <= sample["t_s"] <= STEADY_S[1]
    ]
    if not held:
        raise LabError(f"phase {phase['name']!r}: no sample in {STEADY_S} s")
    pages: float = sum(held) / len(held) / PAGE_BYTES
    return pages


def _rate_limit(_: Row, client: scenario.Client) -> float:
    return _payload(client) / 1e6


def _pages_limit(_: Row, client: scenario.Client) -> float:
    return _payload(client) * 2 * client.delay_ms / 1e3 / PAGE_BYTES


# Unit, and how a figure and its physical limit are made of a phase. The limit of
# pages is what it takes at least, the others are what is had at most.
Value = Callable[[Row], float]
Limit = Callable[[Row, scenario.Client], float]
METRICS: dict[str, tuple[str, Value, Limit]] = {
    "cold write": ("MB/s", _first, _rate_limit),
    "second write": ("MB/s", _copy, _rate_limit),
    "read": ("MB/s", _copy, _rate_limit),
    "4 KiB reads": ("per s", _reads, _reads_limit),
    "send buffers": ("pages", _pages, _pages_limit),
}


@dataclass(frozen=True)
class Run:
    """One boot, and the rows that come of it."""

    headline: Headline
    setups: tuple[Setup, ...]
    base: str
    image: Path

    def __str__(self) -> str:
        return f"{self.headline.name}, {self.setups[0].setup}"

    @property
    def plan(self) -> scenario.Scenario:
        """What is run."""
        return scenario.load(self.headline.scenario, self.setups[0].setup)


def figures(run: Run, result: Row) -> list[Row]:
    """The figures of a run."""
    bench.check_daemons(result)
    phases = {phase["name"]: phase for phase in result["phases"]}
    client = next(iter(run.plan.clients.values()))
    found = []
    for one in run.setups:
        measure = one.metric or run.headline.metric
        (unit, value, limit), phase = METRICS[measure], phases[one.phase]
        found.append(
            {
                "headline": run.headline.name,
                "setup": one.title,
                "kernel": f"{run.base} {one.kernel}",
                "metric": f"{measure}, {unit}",
                "value": round(value(phase), 3),
                "limit": round(limit(phase, client), 3),
                **bench.made_of(run.base, run.image, run.plan, one.kernel),
            }
        )
    return found


def runs(
    headlines: Sequence[Headline],
    made: dict[tuple[str, str], tuple[str, Path]],
) -> list[Run]:
    """The boots that the headlines take, each kernel and setup once."""
    boots: dict[tuple[str, str, str], list[Setup]] = {}
    of = {one.name: one for one in headlines}
    for headline in headlines:
        for one in headline.setups:
            boot = (headline.name, one.kernel, one.setup)
            boots.setdefault(boot, []).append(one)
    return [
        Run(of[headline], tuple(setups), *made["", kernel])
        for (headline, kernel, _), setups in boots.items()
    ]


def run(trees: tree.Trees, say: Progress) -> int:
    """Measure all of them, print the table."""
    headlines = load()
    digests.check_binary(bench.DAEMON)
    kinds = [("", one.kernel) for h in headlines for one in h.setups]
    todo = {
        str(index): one
        for index, one in enumerate(
            runs(headlines, bench.images(trees, kinds, say))
        )
    }
    failures: list[str] = []

    def ended(task: batch.Task, result: Row) -> None:
        try:
            STORE.merge(figures(todo[task.name], result))
        except LabError as error:
            failed(task, error)

    def failed(task: batch.Task, error: LabError) -> None:
        failures.append(f"{todo[task.name]}: {error}")

    tasks = [batch.Task(n, one.image, one.plan) for n, one in todo.items()]
    batch.run(tasks, say, ended, failed)
    say.clear()
    print(text(STORE.read()))
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    print(f"\nThe figures are in {STORE.file}.")
    return 1 if failures else 0


def text(there: Sequence[Row]) -> str:
    """The table for a terminal."""
    lines = [
        [
            f"{row['headline']}: {row['setup']}",
            row["metric"],
            f"{row['value']:,.1f}",
            f"{row['limit']:,.1f}",
            f"{row['value'] / row['limit']:.0%}",
        ]
        for row in there
    ]
    head = ["headline: set-up", "metric", "value", "limit", "of it"]
    return "\n".join(chart.table(head, lines))
