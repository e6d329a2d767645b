# SPDX-License-Identifier: GPL-2.0
"""The map of the tree: two walks of six files, and what each is said to have."""

import re

from tools.kernel import tree

# A step of a walk: its file, and its text, in which ``this`` is in the file.
STEP = re.compile(r"^#\. ``(.*)``:(.*\n(?: .*\n)*)", re.MULTILINE)


def test_what_the_map_names_is_there() -> None:
    steps = STEP.findall((tree.REPO / "Documentation/map.rst").read_text())
    assert len(steps) == 12
    for name, text in steps:
        source = (tree.REPO / name).read_text()
        named = re.findall(r"``(\w+)(?:\(\))?``", text)
        for symbol in named:
            assert re.search(rf"\b{symbol}\b", source), f"{name}: {symbol}"
