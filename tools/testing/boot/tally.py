# SPDX-License-Identifier: GPL-2.0
"""Tests that go one after the other, what they measured, and its table."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from tools.kernel import command
from tools.kernel.errors import LabError
from tools.kernel.progress import Progress
from tools.testing.lab import rows


class Tally:
    """Counts tests; each says its name when it is over."""

    def __init__(self, say: Progress) -> None:
        self.say = say
        self.passed = 0
        self.failed: list[str] = []
        # What was measured, in the order of the tests.
        self.figures: list[tuple[str, str]] = []

    @contextlib.contextmanager
    def test(self, name: str) -> Iterator[None]:
        """One test: an error is its failure, and the next one goes on."""
        self.say(name)
        start = time.monotonic()
        try:
            yield
        except LabError as error:
            self.failed.append(name)
            self._print(f"not ok {name}: {error}")
        else:
            self.passed += 1
            seconds = time.monotonic() - start
            self._print(f"ok {name} ({seconds:.0f} s)")

    def figure(self, what: str, figure: str) -> None:
        """Keep what was measured for the result's table."""
        self.figures.append((what, figure))
        self._print(f"   {what}: {figure}")

    def _print(self, text: str) -> None:
        self.say.clear()
        print(text, flush=True)


def expect(what: str, found: object, wanted: object) -> None:
    """Raise LabError unless both are the same."""
    if found != wanted:
        raise LabError(f"{what}: {found!r}, expected {wanted!r}")


def expect_in(what: str, text: str, wanted: str) -> None:
    """Raise LabError unless a text holds another."""
    if wanted not in text:
        raise LabError(f"{what}: no '{wanted}' in: {text.strip()[-600:]}")


def expect_least(what: str, found: float, least: float) -> None:
    """Raise LabError if a figure is too small."""
    if found < least:
        raise LabError(f"{what}: {found:.2f}, expected at least {least:g}")


def commit() -> str:
    """What is tested, asked for before the tests take their hour."""
    found = command.run(["git", "log", "-1", "--format=%h"], cwd=Path(__file__).parent)
    return found.stdout.strip() or "unknown"


def write(path: Path, of: str, tests: Tally, minutes: float) -> None:
    """Write the table of Documentation/boot.rst."""
    qemu = command.must(["qemu-system-x86_64", "--version"], "qemu")
    lines = [
        ("date", rows.today()),
        ("commit", of),
        ("emulator", qemu.splitlines()[0]),
        ("tests passed", tests.passed),
        ("tests failed", len(tests.failed)),
        ("minutes", round(minutes)),
        *tests.figures,
    ]
    rows.write(path, ("what", "figure"), lines)
