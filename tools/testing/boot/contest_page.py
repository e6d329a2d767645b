# SPDX-License-Identifier: GPL-2.0
"""What the contest measured, as tables for a terminal and for Documentation/.

Columns are the contestants, in the order of contest.CONTESTANTS.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tools.testing.boot import contest, watch
from tools.testing.lab import rows as files
from tools.testing.lab.bench import chart
from tools.testing.lab.rows import Row

# Of a contest as a whole.
_COMMON = ("date", "suite", "kernel", "version", "daemon")
# Of a transfer: what it is called, its unit, and where it is in a row.
_FIGURES = {
    "steady_mb_per_s": "steady, MB/s",
    "t90_s": "90 % of that after, s",
    "tcp_peak_mb": "TCP memory at most, MB",
    "idle": "processors idle, share",
}
# Of the socket at one end: where it sends from, where it receives.
_SOCKET = {
    "sndbuf_bytes": "send buffer, bytes",
    "rcvbuf_bytes": "receive buffer, bytes",
    "rtt_ms": "RTT, ms",
    "control": "congestion control",
}
COURSE_S = 10


def measured(rows: Sequence[Row]) -> list[list[str]]:
    """A line a figure, a column a contestant."""
    lines = [[key, *(str(row[key]) for row in rows)] for key in _COMMON]
    for label, transfer in watch.TRANSFERS.items():
        for key, title in _FIGURES.items():
            values = [_shown(row[label][key]) for row in rows]
            lines.append([f"{transfer.title}: {title}", *values])
        for side in ("server", "client"):
            for key, title in _SOCKET.items():
                values = [
                    _shown(row[label]["sockets"].get(side, {}).get(key))
                    for row in rows
                ]
                lines.append([f"{transfer.title}: {side}'s {title}", *values])
    for key in ("read_ahead_kb_before", "read_ahead_kb"):
        values = [_shown(row[key]) for row in rows]
        when = "at first" if key.endswith("before") else "at last"
        lines.append([f"read-ahead of the mount {when}, KiB", *values])
    return lines


def course(rows: Sequence[Row]) -> list[list[str]]:
    """What moved in each COURSE_S seconds, in MB/s on average."""
    lines = []
    for label, transfer in watch.TRANSFERS.items():
        for start in range(0, watch.SECONDS, COURSE_S):
            values = []
            for row in rows:
                part = row[label]["mb_per_s"][start : start + COURSE_S]
                values.append(f"{sum(part) / max(len(part), 1):.1f}")
            when = f"{start} to {start + COURSE_S} s"
            lines.append([f"{transfer.title}, {when}, MB/s", *values])
    return lines


def changed(rows: Sequence[Row]) -> list[list[str]]:
    """A line a sysctl that was another at the end, and what became of it."""
    lines = []
    for row in rows:
        kept = {(one["name"], one["of"]) for one in row["kept"]}
        for one in row["changed"]:
            stays = (one["name"], one["of"]) in kept or (
                one["name"],
                "both",
            ) in kept
            lines.append(
                [
                    row["peer"],
                    one["name"],
                    one["of"],
                    one["before"],
                    one["after"],
                    "stays" if stays else "put back",
                ]
            )
    return lines


def text(rows: Sequence[Row]) -> str:
    """The tables for a terminal."""
    head = _columns(rows)
    return "\n".join(
        [
            *chart.table(head, measured(rows)),
            "",
            *chart.table(_CHANGED, changed(rows)),
        ]
    )


_CHANGED = ("by", "sysctl", "of", "before", "after", "when it stops")


def _columns(rows: Sequence[Row]) -> list[str]:
    return ["", *(contest.CONTESTANTS[row["peer"]].title for row in rows)]


def write(rows: Sequence[Row], folder: Path) -> None:
    """The tables of Documentation/bench/bpftune.rst."""
    head = ["figure", *(row["peer"] for row in rows)]
    lines = [*measured(rows), *course(rows)]
    files.write(folder / "bpftune.csv", head, lines)
    files.write(folder / "bpftune-sysctls.csv", _CHANGED, changed(rows))


def _shown(value: object) -> str:
    return "none" if value is None or value == "" else str(value)
