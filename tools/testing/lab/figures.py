# SPDX-License-Identifier: GPL-2.0
"""out/figures.csv: what tests measured, one row a figure."""

from __future__ import annotations

import re

from tools.kernel import tree
from tools.testing.lab import rows
from tools.testing.lab.rows import Row, Store

NAME = ("scenario", "kernel", "setup", "metric")
STORE = Store(
    tree.REPO / "out" / "figures.csv", NAME, ("value", "date"), frozenset((*NAME, "date"))
)
# What a program of the daemon's own tests prints, see tests/test.h.
_PRINTED = re.compile(r"^# figure: (.+), (\w+) ([\d.e+-]+)$", re.MULTILINE)


def keep(scenario: str, kernel: str, setup: str, metric: str, value: float) -> None:
    """Put a figure into the file; its unit is in the name of the metric.

    setup: of the scenario, and what a test changed in it, such as "patched
    gate, 64 threads".
    """
    STORE.merge([_row(scenario, kernel, setup, metric, value)])


def keep_printed(output: str) -> None:
    """Keep the figures that the daemon's simulations printed."""
    STORE.merge(
        _row(scenario, "simulated", "tcptuned", metric, float(value))
        for scenario, metric, value in _PRINTED.findall(output)
    )


def _row(scenario: str, kernel: str, setup: str, metric: str, value: float) -> Row:
    named = zip(NAME, (scenario, kernel, setup, metric), strict=True)
    return {**dict(named), "value": value, "date": rows.today()}
