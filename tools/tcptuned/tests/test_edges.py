# SPDX-License-Identifier: GPL-2.0
"""The layout of the daemon: data flows one way, and names say from where."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# What the files of a stage may include beside their own stage's headers.
COMMON = {"base.h", "bdp.h", "types.h", "units.h", "file.h", "values.h", "words.h"}
STAGES = ("sense", "model", "policy", "apply", "report")
SOURCES = sorted(
    path for folder in (ROOT, *(ROOT / stage for stage in STAGES)) for path in folder.glob("*.c")
)
_NAMES = {
    "static function": r"^static [^\n;={}]*?\*?(\w+)\(",
    "static data": r"^static [^\n()]*?[ *](\w+)(?:\[[^\n]*\])* = ",
    "type": r"^(?:static const )?(?:struct|enum|union) (\w+) \{",
}


def _code(path: Path) -> str:
    """A source without its comments and strings."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


@pytest.mark.parametrize("stage", STAGES)
def test_includes(stage: str) -> None:
    """A stage knows its own headers and the common ones."""
    for path in sorted((ROOT / stage).glob("*.[ch]")):
        for name in re.findall(r'#include "(.+)"', path.read_text()):
            header = (path.parent / name).resolve().relative_to(ROOT)
            known = header.parts[0] == stage or header.parts[0] in COMMON
            assert known, f"{path.name} must not include {header}"


@pytest.mark.parametrize("stage", STAGES)
def test_boundaries_are_plain(stage: str) -> None:
    """What a stage is given or gives is data, never a function."""
    text = _code(ROOT / stage / f"{stage}.h") if stage != "report" else ""
    if stage == "report":
        text = "".join(map(_code, (ROOT / stage).glob("*.h")))
    assert "(*" not in text + _code(ROOT / "types.h") + _code(ROOT / "values.h")


@pytest.mark.parametrize("stage", STAGES)
def test_no_circles(stage: str) -> None:
    """No file of a stage calls one that calls it back."""
    code = {path: _code(path) for path in (ROOT / stage).glob("*.c")}
    defined = {
        path: set(re.findall(r"^(?!static )\w[^\n;={}]*?\*?(\w+)\(", text, re.MULTILINE))
        for path, text in code.items()
    }
    calls = {
        path: {
            other
            for other, names in defined.items()
            if other != path and names & set(re.findall(r"\b(\w+)\(", text)) - defined[path]
        }
        for path, text in code.items()
    }
    assert any(calls.values())
    TopologicalSorter(calls).prepare()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_prefixes(path: Path) -> None:
    """What is private to a file carries its name."""
    stem = path.stem.removesuffix("s")
    for kind, pattern in _NAMES.items():
        for name in re.findall(pattern, _code(path), re.MULTILINE):
            known = name == "main" or re.match(rf"{stem}s?(_|$)", name)
            assert known, f"{kind} {name} in {path.name}"
