# SPDX-License-Identifier: GPL-2.0
"""What the series costs the processor: stock against patched, side by side.

Simulated time has no cost of code, so these guests run in real time. What a
processor does in a second depends on what else the machine does, by more than
the series costs. So all kinds of a block run at once on one processor, in step,
and its scheduler has them take turns every few milliseconds: whatever comes from
outside meets all of them alike. Only the ratio of two kinds of a block is a
figure, never the time itself. The last kind is the stock kernel once more: its
ratios are 1 but for what the method cannot see.

The cost is that of the guest's main process, as the host counts it. It is all of
the guest's kernel, server and client, with what the host's kernel does for it.
The guest's programs run in processes of their own, and are not what the series
changes. The guest's own /proc/stat would count ticks of the host's clock, also
those during which the host ran something else.
"""

from __future__ import annotations

import itertools
import os
import re
import signal
import statistics
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Barrier, BrokenBarrierError

from tools.kernel import tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Progress, Say
from tools.testing.lab import digests, rows, scenario
from tools.testing.lab.bench import bench, chart
from tools.testing.lab.guest import guest
from tools.testing.lab.rows import Row, Store

TEXTS = ("calls", "kind", "kernel", "unit", "date", "series")
STORE = Store(
    bench.FOLDER / "cost.csv",
    ("calls", "kind"),
    (
        *("kernel", "unit", "pairs", "median", "low", "high", "confidence"),
        *("date", "series"),
    ),
    frozenset(TEXTS),
)
SCENARIO = "cost"
# As few as make the smallest and the largest ratio an interval of 95 %.
BLOCKS = 6
# What the scenario says on the console when it begins, and in between.
MEASURED = ("getattr", "read 4 KiB", "read 1 MiB", "write 1 MiB")
REST = "rest"

# Cost per RPC, by what they are.
Costs = dict[str, float]
# As bench.images() has them.
Images = dict[tuple[str, str], tuple[str, Path]]


@dataclass(frozen=True)
class Kind:
    """A kernel and the setup that it runs with."""

    name: str
    kernel: str
    setup: str = "default"


BASE = Kind("stock", "stock")
OTHERS = (
    Kind("patched", "patched"),
    Kind("patched, values set", "patched", "values"),
    Kind("stock again", "stock"),
)
KINDS = (BASE, *OTHERS)


class Watch:
    """Hears how far a guest is, and reads its processor time each time.

    The guest stands still until all of the block are as far.
    """

    def __init__(self, name: str, barrier: Barrier, say: Say) -> None:
        self._name = name
        self._barrier = barrier
        self._say = say
        self._marks: list[tuple[str, int]] = []

    def __call__(self, text: str) -> None:
        """Take a line of progress."""
        self._say(text)
        mark = text.removeprefix(f"{self._name}: ")
        if mark not in (*MEASURED, REST):
            return
        process = guest.process(self._name)
        os.kill(process, signal.SIGSTOP)
        self._barrier.wait()
        used = Path(f"/proc/{process}/schedstat").read_text().split()[0]
        self._marks.append((mark, int(used)))
        os.kill(process, signal.SIGCONT)

    def costs(self) -> Counter[str]:
        """Nanoseconds from each mark to the next one, by its name."""
        used: Counter[str] = Counter()
        for (name, before), (_, after) in itertools.pairwise(self._marks):
            used[name] += after - before
        return used


def calls(phase: Row) -> Counter[str]:
    """How many RPCs the server counted, by what they were."""
    counted: Counter[str] = Counter()
    job = phase["jobs"][0]
    for number, name in re.findall(
        r"^(\d+) RPCs: (.*)$", job["output"], re.MULTILINE
    ):
        counted[name] += int(number)
    if job["exit"] or not all(counted[name] for name in MEASURED):
        raise LabError(f"the job of {SCENARIO}.toml failed: {job['output']}")
    return counted


def measure(image: Path, kind: Kind, barrier: Barrier, say: Say) -> Costs:
    """One run: the cost per RPC of all that is measured."""
    plan = replace(scenario.load(SCENARIO, kind.setup), name=kind.name)
    watch = Watch(kind.name, barrier, say)
    try:
        result = guest.run(image, plan, watch, realtime=True)
        counted = calls(result["phases"][0])
    except BaseException:
        barrier.abort()
        raise
    costs = watch.costs()
    return {name: costs[name] / counted[name] for name in MEASURED}


def spread(ratios: Sequence[float]) -> Row:
    """Their median, and the interval of the sign test around it.

    Each ratio is as likely above the true median as below, whatever they are
    distributed like. So all lie on one side of it as often as all of so many
    coins are heads, or tails.
    """
    return {
        "median": statistics.median(ratios),
        "low": min(ratios),
        "high": max(ratios),
        "confidence": 1 - 2 * 0.5 ** len(ratios),
    }


def figures(
    kernel: str, series: str, blocks: Sequence[dict[str, Costs]]
) -> list[Row]:
    """The rows of blocks."""
    common = {
        "kernel": kernel,
        "unit": "ns",
        "pairs": len(blocks),
        "date": rows.today(),
        "series": series,
    }
    found = []
    for name in MEASURED:
        for kind in OTHERS:
            ratios = [
                one[kind.name][name] / one[BASE.name][name] for one in blocks
            ]
            named = {"calls": name, "kind": kind.name}
            found.append({**named, **common, **rows.rounded(spread(ratios))})
    return found


def text(there: Sequence[Row]) -> str:
    """The table for a terminal."""
    found = {STORE.named(row): row for row in there}
    lines = []
    for name in MEASURED:
        of = [found[name, kind.name] for kind in OTHERS]
        each = (
            f"{r['median']:.3f} ({r['low']:.3f} to {r['high']:.3f})" for r in of
        )
        lines.append([name, *each])
    one = there[0]
    words = (
        f"{one['unit']} per RPC over the stock kernel's, linux {one['kernel']}: "
        f"median of {one['pairs']:g} pairs and its {one['confidence']:.0%} interval"
    )
    head = ("RPCs", *(kind.name for kind in OTHERS))
    return "\n".join([words, "", *chart.table(head, lines)])


def block(made: Images, kinds: Sequence[Kind], say: Say) -> dict[str, Costs]:
    """A run of every kind, at once: the costs by kind."""
    barrier = Barrier(len(kinds))
    with ThreadPoolExecutor(len(kinds)) as pool:
        futures = {
            kind.name: pool.submit(
                measure, made["", kind.kernel][1], kind, barrier, say
            )
            for kind in kinds
        }
        try:
            wait(futures.values())
        except BaseException:
            guest.kill_all()
            raise
    # Whoever waited for one that failed has failed because of that.
    errors = [one.exception() for one in futures.values()]
    for error in errors:
        if error and not isinstance(error, BrokenBarrierError):
            raise error
    return {name: one.result() for name, one in futures.items()}


def _behind(head: str, say: Say) -> Say:
    """Says texts behind another."""
    return lambda line: say(head + line)


def run(trees: tree.Trees, number: int, say: Progress) -> int:
    """Measure so many blocks; fewer than BLOCKS say too little to be kept."""
    kernels = [("", kind.kernel) for kind in KINDS]
    made = bench.images(trees, kernels, say)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    blocks: list[dict[str, Costs]] = []
    for done in range(number):
        # Who is started first is the last the next time.
        kinds = KINDS[::-1] if done % 2 else KINDS
        blocks.append(block(made, kinds, _behind(f"{done} of {number}: ", say)))
    there = figures(trees.version, digests.series(trees.base), blocks)
    say.clear()
    print(text(there))
    if number >= BLOCKS:
        STORE.merge(there)
        print(f"\nThe figures are in {STORE.file}.")
    return 0
