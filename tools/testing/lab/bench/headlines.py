# SPDX-License-Identifier: GPL-2.0
"""What other people's documents promise, measured: headlines.toml has them.

Each row is a set-up of a headline: as it was then, with the document's own
remedy, and with this project. Rows go to out/headlines.json as soon as they are
measured, and out/headlines.rst is their page. As in the bench, a row has the
key of all that it was made of, and is measured again when that has changed.
"""

from __future__ import annotations

import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.kernel import overlay, tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Progress
from tools.testing.lab import scenario
from tools.testing.lab.bench import bench, chart, compare, table
from tools.testing.lab.guest import batch
from tools.testing.lab.wire import PAYLOAD_SHARE

HEADLINES_FILE = Path(__file__).with_name("headlines.toml")
FILE = tree.REPO / "out" / "headlines.json"
PAGE = FILE.with_suffix(".rst")
PAGE_BYTES = 4096
# Of the readers of 2013: from all being at speed to the first being done.
STEADY_S = (2.5, 4.25)

Row = dict[str, Any]


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
    """What a document says, and what stands for it here.

    said: its figures. metric: a key of METRICS. path: what was the set-up, and
    what stands for it. bound: why the figures are what they are.
    """

    name: str
    document: str
    said: str
    scenario: str
    metric: str
    path: str
    bound: str
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


def name(row: Row) -> tuple[Any, ...]:
    """What tells a row from others."""
    return (row["headline"], row["setup"])


def rows(run: Run, result: Row) -> list[Row]:
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
                "document": run.headline.document,
                "setup": one.title,
                "kernel": f"{run.base} {one.kernel}",
                "metric": f"{measure}, {metric.unit}",
                "value": metric.value(phase),
                "limit": metric.limit(phase, client),
                "key": run.key,
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
    found = {(*name(row), row["key"]) for row in there}
    return [
        run
        for run in wanted
        if not found.issuperset(
            (run.headline.name, one.title, run.key) for one in run.setups
        )
    ]


def run(trees: tree.Trees, say: Progress, file: Path = FILE) -> int:
    """Measure what is missing, print the table, write the page."""
    headlines = load()
    kinds = [("", one.kernel) for h in headlines for one in h.setups]
    wanted = runs(headlines, bench.images(trees, kinds, say))
    todo = {
        str(index): one
        for index, one in enumerate(missing(wanted, table.read(file, name)))
    }
    failures: list[str] = []

    def ended(task: batch.Task, result: Row) -> None:
        try:
            table.merge(rows(todo[task.name], result), file, name)
        except LabError as error:
            failed(task, error)

    def failed(task: batch.Task, error: LabError) -> None:
        one = todo[task.name]
        failures.append(f"{one.headline.name}, {one.setups[0].setup}: {error}")

    tasks = [batch.Task(n, one.image, one.plan) for n, one in todo.items()]
    batch.run(tasks, say, ended, failed)
    say.clear()
    keys = {one.key for one in wanted}
    known = [row for row in table.read(file, name) if row["key"] in keys]
    there = ordered(headlines, known)
    print("\n".join(text(there)))
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    overlay.replace(file.with_suffix(PAGE.suffix), page(headlines, there))
    print(f"\nThe figures are in {file}, a page of them beside it.")
    return 1 if failures else 0


def ordered(headlines: Sequence[Headline], there: Sequence[Row]) -> list[Row]:
    """The rows that the headlines ask for, in their order."""
    found = {name(row): row for row in there}
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


PAGE_HEAD = """\
.. SPDX-License-Identifier: GPL-2.0
.. Written by lab bench --headlines; lab.rst says how.
"""
HEAD = ("headline", "set-up", "kernel", "measured", "limit", "of it")


def text(there: Sequence[Row]) -> list[str]:
    """The table for a terminal."""
    lines = []
    for row in there:
        headline, setup, _, *figures = _cells(row)
        lines.append([f"{headline}: {setup}", *figures])
    return chart.table(["headline: set-up", *HEAD[3:]], lines)


def page(headlines: Sequence[Headline], there: Sequence[Row]) -> str:
    """The table as a part of a page, and what to know of each headline."""
    parts = [
        PAGE_HEAD,
        compare.list_table(HEAD, [_cells(row) for row in there]),
    ]
    for one in headlines:
        words = f"{one.document}: {one.said}. {one.path} {one.bound}"
        lines = textwrap.fill(
            " ".join(words.split()),
            width=79,
            initial_indent="    ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        parts.append(f"{one.name}\n{lines}\n")
    return "\n".join(parts)
