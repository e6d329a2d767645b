# SPDX-License-Identifier: GPL-2.0
"""The bench's rows against each other: who is first, and where we are not."""

from __future__ import annotations

import operator
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tools.kernel import source
from tools.testing.lab.bench import cells
from tools.testing.lab.rows import Row

OURS = "tcptuned"
# Rates, and memories, that differ by less are the same.
EQUAL = 0.01
# So is memory that differs by a request.
EQUAL_MB = 1.0
# The family of cells in which nothing is varied.
GRID = "no loss"
# Of the rates; the other figures of a row.
STEADY, FIRST = "mb_per_s", "cold_mb_per_s"
FIGURES = (STEADY, FIRST, "t90_s", "tcp_mem_mb", "lan_p99_ms")
# A rate of which the first digit beyond the point says nothing has no ratio.
LEAST_MB_PER_S = 0.05
# What makes a cell, with the direction; its base is of the row's kernel.
CELL = (*("rate_mbit", "rtt_ms", "nfs", "cc", "loss", "mtu", "nconnect"), "direction")
USUAL = {"cc": "cubic", "loss": 0, "mtu": 1500, "nconnect": 0}


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
        return bool(self.ours[STEADY] < (1 - EQUAL) * self.best[STEADY])

    @property
    def later(self) -> bool:
        """Whether somebody moves more in the first seconds."""
        ours, first = (x[FIRST] for x in (self.ours, self.sooner))
        return bool(ours < (1 - EQUAL) * first)

    @property
    def felt(self) -> bool:
        """Whether the LAN client waits longer than beside another peer."""
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
    return [{peer: _mean(of) for peer, of in found[key].items()} for key in sorted(found)]


def _mean(rows: Sequence[Row]) -> Row:
    """Rows of several seeds as one; None is what one of them did not reach."""
    draws = [row["draws"] for row in rows]
    figures = {key: [row[key] for row in rows] for key in FIGURES}
    return rows[0] | {
        key: None if None in of else statistics.fmean(of, draws) for key, of in figures.items()
    }


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """Of every cell that we and another peer were measured in."""
    found = []
    for cell in by_cell(rows):
        others = [row for peer, row in cell.items() if peer != OURS]
        if OURS not in cell or not others:
            continue
        ours = cell[OURS]
        best, sooner = (max(others, key=operator.itemgetter(key)) for key in (STEADY, FIRST))
        equal = [
            row
            for row in others
            if row[STEADY] >= (1 - EQUAL) * ours[STEADY]
            and row["tcp_mem_mb"] < (1 - EQUAL) * ours["tcp_mem_mb"]
            and row["tcp_mem_mb"] < ours["tcp_mem_mb"] - EQUAL_MB
        ]
        leaner = min(equal, key=lambda row: row["tcp_mem_mb"], default=None)
        calmer = min(others, key=operator.itemgetter("lan_p99_ms"))
        found.append(Verdict(label(ours), best, sooner, calmer, ours, leaner))
    return found


@dataclass(frozen=True)
class Mean:
    """Our figure over a peer's: the geometric mean of cells, and its ends."""

    mean: float
    worst: float
    best: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ({self.worst:.2f} to {self.best:.2f})"


def means(rows: Sequence[Row], key: str = STEADY) -> tuple[int, dict[str, Mean]]:
    """How many cells all have, and of these the mean against each peer.

    A cell in which somebody's figure is next to nothing has no ratio.
    """
    there = {row["peer"] for row in rows}
    common = [
        cell
        for cell in by_cell(rows)
        if cell.keys() == there and all(row[key] >= LEAST_MB_PER_S for row in cell.values())
    ]
    if OURS not in there or not common:
        return 0, {}
    return len(common), {
        peer: _mean_of([cell[OURS][key] / cell[peer][key] for cell in common])
        for peer in sorted(there - {OURS})
    }


def _mean_of(ratios: Sequence[float]) -> Mean:
    return Mean(statistics.geometric_mean(ratios), min(ratios), max(ratios))


def families(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows by what is not as usual in their cells, the usual ones first."""
    newest = max(map(base, rows), key=source.order, default="")
    found: dict[str, list[Row]] = {GRID: []}
    for row in rows:
        found.setdefault(_family(row, newest), []).append(row)
    return found


def _family(row: Row, newest: str) -> str:
    if base(row) != newest:
        return f"Linux {base(row)}"
    if row["loss"]:
        return "loss"
    if row["cc"] != USUAL["cc"]:
        return str(row["cc"])
    if row["mtu"] != USUAL["mtu"]:
        return f"MTU {row['mtu']:g}"
    if row["nconnect"]:
        return f"nconnect {row['nconnect']:g}"
    if row["rate_mbit"] not in cells.RATES_MBIT:
        return f"{row['rate_mbit'] / 1000:g} Gbit/s"
    return GRID


def share(ours: Row, best: Row, key: str) -> str:
    """Our figure as a share of another's."""
    return f"{ours[key] / best[key]:.1%} of {best['peer']}"


def memory(ours: Row, leaner: Row) -> str:
    """Our memory and another's."""
    mb, its_mb = (row["tcp_mem_mb"] for row in (ours, leaner))
    return f"{mb:.1f} MB, {leaner['peer']} {its_mb:.1f}"
