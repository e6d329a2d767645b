# SPDX-License-Identifier: GPL-2.0
"""The bench's rows against each other: who is first, and where we are not."""

from __future__ import annotations

import itertools
import math
import operator
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tools.kernel import source
from tools.testing.lab.bench import cells, chart

OURS = "tcptuned"
# Rates, and memories, that differ by less are the same.
EQUAL = 0.01
# The tables of all cells and peers: the figure, what it is divided by, digits.
TABLES = {
    "steady": ("mb_per_s", 1, 1),
    "cold": ("cold_mb_per_s", 1, 1),
    "t90": ("t90_s", 1, 1),
    "memory": ("tcp_mem_bytes", 1e6, 1),
    "lan": ("lan_p99_ms", 1, 3),
}
LOST = ("steady", "first 5 s", "TCP memory", "LAN client's p99")
# What makes a cell, with the direction; its base is of the row's kernel.
CELL = (
    *("rate_mbit", "rtt_ms", "nfs", "cc", "loss", "mtu", "nconnect"),
    "direction",
)
USUAL = {"cc": "cubic", "loss": 0, "mtu": 1500, "nconnect": 0}

Row = dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """A cell: who is first, and how we stand.

    best: the fastest peer but us; sooner: the one that is it in the first
    seconds. calmer: the one beside which the LAN client waits the least. leaner:
    of the peers as fast as we are, the one that takes the least memory, if that
    is less than ours.
    """

    cell: str
    best: Row
    sooner: Row
    calmer: Row
    ours: Row
    leaner: Row | None

    @property
    def slower(self) -> bool:
        """Whether we are neither first nor within EQUAL of the first."""
        return bool(self.ours["mb_per_s"] < (1 - EQUAL) * self.best["mb_per_s"])

    @property
    def later(self) -> bool:
        """Whether somebody moves more in the first seconds."""
        ours, first = (x["cold_mb_per_s"] for x in (self.ours, self.sooner))
        return bool(ours < (1 - EQUAL) * first)

    @property
    def felt(self) -> bool:
        """Whether the LAN client waits longer than beside somebody else."""
        ours, least = (x["lan_p99_ms"] for x in (self.ours, self.calmer))
        return bool(ours > (1 + EQUAL) * least)

    @property
    def fine(self) -> bool:
        """Whether we are neither slower, nor take more for as much."""
        return not self.slower and self.leaner is None


def base(row: Row) -> str:
    """The kernel's version without whether it is patched."""
    return str(row["kernel"]).split()[0]


def label(row: Row) -> str:
    """A row's cell for people."""
    varied = [
        f", {key} {row[key]:g}" if key != "cc" else f", {row[key]}"
        for key, usual in USUAL.items()
        if row[key] != usual
    ]
    return (
        f"{row['rate_mbit']:g} Mbit/s x {row['rtt_ms']:g} ms "
        f"NFSv{row['nfs']} {row['direction']}{''.join(varied)}, {base(row)}"
    )


def by_cell(rows: Sequence[Row]) -> list[dict[str, Row]]:
    """One row of each cell and peer, that of several seeds; cells in order."""
    found: dict[tuple[Any, ...], dict[str, list[Row]]] = defaultdict(dict)
    for row in rows:
        key = (base(row), *(row[key] for key in CELL))
        found[key].setdefault(row["peer"], []).append(row)
    return [
        {peer: _mean(of) for peer, of in found[key].items()}
        for key in sorted(found)
    ]


def _mean(rows: Sequence[Row]) -> Row:
    """Rows of several seeds as one; None is what one of them did not reach."""
    figures = {
        what[0]: [row[what[0]] for row in rows] for what in TABLES.values()
    }
    return rows[0] | {
        key: None if None in of else statistics.fmean(of)
        for key, of in figures.items()
    }


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """Of every cell that we and somebody else were measured in."""
    found = []
    for cell in by_cell(rows):
        others = [row for peer, row in cell.items() if peer != OURS]
        if OURS not in cell or not others:
            continue
        ours = cell[OURS]
        best, sooner = (
            max(others, key=operator.itemgetter(key))
            for key in ("mb_per_s", "cold_mb_per_s")
        )
        equal = [
            row
            for row in others
            if row["mb_per_s"] >= (1 - EQUAL) * ours["mb_per_s"]
            and row["tcp_mem_bytes"] < (1 - EQUAL) * ours["tcp_mem_bytes"]
        ]
        leaner = min(equal, key=lambda row: row["tcp_mem_bytes"], default=None)
        calmer = min(others, key=operator.itemgetter("lan_p99_ms"))
        found.append(Verdict(label(ours), best, sooner, calmer, ours, leaner))
    return found


def means(rows: Sequence[Row], key: str = "mb_per_s") -> dict[str, float]:
    """Our figure over each peer's: the geometric mean over common cells."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for cell in by_cell(rows):
        for peer, row in cell.items():
            if OURS in cell and peer != OURS:
                ratios[peer].append(cell[OURS][key] / row[key])
    return {
        peer: math.exp(math.fsum(map(math.log, of)) / len(of))
        for peer, of in ratios.items()
    }


def of_grid(rows: Sequence[Row]) -> list[Row]:
    """The rows of the grid, not of what is varied."""
    newest = max(map(base, rows), key=source.order, default="")
    return [
        row
        for row in rows
        if base(row) == newest
        and row["rate_mbit"] in cells.RATES_MBIT
        and all(row[key] == usual for key, usual in USUAL.items())
    ]


def text(rows: Sequence[Row]) -> str:
    """The comparison for a terminal."""
    head = ["cell", "MB/s", "best other", "MB/s", "memory MB", "its MB"]
    judged = verdicts(rows)
    lines = [
        [
            one.cell,
            f"{one.ours['mb_per_s']:.1f}",
            one.best["peer"],
            f"{one.best['mb_per_s']:.1f}",
            f"{one.ours['tcp_mem_bytes'] / 1e6:.1f}",
            f"{one.best['tcp_mem_bytes'] / 1e6:.1f}",
        ]
        for one in judged
    ]
    parts = [chart.table(head, lines) if lines else ["Nothing to compare."]]
    parts.append(
        [
            f"  {peer}: x {mean:.2f}"
            for peer, mean in means(of_grid(rows)).items()
        ]
    )
    if parts[-1]:
        parts[-1].insert(
            0, "Geometric mean of our rate over each peer's, in the grid:"
        )
    parts.append([f"  {reason(one)}" for one in judged if not one.fine])
    if parts[-1]:
        parts[-1].insert(0, "Not first, or more memory for as much:")
    return "\n\n".join("\n".join(part) for part in parts if part)


def reason(one: Verdict) -> str:
    """What is not fine in a cell."""
    what = []
    if one.slower:
        what.append(_share(one.ours, one.best, "mb_per_s"))
    if one.leaner:
        what.append(f"memory {_memory(one.ours, one.leaner)}")
    return f"{one.cell}: {'; '.join(what)}"


def _share(ours: Row, best: Row, key: str) -> str:
    return f"{ours[key] / best[key]:.1%} of {best['peer']}"


def _memory(ours: Row, leaner: Row) -> str:
    mb, its_mb = (row["tcp_mem_bytes"] / 1e6 for row in (ours, leaner))
    return f"{mb:.2f} MB, {leaner['peer']} {its_mb:.2f}"


def rst(rows: Sequence[Row], titles: dict[str, str]) -> dict[str, str]:
    """The generated parts of Documentation/bench.rst, by the file's name."""
    grid = of_grid(rows)
    steady, cold = means(grid), means(grid, "cold_mb_per_s")
    factors = [
        [title, f"{steady[peer]:.2f}", f"{cold[peer]:.2f}"]
        for peer, title in titles.items()
        if peer in steady
    ]
    lost = [
        [one.cell, *_lost(one)]
        for one in verdicts(rows)
        if one.later or one.felt or not one.fine
    ]
    varied = [row for row in rows if row not in grid]
    return {
        "means.rst": list_table(["against", "steady", "first 5 s"], factors),
        "lost.rst": list_table(["cell", *LOST], lost),
        "varied.rst": _of_peers(varied, titles, *TABLES["steady"]),
        **{
            f"{name}.rst": _of_peers(rows, titles, *what)
            for name, what in TABLES.items()
        },
    }


def _lost(one: Verdict) -> list[str]:
    """What is not fine in a cell, for each column of LOST."""
    ms, its_ms = (row["lan_p99_ms"] for row in (one.ours, one.calmer))
    return [
        _share(one.ours, one.best, "mb_per_s") if one.slower else "",
        _share(one.ours, one.sooner, "cold_mb_per_s") if one.later else "",
        _memory(one.ours, one.leaner) if one.leaner else "",
        f"{ms:.3f} ms, {one.calmer['peer']} {its_ms:.3f}" if one.felt else "",
    ]


def _of_peers(
    rows: Sequence[Row],
    titles: dict[str, str],
    key: str,
    scale: float,
    digits: int,
) -> str:
    """A table of one figure: a line a cell, a column a peer."""
    there = {row["peer"] for row in rows}
    peers = [peer for peer in titles if peer in there]

    def figure(row: Row | None) -> str:
        if row is None or row[key] is None:
            return "-"
        return f"{row[key] / scale:.{digits}f}"

    lines = [
        [
            label(next(iter(cell.values()))),
            *(figure(cell.get(peer)) for peer in peers),
        ]
        for cell in by_cell(rows)
    ]
    return list_table(["cell", *(titles[peer] for peer in peers)], lines)


def list_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table of reStructuredText."""
    rows = itertools.chain([head], lines)
    body = "".join(
        "".join(
            f"   {'* -' if not index else '  -'} {cell}".rstrip() + "\n"
            for index, cell in enumerate(row)
        )
        for row in rows
    )
    return f".. list-table::\n   :header-rows: 1\n\n{body}"
