# SPDX-License-Identifier: GPL-2.0
"""One line of progress on a terminal, plain lines elsewhere."""

import shutil
import sys
import threading
import time
from collections.abc import Callable

Say = Callable[[str], None]


class Progress:
    """Says how far a command is, from any thread.

    On a terminal a line is overwritten by the next. Elsewhere every text that
    differs from the last in more than its numbers is a line of its own, so
    that a log stays short.
    """

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._last = ""

    def __call__(self, text: str) -> None:
        """Show text, which is one line."""
        with self._lock:
            seconds = time.monotonic() - self._start
            line = f"[{seconds:4.0f} s] {text}"
            if self._terminal:
                width = shutil.get_terminal_size().columns - 1
                sys.stderr.write(f"\r\033[K{line[:width]}")
            elif _without_numbers(text) != self._last:
                sys.stderr.write(f"{line}\n")
            self._last = _without_numbers(text)
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away before something else is printed."""
        with self._lock:
            if self._terminal:
                sys.stderr.write("\r\033[K")
                sys.stderr.flush()


def _without_numbers(text: str) -> str:
    return "".join(c for c in text if not c.isdigit())
