# SPDX-License-Identifier: GPL-2.0
"""Builds of net/sunrpc after every patch of the series.

Each patch has to build alone, with the feature on and off, and to bring no
warning of gcc (W=1) or sparse (C=1) that the stock tree has not. The tree
that is built has links to the stock tree's files; a patch replaces a link
by a file of its own, so the stock tree stays as it is.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from tools.kernel import command, kbuild, plan, series, tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Say

_GOAL = "net/sunrpc/"

# What the feature is built as: name of the folder of objects, options.
VARIANTS = {
    "on": ("CONFIG_SUNRPC_TCPBUF=y", "CONFIG_SUNRPC_TCPBUF_KUNIT_TEST=y", "CONFIG_FTRACE=y"),
    "off": ("# CONFIG_SUNRPC_TCPBUF is not set", "# CONFIG_SUNRPC_TCPBUF_KUNIT_TEST is not set"),
}

_WARNING = re.compile(r"^(?:\.\./)*([^\s:]+):(?:\d+:)*\s*((?:warning|error):.*)", re.IGNORECASE)


def build(
    made: list[series.Series],
    trees: tree.Trees,
    say: Say,
    done: Callable[[Path], None],
    *,
    only: str = "",
) -> str:
    """Build after every patch; `done` hears of each that is fine.

    only: the series whose patches are built. Returns who looked for warnings.
    Raises LabError at the first patch that does not build or warns anew.
    """
    place = trees.patched.parent / f"steps-{trees.base}"
    alone = place.with_name(place.name + "-alone")
    for folder in (place, alone):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        _link(trees.stock, place)
        known = _warnings(place, "stock", trees, say)
        for one in made:
            where = place
            if one.planned.independent:
                _link(trees.stock, alone)
                where = alone
            for patch, _ in one.patches:
                _apply(patch, where)
                if where == alone:
                    _apply(patch, place)
                if only in ("", one.planned.name):
                    _fine(where, patch, known, trees, say)
                    done(patch)
            shutil.rmtree(alone, ignore_errors=True)
        # That the last state is the patched tree says that each was built.
        paths = [patch for one in made for patch, _ in one.patches]
        wrong = [
            name
            for name in plan.touched(paths)
            if not series.agree(place / name, trees.patched / name)
        ]
        if wrong:
            raise LabError(f"{place} is not what was to be built: {wrong}")
        return _checkers(trees)
    finally:
        for folder in (place, alone):
            shutil.rmtree(folder, ignore_errors=True)


def _fine(place: Path, patch: Path, known: set[str], trees: tree.Trees, say: Say) -> None:
    """Build; raise LabError at a warning that the stock tree has not."""
    new = _warnings(place, patch.name, trees, say) - known
    if new:
        raise LabError(f"{patch.name} brings warnings: {'; '.join(sorted(new))}")


def warnings(output: str) -> set[str]:
    """The warnings in a compiler's output, without line numbers.

    A line that moved is no new warning.
    """
    return {
        f"{found[1]}: {found[2]}" for found in map(_WARNING.match, output.splitlines()) if found
    }


def _apply(patch: Path, place: Path) -> None:
    """Apply a patch without writing through a link.

    git takes a file away and writes a new one: its other name, which is the
    stock tree's, keeps the content. It must not find the repository that the
    folder lies in, where it would look for the files at the top.
    """
    above = os.fspath(place.parent)
    series.git(place, "apply", patch, GIT_CEILING_DIRECTORIES=above)


def _link(stock: Path, place: Path) -> None:
    """A tree of links to the stock tree's files, without objects."""
    place.mkdir()
    tops = [top for top in sorted(stock.iterdir()) if _is_source(top)]
    command.must(["cp", "-al", "-t", place, "--", *tops], f"{stock} cannot be linked to {place}")


def _is_source(top: Path) -> bool:
    """Whether an entry of the stock tree is the kernel's, not made here."""
    return not re.fullmatch(r"(um|x86)(-.*)?|\.tcpbuf-.*", top.name)


def _warnings(place: Path, what: str, trees: tree.Trees, say: Say) -> set[str]:
    """Build all variants; return what the compilers said."""
    found: set[str] = set()
    for name, options in VARIANTS.items():
        objects = place / f"um-{name}"
        objects.mkdir(exist_ok=True)
        log = _log(trees, name)
        with log.open("w") as file:
            text = f"{what}, {name}"
            kbuild.configure(place, objects, options, file, say, text)
            kbuild.make(place, objects, _goals(), file, say, text)
        found |= warnings(log.read_text())
    return found


def _log(trees: tree.Trees, variant: str) -> Path:
    logs = trees.patched.parent / "log"
    logs.mkdir(exist_ok=True)
    return logs / f"steps-{trees.base}-{variant}.log"


def _checkers(trees: tree.Trees) -> str:
    """Who looked for warnings; new kernels refuse an old sparse."""
    if not shutil.which("sparse"):
        return "gcc W=1 (sparse is not installed)"
    if "is not available or not up to date" in _log(trees, "on").read_text():
        return "gcc W=1 (this kernel wants a newer sparse)"
    return "gcc W=1 and sparse C=1"


def _goals() -> list[str]:
    """What to say to make: the folder, gcc's warnings and sparse's."""
    checker = ["C=1"] if shutil.which("sparse") else []
    return [_GOAL, "W=1", *checker]
