# SPDX-License-Identifier: GPL-2.0
"""Other people's programs, run quietly or listened to."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from tools.kernel.errors import LabError

# How long a program that was interrupted may take to end.
_PATIENCE_S = 20


def run(args: Sequence[str | Path], *, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
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
        raise LabError(f"{args[0]} is not installed: run tools/kernel/install-deps tree") from error


def must(args: Sequence[str | Path], what: str) -> str:
    """Run a program that has to succeed and return its standard output.

    Raises LabError starting with `what` and ending with the last lines
    that the program wrote to its standard error.
    """
    done = run(args)
    if done.returncode != 0:
        raise LabError(f"{what}: {tail(done.stderr)}")
    return done.stdout


def follow(
    args: Sequence[str | Path],
    log: IO[str],
    heard: Callable[[str], None],
    *,
    cwd: Path,
    env: dict[str, str],
) -> int:
    """Run a program, each line that it prints to a log and to `heard`.

    Returns its exit status. It is interrupted when `heard` raises, or the
    caller is interrupted, and killed with its session if it does not end.
    """
    # A session of its own: Ctrl-C comes from here, once, and then whatever
    # the program started has an end.
    with subprocess.Popen(
        [str(arg) for arg in args],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                log.write(line)
                log.flush()
                heard(line)
            return process.wait()
        except BaseException:
            _end(process)
            raise


def _end(process: subprocess.Popen[str]) -> None:
    """Interrupt a program, and kill its session if it does not end."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def tail(text: str, lines: int = 3) -> str:
    """The last lines of a program's output, joined to one."""
    kept = [line.strip() for line in text.splitlines() if line.strip()]
    return "; ".join(kept[-lines:]) or "no message"
