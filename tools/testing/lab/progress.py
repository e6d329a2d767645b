# SPDX-License-Identifier: GPL-2.0
"""One line of progress on a terminal, plain lines elsewhere."""

import shutil
import sys
import threading
import time
from collections.abc import Callable

Say = Callable[[str], None]
# Threads that say the same in turn say it so often, in a log.
REPEAT_S = 60


class Progress:
    """Says how far a command is, from any thread.

    On a terminal a line is overwritten by the next. Elsewhere a text that
    differs from the last in more than its numbers is a line of its own, unless
    it was said less than REPEAT_S ago, so that a log stays short.
    """

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._last = ""
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
        changed, self._last = text != self._last, text
        if not changed or seconds < self._said.get(text, -REPEAT_S) + REPEAT_S:
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
