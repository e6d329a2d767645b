# SPDX-License-Identifier: GPL-2.0
"""Allocations that fail, in the code of the output queue alone."""

import itertools
from pathlib import Path

DEBUG = Path("/sys/kernel/debug")
KINDS = ("failslab", "fail_page_alloc")
PERCENT = 10
# More than a stress can use up; what is left of it says how many failed.
TIMES = 1_000_000_000
CODE = "svc_outq_"


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
    """Where the queue's functions begin, and the first one that is none."""
    symbols = []
    for line in Path("/proc/kallsyms").read_text().splitlines():
        address, kind, name = line.split()[:3]
        if kind in "tT":
            symbols.append((int(address, 16), name))
    end = next(address for address, name in symbols if name == "_etext")
    text = sorted(one for one in symbols if one[0] < end)
    ours = [i for i, (_, name) in enumerate(text) if _is_ours(name)]
    after = itertools.islice(text, ours[-1] + 1, None)
    return text[ours[0]][0], next(after)[0]


def _is_ours(name: str) -> bool:
    return name.startswith(CODE) and ".cold" not in name
