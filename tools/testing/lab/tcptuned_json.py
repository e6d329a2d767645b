# SPDX-License-Identifier: GPL-2.0
"""out/tcptuned.json: what was measured of the daemon.

Rows are of two kinds: a cell of the grid in one direction, see grid.py, and a
figure of another test, whose unit is in the name of its metric. A row takes the
place of the older one of the same name. Processes may write at the same time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tools.kernel import tree
from tools.testing.lab.bench import table

FILE = tree.REPO / "out" / "tcptuned.json"
# What names a row: of a cell, and of another figure.
CELL = ("kernel", "setup", "rate_mbit", "rtt_ms", "nfs", "direction")
FIGURE = ("scenario", "kernel", "setup", "metric")
# What a program of the daemon's own tests prints, see tests/test.h.
_PRINTED = re.compile(r"^# figure: (.+), (\w+) ([\d.e+-]+)$", re.MULTILINE)

Row = dict[str, Any]


def name(row: Row) -> tuple[Any, ...]:
    """What tells a row from others."""
    return tuple(row[key] for key in (CELL if "rate_mbit" in row else FIGURE))


def read(file: Path = FILE) -> list[Row]:
    """All rows. Raises LabError when the file holds something else."""
    return table.read(file, name)


def merge(new: Iterable[Row], file: Path = FILE) -> None:
    """Put rows into the file."""
    table.merge(new, file, name)


def figure(
    scenario: str, kernel: str, setup: str, metric: str, value: float
) -> Row:
    """A row that is no cell of the grid."""
    return {
        "scenario": scenario,
        "kernel": kernel,
        "setup": setup,
        "metric": metric,
        "value": value,
    }


def printed(output: str) -> list[Row]:
    """The figures that the daemon's simulations printed."""
    return [
        figure(scenario, "simulated", "tcptuned", metric, float(value))
        for scenario, metric, value in _PRINTED.findall(output)
    ]
