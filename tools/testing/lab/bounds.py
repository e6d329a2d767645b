# SPDX-License-Identifier: GPL-2.0
"""What keeps a cell of the grid below its path's limit, by arithmetic."""

from __future__ import annotations

from typing import Any

# Of the path's limit, or of what else bounds a cell.
SHARE = {"patched": 0.97, "stock": 0.9}
# A bound is one when what was measured comes so close to it: there is a burst a
# round trip, and a few seconds have few of them.
LEAST, MOST = 0.9, 1.05

Row = dict[str, Any]


def reaches(row: Row) -> bool:
    """Whether a cell runs at its path's limit, and was so in time."""
    share = SHARE[row["kernel"].split()[-1]]
    if row["mb_per_s"] < share * row["limit_mb_per_s"]:
        return False
    # Settled is defined by the larger share.
    return share < max(SHARE.values()) or (
        row["settle_s"] is not None and row["settle_s"] <= row["deadline_s"]
    )


def why(row: Row) -> str:
    """The arithmetic that bounds a cell; "" if there is none."""
    return _window(row) or _memory(row)


def _window(row: Row) -> str:
    window, rtt_s = row["window_max_bytes"], row["rtt_ms"] / 1e3
    carries = window / rtt_s / 1e6
    near = LEAST * carries <= row["mb_per_s"] <= MOST * carries
    if carries >= row["limit_mb_per_s"] or not near:
        return ""
    return (
        "window scale, agreed when it was mounted: "
        f"{window:,.0f} bytes / {row['rtt_ms']:g} ms = {carries:.0f} MB/s"
    )


def _memory(row: Row) -> str:
    """The daemon asks for windows of 2 BDP, and the kernel doubles them.

    Only of reads, which run at the limit when there is more. Writes do not.
    """
    need = 4 * row["limit_mb_per_s"] * row["rtt_ms"] / 1e3
    there = row["tcp_mem_pressure_bytes"] / 1e6
    if row["direction"] != "read" or need <= there:
        return ""
    return (
        f"memory: 4 x {row['limit_mb_per_s']:.0f} MB/s x {row['rtt_ms']:g} ms"
        f" = {need:.0f} MB of buffers; tcp_mem[1] is {there:.0f} MB"
    )


def text(rows: list[Row]) -> tuple[str, bool]:
    """Cells below their limit, each with why; whether all are explained."""
    below = [row for row in rows if not reaches(row)]
    if not below:
        return "", True
    lines = ["Below the path's limit:"]
    for row in below:
        cell = (
            f"{row['rate_mbit']:g} Mbit/s x {row['rtt_ms']:g} ms"
            f" NFSv{row['nfs']} {row['direction']}"
        )
        lines.append(f"  {cell}: {why(row) or 'NOT EXPLAINED'}")
    return "\n".join(lines), all(why(row) for row in below)
