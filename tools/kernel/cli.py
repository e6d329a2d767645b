# SPDX-License-Identifier: GPL-2.0
"""What the commands have in common: a kernel to work on, errors, Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from tools.kernel import tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Progress

Function = Callable[[argparse.Namespace, Progress], int]


class Commands:
    """A program of sub-commands."""

    def __init__(self, name: str, text: str) -> None:
        self._parser = argparse.ArgumentParser(prog=name, description=text)
        self._add = self._parser.add_subparsers(required=True, metavar="COMMAND")

    def add(self, name: str, function: Function, text: str) -> argparse.ArgumentParser:
        """Add a sub-command that works on a kernel, and has more options."""
        added = self._add.add_parser(name, help=text, description=text)
        added.set_defaults(function=function)
        added.add_argument("--base", help="kernel base: 7.2, 6.12, 6.1 [the newest]")
        added.add_argument(
            "--ksrc",
            type=lambda text: Path(text) if text else None,
            help="a kernel folder, tarball or git tree to use instead of Debian's",
        )
        return added

    def main(self, argv: list[str]) -> int:
        """Run one; the status is 1 on an error, 130 on Ctrl-C."""
        options = self._parser.parse_args(argv)
        return run(self._parser.prog, lambda say: int(options.function(options, say)))


def trees(options: argparse.Namespace, say: Progress) -> tree.Trees:
    """The trees that a sub-command works on; says which."""
    made = tree.make(options.base or None, options.ksrc, say=say)
    say.clear()
    note = f" ({made.note})" if made.note else ""
    print(f"kernel: linux {made.version} from {made.origin}{note}")
    return made


def run(name: str, work: Callable[[Progress], int]) -> int:
    """Run a program's work; the status is 1 on an error, 130 on Ctrl-C."""
    # As Ctrl-C does, so that guests and temporary folders go in either case.
    signal.signal(signal.SIGTERM, _terminate)
    say = Progress()
    try:
        return work(say)
    except LabError as error:
        say.clear()
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        say.clear()
        print(f"{name}: interrupted", file=sys.stderr)
        return 130


def _terminate(signum: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + signum)
