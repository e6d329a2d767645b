# SPDX-License-Identifier: GPL-2.0
"""The bench's pictures and the tables of its page, from its rows.

A program of its own: it needs matplotlib, which build/venv has and the lab
does not. Grey text on no background reads in light and in dark; the colours
are those of Okabe and Ito, and one of Tol's for a seventh, and every peer has a
marker too. A picture is small, and the same rows make the same file.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tools.kernel import overlay
from tools.testing.lab import course
from tools.testing.lab.bench import bench, cells, compare, summary
from tools.testing.lab.rows import Row

GREY = "#808080"
# Without black and yellow, one of which is lost on either background.
COLOURS = (*("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#999933"), "#D55E00")
MARKERS = "osv^DPX"
# Figures that the path's limit bounds.
RATES = (compare.STEADY, compare.FIRST)
# Where a share of lost packets is on an axis, which begins with none.
LOSSES = {0: (1e-6, "none"), 1e-5: (1e-5, "1 in 100,000"), 1e-4: (1e-4, "1 in 10,000")}
# Where the axis of windows begins: what a connection has at its start.
LEAST_MB = 0.01
mpl.rcParams.update(
    {
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), GREY),
        **dict.fromkeys(("xtick.color", "ytick.color", "grid.color"), GREY),
        "grid.alpha": 0.3,
        "axes.grid": True,
        "font.size": 11,
        "legend.frameon": False,
        "savefig.transparent": True,
        "font.sans-serif": ["DejaVu Sans"],
        # The same figures make the same file.
        "svg.hashsalt": "bench",
        "svg.fonttype": "none",
    }
)

PEERS = cells.peers()


def style(peer: str) -> dict[str, Any]:
    """How a peer is drawn, everywhere; ours is thicker and above."""
    index = list(PEERS).index(peer)
    ours = peer == compare.OURS
    return {
        "color": COLOURS[index],
        "marker": MARKERS[index],
        "linewidth": 2.5 if ours else 1.2,
        "zorder": 3 if ours else 2,
        "label": PEERS[peer].title,
    }


def against_rtt(rows: Sequence[Row], key: str, unit: str) -> Figure | None:
    """A figure over the RTT: a column a rate, a line of axes a direction."""
    grid = compare.families(rows)[compare.GRID]
    shown = [row for row in grid if row["nfs"] == "4.2"]
    rates = [r for r in cells.RATES_MBIT if any(x["rate_mbit"] == r for x in shown)]
    if not rates:
        return None
    figure, all_axes = _axes(len(rates), unit, "RTT in ms")
    for line, direction in zip(all_axes, course.DIRECTIONS, strict=True):
        for axes, rate in zip(line, rates, strict=True):
            of = _of(shown, direction, rate_mbit=rate)
            ticks = {rtt: (rtt, f"{rtt:g}") for rtt in cells.RTTS_MS}
            _lines(axes, of, "rtt_ms", key, ticks)
            axes.set_title(f"{direction}, {bits(rate)}", fontsize=11)
            if key in RATES:
                limit = cells.Cell(rate, 0, "4.2").limit
                axes.axhline(limit, color=GREY, linestyle=":")
                axes.set_ylim(top=1.05 * limit)
    _legend(figure, all_axes.flat)
    return figure


def against_loss(rows: Sequence[Row]) -> Figure | None:
    """Steady rate over loss: a column a path, a line of axes a direction."""
    found = compare.families(rows)
    if not found.get("loss"):
        return None
    shown = [*found["loss"], *found[compare.GRID]]
    figure, all_axes = _axes(len(cells.ANCHORS), "steady MB/s", "packets lost")
    for line, direction in zip(all_axes, course.DIRECTIONS, strict=True):
        for axes, (rate, rtt) in zip(line, cells.ANCHORS, strict=True):
            of = _of(shown, direction, rate_mbit=rate, rtt_ms=rtt, nfs=cells.VARIED_NFS)
            _lines(axes, of, "loss", compare.STEADY, LOSSES)
            title = f"{direction}, {bits(rate)} x {rtt} ms"
            axes.set_title(title, fontsize=11)
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:g}")
            axes.set_ylim(1, 1.3 * cells.Cell(rate, rtt, "4.2").limit)
    _legend(figure, all_axes.flat)
    return figure


def _axes(columns: int, unit: str, below: str) -> tuple[Figure, Any]:
    """Axes for columns, and a line for each direction."""
    figure = Figure(figsize=(3.6 * columns + 0.4, 6.4), layout="constrained")
    all_axes = figure.subplots(len(course.DIRECTIONS), columns, squeeze=False)
    for line in all_axes:
        line[0].set_ylabel(unit)
    for axes in all_axes[-1]:
        axes.set_xlabel(below)
    return figure, all_axes


def _of(rows: Sequence[Row], direction: str, **path: float | str) -> list[Row]:
    """A row a cell and peer, of a direction and a path."""
    return [
        row
        for cell in compare.by_cell(rows)
        for row in cell.values()
        if row["direction"] == direction and all(row[key] == value for key, value in path.items())
    ]


def bits(rate_mbit: float) -> str:
    """A link's rate for people."""
    if rate_mbit < 1000:
        return f"{rate_mbit:g} Mbit/s"
    return f"{rate_mbit / 1000:g} Gbit/s"


def _lines(
    axes: Axes, rows: Sequence[Row], over: str, key: str, ticks: dict[float, tuple[float, str]]
) -> None:
    """A line a peer. ticks: where a value is on the axis, and its text."""
    for peer in PEERS:
        points = sorted((ticks[row[over]][0], row[key]) for row in rows if row["peer"] == peer)
        if points:
            axes.plot(*zip(*points, strict=True), **style(peer))
    axes.set_xscale("log")
    places = [place for place, _ in ticks.values()]
    axes.set_xlim(places[0] / 1.3, places[-1] * 1.3)
    axes.set_xticks(places, [text for _, text in ticks.values()], fontsize=9)
    axes.minorticks_off()
    # Equal figures are a line, not the frame's upper edge.
    axes.set_ylim(0, 1.1 * axes.get_ylim()[1])


def over_time(courses: Sequence[Row]) -> Figure | None:
    """Window and bytes in flight of a read, before and after, over time."""
    shown = [one for one in courses if one["peer"] in ("stock", compare.OURS)]
    if not shown:
        return None
    figure = Figure(figsize=(8, 4.4), layout="constrained")
    axes = figure.subplots()
    for peer in ("stock", compare.OURS):
        look = {**style(peer), "marker": None}
        label = look.pop("label")
        of = [row for row in shown if row["peer"] == peer]
        times = [row["t_s"] for row in of]
        for key, words, line in (("window_mb", "window", "--"), ("flight_mb", "in flight", "-")):
            values = [row[key] for row in of]
            label_of = f"{label}: {words}"
            axes.plot(times, values, **look, linestyle=line, label=label_of)
    axes.set_title(f"read, {bench.PICTURED}", fontsize=11)
    axes.set_xlabel("seconds since the read began")
    axes.set_ylabel("MB (10⁶ bytes)")
    # A window of kilobytes and one of a hundred megabytes on one axis.
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylim(bottom=LEAST_MB)
    _legend(figure, [axes], columns=2)
    return figure


def _legend(figure: Figure, all_axes: Iterable[Axes], columns: int = 4) -> None:
    """One for all axes: not every peer is in each."""
    entries = {
        label: handle
        for axes in all_axes
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=columns)


# What matplotlib writes that changes nothing of what is seen.
IDLE = re.compile(
    r"<metadata>.*</metadata>"
    r"| transform=\"rotate\(-0 [^\"]*\"| id=\"[a-z0-9.]+_\d+\"",
    re.DOTALL,
)


def compact(svg: str) -> str:
    """A picture in few lines and digits, each style in it once."""
    svg = " ".join(IDLE.sub("", svg).split())
    svg = re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.1f}", svg)
    styles = sorted(set(re.findall(r'style="([^"]*)"', svg)))
    for number, words in enumerate(styles):
        svg = svg.replace(f'style="{words}"', f'class="s{number}"')
    rules = "".join(f".s{n}{{{words}}}" for n, words in enumerate(styles))
    svg = svg.replace("</style>", f"{rules}</style>", 1)
    return svg.replace("<g> <g> <path", "\n<g> <g> <path") + "\n"


def draw(rows: Sequence[Row], courses: Sequence[Row], folder: Path) -> list[Path]:
    """All pictures that there are rows for."""
    figures = {
        "steady": against_rtt(rows, compare.STEADY, "steady MB/s"),
        "first": against_rtt(rows, compare.FIRST, "MB/s of the first 5 s"),
        "memory": against_rtt(rows, "tcp_mem_mb", "MB of TCP, at most"),
        "loss": against_loss(rows),
        "window": over_time(courses),
    }
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in figures.items():
        if figure:
            text = io.StringIO()
            figure.savefig(text, format="svg", metadata={"Date": None})
            path = folder / f"{name}.svg"
            overlay.replace(path, compact(text.getvalue()))
            written.append(path)
    return written


def main(folder: Path) -> None:
    """The pictures and tables of what was measured, into a folder."""
    rows = bench.STORE.read()
    made = draw(rows, bench.COURSES.read(), folder)
    for path in [*made, *summary.write(rows, folder)]:
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
