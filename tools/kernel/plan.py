# SPDX-License-Identifier: GPL-2.0
"""Which series there are, and which hunks and new files are in which patch.

    patches/series.toml         the series in their order, their patches
    patches/messages/NAME.txt   what a patch says: a subject, a line, the rest
    patches/messages/NAME.cover what a series' cover letter says, likewise
    patches/BASE/NAME.patch     a patch's hunks in files that BASE has itself
    patches/BASE/adapt.patch    what BASE needs changed in the new files
    patches/changes/NAME.patch  what a patch changes in the new files of those
                                before it; a base's own form is in BASE/changes/

A patch without hunks has new files alone. Here the plan is held against what
a base really has, so that nothing is left out and nothing is named twice.
"""

from __future__ import annotations

import fnmatch
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tools.kernel.errors import LabError

FILE = "series.toml"
MESSAGES = "messages"
CHANGES = "changes"
# Not sent, and of no series: the new files come in the form that it gives them.
ADAPT = "adapt.patch"

# Names of files in a patch: a header's has a first folder that -p1 cuts
# off, a rename's has not.
_HEADER = re.compile(rb"^(?:---|\+\+\+) [^/\s]+/([^\t\r\n]+)", re.MULTILINE)
_RENAME = re.compile(rb"^(?:rename|copy) (?:from|to) ([^\t\r\n]+)", re.MULTILINE)


@dataclass(frozen=True)
class Patch:
    """One patch of a series.

    name:    of the files with its message and its hunks
    files:   new files that come with it, as patterns or, once resolved, names
    ignore:  checkpatch's types of findings to pass over, each with a reason
    """

    name: str
    files: tuple[str, ...] = ()
    ignore: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Series:
    """Patches that are sent together, on top of those of the series before.

    bases:       those that it is for; all when empty
    independent: whether it is sent for the stock tree alone, as a fix is
    """

    name: str
    patches: tuple[Patch, ...]
    bases: tuple[str, ...] = ()
    independent: bool = False

    def is_for(self, base: str) -> bool:
        """Whether a base has the series."""
        return not self.bases or base in self.bases


@dataclass(frozen=True)
class Message:
    """What a patch or a cover letter says."""

    subject: str
    body: str


def load(patches: Path) -> list[Series]:
    """The series in their order. Raises LabError when the file is wrong."""
    path = patches / FILE
    try:
        found = [_series(r) for r in tomllib.loads(path.read_text())["series"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabError(f"{path}: {error}") from error
    for what, names in (
        ("series", [series.name for series in found]),
        ("patches", [p.name for series in found for p in series.patches]),
    ):
        if not names:
            raise LabError(f"{path}: no {what}")
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise LabError(f"{path}: two {what} {' '.join(sorted(twice))}")
    return found


def of_base(patches: Path, base: str) -> list[Series]:
    """The series that a base has."""
    return [series for series in load(patches) if series.is_for(base)]


def hunks(patches: Path, base: str) -> list[Path]:
    """A base's files of hunks, in the order in which they apply.

    Raises LabError when one is named by no series of the base.
    """
    names = [p.name for series in of_base(patches, base) for p in series.patches]
    paths = [patches / base / f"{name}.patch" for name in names]
    paths.append(patches / base / ADAPT)
    strangers = set((patches / base).glob("*.patch")) - set(paths)
    strangers |= {
        path
        for path in patches.glob(f"**/{CHANGES}/*.patch")
        if path.stem not in {p.name for s in load(patches) for p in s.patches}
    }
    if strangers:
        name = min(strangers).relative_to(patches)
        raise LabError(f"{patches / FILE}: {name} is in no series")
    return [path for path in paths if path.is_file()]


def foreign(patches: Path, base: str) -> list[Patch]:
    """The patches that a base does not get."""
    return [
        patch for series in load(patches) if not series.is_for(base) for patch in series.patches
    ]


def touched(paths: Iterable[Path]) -> Iterator[str]:
    """The files that patches name, as they are named in a tree.

    A removed line may look like a header: callers drop the names that
    are nowhere. What leads out of the tree is dropped here.
    """
    for path in paths:
        text = path.read_bytes()
        for found in _HEADER.findall(text) + _RENAME.findall(text):
            name = os.fsdecode(found)
            if not name.startswith("/") and ".." not in name.split("/"):
                yield name


def resolve(patches: Path, base: str, want: Iterable[str], stock: Path) -> list[Series]:
    """The series of a base with the names of its new files.

    want: every touched file. Raises LabError when a new file is of no patch
    or of two, when a patch names what is not there or has nothing to change,
    or when hunks in upstream's files and new ones are mixed.
    """
    new = {name for name in want if not (stock / name).is_file()}
    wrong: list[str] = []
    for path in hunks(patches, base):
        names = set(touched([path]))
        odd = names - new if path.name == ADAPT else names & new
        if odd:
            which = "upstream's" if path.name == ADAPT else "new"
            wrong.append(f"{base}/{path.name} changes {which} files ({', '.join(sorted(odd))})")
    claimed: list[str] = []

    def one(patch: Patch) -> Patch:
        files: list[str] = []
        for pattern in patch.files:
            found = sorted(fnmatch.filter(new, pattern))
            if not found:
                wrong.append(f"there is no new file {pattern}")
            files += found
        claimed.extend(files)
        if not files and not (patches / base / f"{patch.name}.patch").is_file():
            wrong.append(f"there is no {base}/{patch.name}.patch")
        return replace(patch, files=tuple(files))

    resolved = [
        replace(series, patches=tuple(map(one, series.patches)))
        for series in of_base(patches, base)
    ]
    wrong += [
        f"new file {name} is in {'two patches' if name in claimed else 'no patch'}"
        for name in sorted(new)
        if claimed.count(name) != 1
    ]
    if wrong:
        raise LabError(f"patches/{FILE}: {'; '.join(wrong)}")
    return resolved


def message(patches: Path, patch: Patch) -> Message:
    """What a patch says. Raises LabError when there is no such text."""
    return _message(patches / MESSAGES / f"{patch.name}.txt")


def cover(patches: Path, series: Series) -> Message | None:
    """What a cover letter says; a patch that is alone may have none."""
    path = patches / MESSAGES / f"{series.name}.cover"
    if len(series.patches) == 1 and not path.is_file():
        return None
    return _message(path)


def changes(patches: Path, base: str, patch: Patch) -> Path | None:
    """What a patch changes in the new files of those before it, if anything."""
    for folder in (patches / base, patches):
        path = folder / CHANGES / f"{patch.name}.patch"
        if path.is_file():
            return path
    return None


def _message(path: Path) -> Message:
    try:
        lines = path.read_text().strip().splitlines()
    except OSError as error:
        raise LabError(f"no message {path}: {error.strerror}") from error
    if len(lines) < 3 or lines[1].strip():
        raise LabError(f"{path}: not a subject, an empty line, and text")
    return Message(lines[0].strip(), "\n".join(lines[2:]).strip())


def _series(row: dict[str, Any]) -> Series:
    _known(row, "name", "patch", "bases", "independent")
    return Series(
        str(row["name"]),
        tuple(_patch(patch) for patch in row["patch"]),
        tuple(row.get("bases", ())),
        bool(row.get("independent", False)),
    )


def _patch(row: dict[str, Any]) -> Patch:
    _known(row, "name", "files", "ignore")
    return Patch(str(row["name"]), tuple(row.get("files", ())), dict(row.get("ignore", {})))


def _known(row: dict[str, Any], *names: str) -> None:
    unknown = sorted(row.keys() - set(names))
    if unknown:
        raise ValueError(f"unknown: {', '.join(unknown)}")
