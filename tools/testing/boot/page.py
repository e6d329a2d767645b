# SPDX-License-Identifier: GPL-2.0
"""The result of the boot test, as the table of Documentation/boot.rst."""

from __future__ import annotations

from pathlib import Path

from tools.kernel import command
from tools.testing.boot.tally import Tally
from tools.testing.lab import rows


def commit() -> str:
    """What is tested, asked for before the tests take their hour."""
    found = command.run(
        ["git", "log", "-1", "--format=%h"], cwd=Path(__file__).parent
    )
    return found.stdout.strip() or "unknown"


def write(path: Path, of: str, tests: Tally, minutes: float) -> None:
    """Write the table of a commit."""
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
