# SPDX-License-Identifier: GPL-2.0
"""One line of progress on a terminal, plain lines elsewhere."""

import shutil
import sys
import threading
import time
from collections.abc import Callable

Say = Callable[[str], None]
# How often a log has a text of which no more than the numbers change.
REPEAT_S = 60


class Progress:
    """Says how far a command is, from any thread.

    On a terminal a line is overwritten by the next. Elsewhere each is a line of
    its own, unless it was said less than REPEAT_S ago with other numbers, so
    that a log stays short.
    """

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._said: dict[str, float] = {}

    def __call__(self, text: str) -> None:
        """Show text, which is one line."""
        with self._lock:
            seconds = time.monotonic() - self._start
            line = f"[{seconds:4.0f} s] {text}"
            if self._terminal:
                width = shutil.get_terminal_size().columns - 1
                sys.stderr.write(f"\r\033[K{line[:width]}")
            elif self._is_news(_without_numbers(text), seconds):
                sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    def _is_news(self, text: str, seconds: float) -> bool:
        if seconds < self._said.get(text, -REPEAT_S) + REPEAT_S:
            return False
        self._said[text] = seconds
        return True

    def clear(self) -> None:
        """Take the line away before something else is printed."""
        with self._lock:
            if self._terminal:
                sys.stderr.write("\r\033[K")
                sys.stderr.flush()


def _without_numbers(text: str) -> str:
    return "".join(c for c in text if not c.isdigit())
