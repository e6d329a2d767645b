# SPDX-License-Identifier: GPL-2.0
"""The tables of Documentation/bench.rst and of a terminal, of the bench's rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.testing.lab import course, rows
from tools.testing.lab.bench import cells, chart, compare
from tools.testing.lab.rows import Row

RATES = {"steady": compare.STEADY, "first 5 s": compare.FIRST}
BEHIND = ("cell", *RATES, "TCP memory", "LAN client's p99")
CODE = ("measured", "kernel", "series", "daemon", "key", "rows")


def write(there: Sequence[Row], folder: Path) -> list[Path]:
    """Write the tables into a folder; their files."""
    peers = [name for name in cells.peers() if name != compare.OURS]
    tables = {
        "means.csv": (("family", "", "direction", "cells", *peers), means(there, peers)),
        "behind.csv": (BEHIND, behind(there)),
        "code.csv": (CODE, code(there)),
    }
    for name, (head, lines) in tables.items():
        rows.write(folder / name, head, lines)
    return [folder / name for name in tables]


def text(there: Sequence[Row]) -> str:
    """The means, a line each, and the cells in which we are behind."""
    peers = [name for name in cells.peers() if name != compare.OURS]
    ratios = [
        [f"{family}, {what} {direction}", number, peer, ratio]
        for family, what, direction, number, *each in means(there, peers)
        for peer, ratio in zip(peers, each, strict=True)
        if ratio
    ]
    head = ("tcptuned's figure over a peer's", "cells", "peer", "mean")
    lines = [*chart.table(head, ratios), "", *chart.table(BEHIND, [*behind(there)])]
    return "\n".join(lines)


def means(there: Sequence[Row], peers: Sequence[str]) -> Iterator[list[str]]:
    """A line a family of cells, rate and direction; a column a peer."""
    for family, of in compare.families(there).items():
        for title, key in RATES.items():
            for direction in course.DIRECTIONS:
                shown = [row for row in of if row["direction"] == direction]
                number, found = compare.means(shown, key)
                each = [str(found.get(peer, "")) for peer in peers]
                yield [family, title, direction, str(number), *each]


def behind(there: Sequence[Row]) -> Iterator[list[str]]:
    """The cells in which somebody is ahead of us in anything."""
    for one in compare.verdicts(there):
        if one.later or one.felt or not one.fine:
            yield [one.cell, *_behind(one)]


def _behind(one: compare.Verdict) -> Iterator[str]:
    ms, its_ms = (row["lan_p99_ms"] for row in (one.ours, one.calmer))
    steady = compare.share(one.ours, one.best, compare.STEADY)
    first = compare.share(one.ours, one.sooner, compare.FIRST)
    yield steady if one.slower else ""
    yield first if one.later else ""
    yield compare.memory(one.ours, one.leaner) if one.leaner else ""
    yield f"{ms:.3f} ms, {one.calmer['peer']} {its_ms:.3f}" if one.felt else ""


def code(there: Sequence[Row]) -> Iterator[list[str]]:
    """How many rows were measured when, and with what."""
    found = Counter(
        (
            *(row[key] for key in ("date", "kernel", "series", "daemon")),
            "known" if row["key"] else "unknown",
        )
        for row in there
    )
    for made_of in sorted(found):
        yield [*made_of, str(found[made_of])]
