# SPDX-License-Identifier: GPL-2.0
"""Progress: one line on a terminal, few lines elsewhere."""

from __future__ import annotations

import io
import itertools
import sys
import types

import pytest

from tools.kernel import progress
from tools.kernel.progress import Progress


class Stream(io.StringIO):
    """What progress writes to."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        """Whether this is a terminal."""
        return self._terminal


def _said(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, texts: list[str]
) -> str:
    stream = Stream(terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "40")
    say = Progress()
    for text in texts:
        say(text)
    say.clear()
    return stream.getvalue()


def test_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    said = _said(monkeypatch, True, ["1 file", "2 files " + 50 * "x"])
    first, second, cleared = said.split("\r\033[K")[1:]
    assert first == "[   0 s] 1 file"
    assert second == ("[   0 s] 2 files " + 50 * "x")[:39]
    assert cleared == ""
    assert "\n" not in said


def test_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many numbers, or two that speak in turn, do not fill the log."""
    texts = ["1 of 3", "2 of 3", "other", "3 of 3", "other"]
    said = _said(monkeypatch, False, texts)
    assert said.splitlines() == ["[   0 s] 1 of 3", "[   0 s] other"]


def test_long_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that only counts is seen to go on."""
    clock = itertools.count(0, progress.REPEAT_S / 2)
    fake = types.SimpleNamespace(monotonic=lambda: next(clock))
    monkeypatch.setattr(progress, "time", fake)
    texts = [f"{number} files" for number in range(5)]
    said = _said(monkeypatch, False, texts)
    assert said.splitlines() == [
        "[  30 s] 0 files",
        "[  90 s] 2 files",
        "[ 150 s] 4 files",
    ]
