# SPDX-License-Identifier: GPL-2.0
"""Charts and tables for a terminal of 80 columns."""

import sys
from collections.abc import Sequence

BAR_COLUMNS = 48


def bars(points: Sequence[tuple[float, float]], full: float, marks: dict[float, str]) -> list[str]:
    """One line per point: time in s, a bar of value / full, the value.

    marks: text that stands before the first point at or after its time.
    """
    block = "█" if _can_print("█") else "#"
    pending = sorted(marks.items())
    lines = []
    for time_s, value in points:
        while pending and pending[0][0] <= time_s - 0.01:
            lines.append(f"         {pending.pop(0)[1]}")
        columns = round(BAR_COLUMNS * min(value / full, 1))
        bar = block * columns
        lines.append(f"{time_s:6.2f} s {bar:{BAR_COLUMNS}} {value:7,.0f} MB/s")
    return lines


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their longest cell; all but the first to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = [c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True)]
        return "  ".join([first, *rest]).rstrip()

    return [line(head), "  ".join("-" * w for w in widths), *map(line, rows)]


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
