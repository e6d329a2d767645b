# SPDX-License-Identifier: GPL-2.0
"""Who may know whom: tests the product, and the product nothing of tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.kernel import tree

KERNEL = "tools.kernel"
LAB = "tools.testing.lab"
# What the files of a folder may import, by how it begins.
MAY = {
    "tools/kernel": (KERNEL,),
    "tools/testing/lab/guest": (*(KERNEL, f"{LAB}.guest", f"{LAB}.scenario", f"{LAB}.wire"),),
    "tools/testing/lab/stress": (
        *(KERNEL, f"{LAB}.guest", f"{LAB}.stress", f"{LAB}.scenario"),
        *(f"{LAB}.image", f"{LAB}.kunit", f"{LAB}.rows", f"{LAB}.digests"),
    ),
}
# And what those may not, that need most of the lab.
NEVER = {
    "tools/testing/lab": (f"{LAB}.tests", "tools.testing.boot"),
    "tools/testing/lab/bench": (*(f"{LAB}.tests", f"{LAB}.stress", "tools.testing.boot"),),
    "tools/testing/boot": (f"{LAB}.tests", f"{LAB}.stress"),
}
# Of the kernel's own tree, where the series adds to it.
SELFTESTS = "tools/testing/selftests/sunrpc"
PRODUCT = ("tree", "series", "module", "tcptuned", "install", "deb")


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _programs(folder: Path) -> list[Path]:
    files = (path for path in folder.iterdir() if path.is_file())
    return [path for path in files if path.suffix == ".py" or b"python" in path.read_bytes()[:20]]


@pytest.mark.parametrize("folder", [*MAY, *NEVER])
def test_imports(folder: str) -> None:
    wrong = [
        f"{path.name} imports {name}"
        for path in _programs(tree.REPO / folder)
        for name in _imports(path)
        if name.startswith("tools.")
        and (
            name.startswith(NEVER.get(folder, ()))
            or not name.startswith(MAY.get(folder, ("tools.",)))
        )
    ]
    assert not wrong


def test_what_is_shipped_needs_no_tests() -> None:
    folders = (tree.REPO / "debian", tree.REPO / "tools/kernel")
    for path in (path for folder in folders for path in folder.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            text = path.read_text().replace(SELFTESTS, "")
            assert "tools/testing" not in text, path


def test_commands_for_users_run_no_tests() -> None:
    makefile = (tree.REPO / "Makefile").read_text()
    for name in PRODUCT:
        recipe = re.search(rf"^{name}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
        assert recipe, name
        assert not re.search(r"\$\(LAB\)|tools/testing", recipe[1]), name


def test_dkms_has_all_that_it_imports() -> None:
    rules = (tree.REPO / "debian/rules").read_text()
    listed = re.search(r"^DROP_IN := (.*)$", rules, re.MULTILINE)
    assert listed
    found, new = set[str](), {"drop_in"}
    while new:
        found |= new
        new = {
            name.split(".")[2]
            for module in found
            for name in _imports(tree.REPO / f"tools/kernel/{module}.py")
            if name.startswith(f"{KERNEL}.")
        } - found
    assert set(listed[1].split()) == found
