# SPDX-License-Identifier: GPL-2.0
"""Charts and tables: what a terminal shows."""

from __future__ import annotations

import io
import sys

import pytest

from tools.testing.lab.bench import chart

POINTS = [(0.25, 0.0), (0.5, 50.0), (0.75, 100.0), (1.0, 150.0)]


@pytest.mark.parametrize(
    ("encoding", "block"), [("utf-8", "█"), ("ascii", "#")]
)
def test_bars(
    monkeypatch: pytest.MonkeyPatch, encoding: str, block: str
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    lines = chart.bars(POINTS, 100, {0.5: "now"})
    # The mark stands after what ended when it was set, before what follows.
    assert [line.split()[0] for line in lines] == [
        *("0.25", "0.50", "now", "0.75", "1.00")
    ]
    counts = [line.count(block) for line in lines]
    assert counts == [0, 24, 0, chart.BAR_COLUMNS, chart.BAR_COLUMNS]
    assert lines[-1].endswith("150 MB/s")
    assert max(map(len, lines)) < 80


def test_table() -> None:
    rows = [["a", "1.5"], ["long name", "1,000.0"]]
    assert chart.table(["path", "MB/s"], rows) == [
        "path          MB/s",
        "---------  -------",
        "a              1.5",
        "long name  1,000.0",
    ]
