# SPDX-License-Identifier: GPL-2.0
"""What other people's documents promise, measured: headlines.toml has them.

Each row is a set-up of a headline: as it was then, with the document's own
remedy, and with this project. Rows go to Documentation/bench/headlines.csv as
soon as they are measured. As in the bench, a row has the key of all that it was
made of, and is measured again when that has changed.
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


@dataclass(frozen=True)
class Metric:
    """How a figure and its physical limit are made of a phase.

    floor: the limit is what it takes at least, not what is had at most.
    """

    unit: str
    value: Callable[[Row], float]
    limit: Callable[[Row, scenario.Client], float]
    floor: bool = False


def _rate_limit(_: Row, client: scenario.Client) -> float:
    return _payload(client) / 1e6


def _pages_limit(_: Row, client: scenario.Client) -> float:
    return _payload(client) * 2 * client.delay_ms / 1e3 / PAGE_BYTES


METRICS = {
    "cold write": Metric("MB/s", _first, _rate_limit),
    "second write": Metric("MB/s", _copy, _rate_limit),
    "read": Metric("MB/s", _copy, _rate_limit),
    "4 KiB reads": Metric("per s", _reads, _reads_limit),
    "send buffers": Metric("pages", _pages, _pages_limit, floor=True),
}


@dataclass(frozen=True)
class Run:
    """One boot, and the rows that come of it."""

    headline: Headline
    setups: tuple[Setup, ...]
    base: str
    image: Path

    @property
    def plan(self) -> scenario.Scenario:
        """What is run."""
        return scenario.load(self.headline.scenario, self.setups[0].setup)

    @property
    def key(self) -> str:
        """What its figures depend on."""
        return bench.key(self.image, self.plan)


def figures(run: Run, result: Row) -> list[Row]:
    """The figures of a run."""
    bench.check_daemons(result)
    phases = {phase["name"]: phase for phase in result["phases"]}
    client = next(iter(run.plan.clients.values()))
    found = []
    for one in run.setups:
        measure = one.metric or run.headline.metric
        metric, phase = METRICS[measure], phases[one.phase]
        found.append(
            {
                "headline": run.headline.name,
                "setup": one.title,
                "kernel": f"{run.base} {one.kernel}",
                "metric": f"{measure}, {metric.unit}",
                "value": round(metric.value(phase), 3),
                "limit": round(metric.limit(phase, client), 3),
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


def missing(wanted: Sequence[Run], there: Sequence[Row]) -> list[Run]:
    """The runs of which a row is not there, or was made of something else."""
    found = {(*STORE.named(row), row["key"]) for row in there}
    return [
        run
        for run in wanted
        if not found.issuperset(
            (run.headline.name, one.title, run.key) for one in run.setups
        )
    ]


def run(trees: tree.Trees, say: Progress) -> int:
    """Measure what is missing, print the table."""
    headlines = load()
    digests.check_binary(bench.DAEMON)
    kinds = [("", one.kernel) for h in headlines for one in h.setups]
    wanted = runs(headlines, bench.images(trees, kinds, say))
    todo = {
        str(index): one
        for index, one in enumerate(missing(wanted, STORE.read()))
    }
    failures: list[str] = []

    def ended(task: batch.Task, result: Row) -> None:
        try:
            STORE.merge(figures(todo[task.name], result))
        except LabError as error:
            failed(task, error)

    def failed(task: batch.Task, error: LabError) -> None:
        one = todo[task.name]
        failures.append(f"{one.headline.name}, {one.setups[0].setup}: {error}")

    tasks = [batch.Task(n, one.image, one.plan) for n, one in todo.items()]
    batch.run(tasks, say, ended, failed)
    say.clear()
    keys = {one.key for one in wanted}
    known = [row for row in STORE.read() if row["key"] in keys]
    there = ordered(headlines, known)
    print("\n".join(text(there)))
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    print(f"\nThe figures are in {STORE.file}.")
    return 1 if failures else 0


def ordered(headlines: Sequence[Headline], there: Sequence[Row]) -> list[Row]:
    """The rows that the headlines ask for, in their order."""
    found = {STORE.named(row): row for row in there}
    names = [(h.name, one.title) for h in headlines for one in h.setups]
    return [found[one] for one in names if one in found]


def _cells(row: Row) -> list[str]:
    """A row for people."""
    what, unit = row["metric"].rsplit(", ", 1)
    digits = 1 if row["limit"] < 1000 else 0
    least = "at least " if METRICS[what].floor else ""
    return [
        row["headline"],
        row["setup"],
        row["kernel"],
        f"{row['value']:,.{digits}f} {unit}",
        f"{least}{row['limit']:,.{digits}f}",
        f"{100 * row['value'] / row['limit']:.0f} %",
    ]


HEAD = ("headline", "set-up", "kernel", "measured", "limit", "of it")


def text(there: Sequence[Row]) -> list[str]:
    """The table for a terminal."""
    lines = []
    for row in there:
        headline, setup, _, *figures = _cells(row)
        lines.append([f"{headline}: {setup}", *figures])
    return chart.table(["headline: set-up", *HEAD[3:]], lines)
