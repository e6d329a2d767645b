# SPDX-License-Identifier: GPL-2.0
"""Locks between processes; they go with whoever holds them."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.kernel.progress import Say


@contextmanager
def held(path: Path, say: Say) -> Iterator[None]:
    """Hold the lock that a file stands for; waits for it."""
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another run in {path.parent}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
