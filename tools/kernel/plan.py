# SPDX-License-Identifier: GPL-2.0
"""Which hunks and which new files go into which patch of the series.

patches/series.toml says it once for all bases. Here it is held against what
a base really has, so that nothing is left out and nothing is named twice.
"""

from __future__ import annotations

import fnmatch
import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.kernel import overlay
from tools.kernel.errors import LabError

FILE = "series.toml"


@dataclass(frozen=True)
class Idea:
    """One patch of the series.

    patch:   file with its message and its hunks in upstream's files
    files:   new files that come with it, as patterns or, once resolved, names
    configs: entries of a new Kconfig file that come with it
    ignore:  checkpatch's types of findings to pass over, each with a reason
    """

    patch: str
    files: tuple[str, ...] = ()
    configs: tuple[str, ...] = ()
    ignore: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Message:
    """What a patch file says above its hunks."""

    subject: str
    body: str


def load(patches: Path) -> list[Idea]:
    """The ideas in their order. Raises LabError when the file is wrong."""
    path = patches / FILE
    try:
        rows = tomllib.loads(path.read_text())["idea"]
        ideas = [_idea(row) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabError(f"{path}: {error}") from error
    if not ideas:
        raise LabError(f"{path}: no [[idea]] in it")
    return ideas


def resolve(
    ideas: list[Idea], patches: Iterable[Path], want: Iterable[str], stock: Path
) -> list[Idea]:
    """The ideas with the names of the new files of a base.

    patches: all of the base. want: every touched file. Raises LabError when
    a patch or a new file is named by no idea or by two, when an idea names
    what is not there, or when a patch mixes upstream's files with new ones.
    """
    new = {name for name in want if not (stock / name).is_file()}
    given = {path.name: set(overlay.touched([path])) for path in patches}
    wrong: list[str] = []
    for idea in ideas:
        if idea.patch not in given:
            wrong.append(f"there is no {idea.patch}")
        elif given[idea.patch] & new:
            mixed = ", ".join(sorted(given[idea.patch] & new))
            wrong.append(f"{idea.patch} changes new files ({mixed})")
    # One that changes new files alone is an older kernel's dialect: they come
    # in their final form.
    dialects = {name for name, touched in given.items() if touched <= new}
    named = [idea.patch for idea in ideas]
    wrong += _once(set(given) - dialects, named, "patch")
    resolved, claimed = [], list[str]()
    for idea in ideas:
        names: list[str] = []
        for pattern in idea.files:
            found = sorted(fnmatch.filter(new, pattern))
            if not found:
                wrong.append(f"there is no new file {pattern}")
            names += found
        claimed += names
        resolved.append(
            Idea(idea.patch, tuple(names), idea.configs, idea.ignore)
        )
    wrong += _once(new, claimed, "new file")
    if wrong:
        raise LabError(f"patches/{FILE}: {'; '.join(wrong)}")
    return resolved


def message(patch: Path) -> Message:
    """The message in the head of a patch file.

    Raises LabError when there is none, or no subject apart from the rest.
    """
    head, mark, _ = patch.read_text().partition("\n---\n")
    lines = head.strip().splitlines()
    if not mark or len(lines) < 3 or lines[1].strip():
        raise LabError(
            f"{patch}: begins with no message: a subject, an empty line, "
            "text, and a line of ---"
        )
    return Message(lines[0].strip(), "\n".join(lines[2:]).strip())


def without(kconfig: str, configs: Iterable[str]) -> str:
    """A Kconfig file without some of its entries.

    Raises LabError for an entry that it does not have.
    """
    for config in configs:
        entry = rf"^config {config}\n(?:(?!config ).*\n)*"
        kconfig, count = re.subn(entry, "", kconfig, flags=re.MULTILINE)
        if count != 1:
            raise LabError(f"patches/{FILE}: no Kconfig has config {config}")
    return kconfig.rstrip("\n") + "\n" if configs else kconfig


def is_kconfig(name: str) -> bool:
    """Whether a file is one of Kconfig's, by its name."""
    return os.path.basename(name).startswith("Kconfig")


def _idea(row: dict[str, Any]) -> Idea:
    known = {"patch", "files", "configs", "ignore"}
    if row.keys() - known:
        raise ValueError(f"unknown: {', '.join(sorted(row.keys() - known))}")
    return Idea(
        str(row["patch"]),
        tuple(row.get("files", ())),
        tuple(row.get("configs", ())),
        dict(row.get("ignore", {})),
    )


def _once(there: set[str], named: list[str], what: str) -> list[str]:
    """What is wrong unless each is named exactly once."""
    return [
        f"{what} {name} is named by "
        + ("no idea" if not named.count(name) else "two ideas")
        for name in sorted(there)
        if named.count(name) != 1
    ]
