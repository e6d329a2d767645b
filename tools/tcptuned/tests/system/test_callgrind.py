# SPDX-License-Identifier: GPL-2.0
"""Profiles as callgrind writes them, and the figures that are made of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import callgrind
import instructions
import pytest
from callgrind import Profile

# look() of the program calls print() of a library twice, and that itself.
PROFILE = """\
# callgrind format
positions: line
events: Ir
summary: 137

ob=(1) /usr/sbin/tcptuned
fl=(1) poll.c
fn=(1) look
10 5
cob=(2) /usr/lib/libc.so.6
cfi=(2) ???
cfn=(2) print
calls=2 0
+2 120
+1 7
cfn=(3) static
calls=1 90
* 5

ob=(2)
fl=(2)
fn=(2)
0 100
cfn=(2)
calls=1 0
0 20
-3 20

ob=(1)
fl=(1)
fn=(3)
90 5
"""


def test_read() -> None:
    profile = callgrind.read(PROFILE)
    assert profile.own == {
        "look, tcptuned": 12,
        "static, tcptuned": 5,
        "print, libc.so.6": 120,
    }
    assert profile.called == {"print": 140, "static": 5}


def test_files(tmp_path: Path) -> None:
    names = ["look", "look.10", "look.9", "other.1"]
    for name in names:
        (tmp_path / name).touch()
    found = callgrind.files(tmp_path / "look")
    assert [file.name for file in found] == ["look.9", "look.10"]


def _look(own: int, status: int, metrics: int = 0, ask: int = 0) -> Profile:
    called = {
        "status_write": status,
        "metrics_write": metrics,
        "route_query": ask,
    }
    reports = {"print, libc.so.6": status + metrics}
    return Profile(
        Counter({"look, tcptuned": own + ask, **reports}), Counter(called)
    )


def test_figures() -> None:
    """What not every look does is not in the figure of a look."""
    looks = [_look(100, 50), _look(110, 0, 0, 8), _look(120, 70, 30)]
    row = instructions.figures(2, looks)
    assert row["look"] == 110
    assert row["status"] == 60
    assert row["metrics"] == 30
    assert row["routes"] == 8
    assert row["functions"] == [
        ["look, tcptuned", pytest.approx(338 / 488)],
        ["print, libc.so.6", pytest.approx(150 / 488)],
    ]


def test_instructions_page() -> None:
    none = instructions.figures(0, [_look(1000, 0)])
    many = instructions.figures(2000, [_look(5001000, 7)])
    assert instructions.per_connection(many, none) == 2500
    page = instructions.page([none, many])
    assert "   * - 0\n     - 1,000\n     - none\n     - 0\n" in page
    assert "   * - 2,000\n     - 5,001,000\n     - 2,500\n     - 7\n" in page
    assert "with 2,000 connections" in page
    assert "   * - ``look, tcptuned``\n     - 100.0%\n" in page
