# SPDX-License-Identifier: GPL-2.0
"""Which stage may look into which: data flows one way."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What the files of a room may include beside their own room's headers.
COMMON = {"types.h", "units.h", "file.h"}
ALLOWED: dict[str, set[str]] = {
    "sense": set(),
    "model": set(),
    "policy": {"model"},
    "apply": set(),
    "report": set(),
}


def _edges() -> list[tuple[Path, Path]]:
    """Every file of a room, with each header of ours that it includes."""
    found = []
    for room in ALLOWED:
        for path in sorted((ROOT / room).glob("*.[ch]")):
            for name in re.findall(r'#include "(.+)"', path.read_text()):
                header = (path.parent / name).resolve().relative_to(ROOT)
                found.append((path.relative_to(ROOT), header))
    return found


def test_stages_know_what_they_may() -> None:
    edges = _edges()
    assert edges
    for path, header in edges:
        room, target = path.parts[0], header.parts[0]
        known = target == room or target in COMMON | ALLOWED[room]
        assert known, f"{path} must not include {header}"
