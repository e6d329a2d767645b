# SPDX-License-Identifier: GPL-2.0
"""Allocations that fail, in the code of the output queue alone."""

import itertools
from pathlib import Path

DEBUG = Path("/sys/kernel/debug")
KINDS = ("failslab", "fail_page_alloc")
PERCENT = 10
# More than a stress can use up; what is left of it says how many failed.
TIMES = 1_000_000_000
CODE = "svc_outq"


def start() -> None:
    """Let allocations fail from now on, if the kernel can do so."""
    first, end = _range()
    for kind in KINDS:
        if (folder := DEBUG / kind).exists():
            for name, value in {
                "require-start": hex(first),
                "require-end": hex(end),
                "stacktrace-depth": "32",
                "ignore-gfp-wait": "N",
                "task-filter": "N",
                "verbose": "0",
                "interval": "1",
                "times": str(TIMES),
                "probability": str(PERCENT),
            }.items():
                (folder / name).write_text(value)
    for name, value in {"min-order": "0", "ignore-gfp-highmem": "N"}.items():
        if (file := DEBUG / "fail_page_alloc" / name).exists():
            file.write_text(value)


def stop() -> int:
    """Let allocations succeed again; how many failed."""
    failed = 0
    for kind in KINDS:
        if (folder := DEBUG / kind).exists():
            (folder / "probability").write_text("0")
            failed += TIMES - int((folder / "times").read_text())
    return failed


def _range() -> tuple[int, int]:
    """Where the queue's functions begin, and the first one behind them.

    Copies of its inline functions lie elsewhere, so it is the longest run.
    """
    symbols = []
    for line in Path("/proc/kallsyms").read_text().splitlines():
        address, kind, name = line.split()[:3]
        if kind in "tT":
            symbols.append((int(address, 16), name))
    symbols.sort()
    runs = []
    for ours, run in itertools.groupby(enumerate(symbols), lambda one: CODE in one[1][1]):
        indexes = [index for index, _ in run]
        if ours:
            runs.append((len(indexes), indexes[0], indexes[-1] + 1))
    _, first, end = max(runs)
    return symbols[first][0], symbols[end][0]
