# SPDX-License-Identifier: GPL-2.0
"""Other people's programs, run quietly."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from errors import LabError


def run(
    args: Sequence[str | Path], *, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end and return its status and output.

    Messages come in English whatever the user's locale, because callers
    look into them. Raises LabError when the program is not installed; a
    nonzero status is the caller's to judge.
    """
    env = dict(os.environ, LC_ALL="C.UTF-8", LANGUAGE="C")
    try:
        return subprocess.run(
            [str(arg) for arg in args],
            check=False,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
    except FileNotFoundError as error:
        # A missing cwd raises the same exception; say which one it was.
        if cwd is not None and not cwd.is_dir():
            raise LabError(f"{cwd}: no such folder") from error
        raise LabError(
            f"{args[0]} is not installed: run "
            "tools/testing/lab/install-deps tree"
        ) from error


def must(args: Sequence[str | Path], what: str) -> str:
    """Run a program that has to succeed and return its standard output.

    Raises LabError starting with `what` and ending with the last lines
    that the program wrote to its standard error.
    """
    done = run(args)
    if done.returncode != 0:
        raise LabError(f"{what}: {tail(done.stderr)}")
    return done.stdout


def tail(text: str, lines: int = 3) -> str:
    """The last lines of a program's output, joined to one."""
    kept = [line.strip() for line in text.splitlines() if line.strip()]
    return "; ".join(kept[-lines:]) or "no message"
