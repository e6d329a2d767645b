# SPDX-License-Identifier: GPL-2.0
"""The bench's pictures, from out/bench.json and the courses beside it.

A program of its own: it needs matplotlib, which build/venv has and the lab
does not. Grey text on no background reads in light and in dark; the colours
are those of Okabe and Ito, and one of Tol's for a seventh, and every peer has a
marker too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tools.testing.lab import course
from tools.testing.lab.bench import bench, cells, compare

GREY = "#808080"
# Without black and yellow, one of which is lost on either background.
COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#999933"),
    "#D55E00",
)
MARKERS = "osv^DPX"
# Figures that the path's limit bounds.
RATES = ("mb_per_s", "cold_mb_per_s")
# Where the axis of windows begins: what a connection has at its start.
LEAST_MB = 0.01
mpl.rcParams.update(
    {
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor"), GREY
        ),
        **dict.fromkeys(("xtick.color", "ytick.color", "grid.color"), GREY),
        "grid.alpha": 0.3,
        "axes.grid": True,
        "font.size": 11,
        "legend.frameon": False,
        "savefig.transparent": True,
        # The same figures make the same file.
        "svg.hashsalt": "bench",
        "svg.fonttype": "none",
    }
)

Row = dict[str, Any]
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


def against_rtt(
    rows: Sequence[Row], key: str, unit: str, scale: float = 1
) -> Figure | None:
    """A figure over the RTT: a column a rate, a line of axes a direction."""
    shown = [row for row in compare.of_grid(rows) if row["nfs"] == "4.2"]
    rates = [
        r for r in cells.RATES_MBIT if any(x["rate_mbit"] == r for x in shown)
    ]
    if not rates:
        return None
    figure = Figure(figsize=(3.6 * len(rates) + 0.4, 6.4), layout="constrained")
    all_axes = figure.subplots(2, len(rates), squeeze=False)
    for line, direction in zip(all_axes, course.DIRECTIONS, strict=True):
        for axes, rate in zip(line, rates, strict=True):
            of_cell = [
                row
                for row in shown
                if row["rate_mbit"] == rate and row["direction"] == direction
            ]
            _lines(axes, of_cell, key, scale)
            axes.set_title(f"{direction}, {bits(rate)}", fontsize=11)
            if key in RATES and of_cell:
                limit = of_cell[0]["limit_mb_per_s"]
                axes.axhline(limit, color=GREY, linestyle=":")
                axes.set_ylim(top=1.05 * limit)
        line[0].set_ylabel(unit)
    for axes in all_axes[-1]:
        axes.set_xlabel("RTT in ms")
    _legend(figure, all_axes.flat)
    return figure


def bits(rate_mbit: float) -> str:
    """A link's rate for people."""
    if rate_mbit < 1000:
        return f"{rate_mbit:g} Mbit/s"
    return f"{rate_mbit / 1000:g} Gbit/s"


def _lines(axes: Axes, rows: Sequence[Row], key: str, scale: float) -> None:
    for peer in PEERS:
        points = sorted(
            (row["rtt_ms"], row[key] / scale)
            for row in rows
            if row["peer"] == peer
        )
        if points:
            axes.plot(*zip(*points, strict=True), **style(peer))
    axes.set_xscale("log")
    axes.set_xlim(cells.RTTS_MS[0] / 1.3, cells.RTTS_MS[-1] * 1.3)
    axes.set_xticks(
        cells.RTTS_MS, [f"{rtt:g}" for rtt in cells.RTTS_MS], fontsize=9
    )
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
    for one in shown:
        look = {**style(one["peer"]), "marker": None}
        label = look.pop("label")
        for key, line in (("window_bytes", "--"), ("flight_bytes", "-")):
            words = key.partition("_")[0].replace("flight", "in flight")
            axes.plot(
                one["t_s"],
                [value / 1e6 for value in one[key]],
                **look,
                linestyle=line,
                label=f"{label}: {words}",
            )
    path = shown[0]["cell"]
    axes.set_title(f"read, {path}", fontsize=11)
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
    figure.legend(
        entries.values(),
        entries.keys(),
        loc="outside lower center",
        ncols=columns,
    )


def draw(
    rows: Sequence[Row], courses: Sequence[Row], folder: Path
) -> list[Path]:
    """All pictures that there are figures for, and the generated tables."""
    folder.mkdir(parents=True, exist_ok=True)
    reads = [row for row in rows if row["direction"] == "read"]
    figures = {
        "throughput": against_rtt(rows, "mb_per_s", "steady MB/s"),
        "cold": against_rtt(rows, "cold_mb_per_s", "MB/s of the first 5 s"),
        "memory": against_rtt(rows, "tcp_mem_bytes", "MB of TCP, at most", 1e6),
        "lan": against_rtt(rows, "lan_p99_ms", "LAN stat(), p99 in ms"),
        "window": over_time(courses),
    }
    written = []
    for name, figure in figures.items():
        if figure and reads:
            path = folder / f"{name}.svg"
            figure.savefig(path, metadata={"Date": None})
            written.append(path)
    titles = {name: peer.title for name, peer in PEERS.items()}
    for name, part in compare.rst(rows, titles).items():
        (folder / name).write_text(part)
        written.append(folder / name)
    return written


def main(folder: str) -> None:
    """Draw what was measured into a folder."""
    for path in draw(bench.read(), bench.courses(), Path(folder)):
        print(path)


if __name__ == "__main__":
    main(sys.argv[1])
