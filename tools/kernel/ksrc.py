# SPDX-License-Identifier: GPL-2.0
"""A kernel source that the user names: KSRC=folder, git tree or archive."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.kernel import command, linux
from tools.kernel.errors import LabError

# Products that kbuild leaves beside the sources. Whatever else it made
# has a .NAME.cmd beside it, see _products().
_PRODUCT_ENDS = (".o", ".a", ".ko", ".mod", ".mod.c", ".cmd", ".order")
_PRODUCT_NAMES = (".config", ".config.old", "Module.symvers", "System.map")
_PRODUCT_FOLDERS = ("include/config", "include/generated")


@dataclass(frozen=True)
class Ksrc:
    """A source by content.

    place:    short hash of where it lies, names its trees below build/
    identity: changes with the content (file names, sizes and times)
    version:  the kernel's; empty for an archive, not opened yet
    files:    what to copy from a folder; None for an archive
    """

    path: Path
    place: str
    identity: str
    version: str
    files: tuple[str, ...] | None


def find(path: Path) -> Ksrc:
    """Look at what KSRC= names without copying anything.

    Raises LabError when it does not exist or is not a kernel tree.
    """
    path = Path(os.path.abspath(path))
    if path.is_dir():
        version = linux.version(path)
        files: tuple[str, ...] | None = tuple(sorted(_files(path)))
    elif path.is_file():
        version, files = "", None
    else:
        raise LabError(f"KSRC={path}: no such folder or file")
    place = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    return Ksrc(path, place, _identity(path, files), version, files)


def unpack(source: Ksrc, work: Path) -> Path:
    """Copy or unpack the source below `work`; return the tree's folder.

    Raises LabError when that fails.
    """
    if source.files is None:
        return linux.unpack(source.path, work)
    work.mkdir(parents=True)
    linux.copy(source.files, source.path, work / "tree")
    return work / "tree"


def _files(path: Path) -> Iterator[str]:
    """What belongs to the source, relative to its top."""
    if (path / ".git").exists():
        return _git_files(path)
    return _plain_files(path)


def _git_files(path: Path) -> Iterator[str]:
    """A working tree's files: tracked, or new and not ignored."""
    # The tree may be another user's (root builds, a person edits).
    git = ["git", "-c", "safe.directory=*", "-C", str(path)]
    what = ["--cached", "--others", "--exclude-standard", "--deduplicate"]
    listed = command.must(
        [*git, "ls-files", "-z", *what],
        f"KSRC={path}: git cannot list it",
    )
    for name in listed.split("\0"):
        if name and os.path.lexists(path / name):
            yield name


def _plain_files(path: Path) -> Iterator[str]:
    """A folder's files without what a build left there.

    Its .gitignore is no help: Debian's ignores the whole tree.
    """
    top = os.fspath(path)
    for folder, subfolders, names in os.walk(top):
        subfolders[:] = [
            name for name in subfolders if not _built(path, folder, name)
        ]
        links = [n for n in subfolders if os.path.islink(f"{folder}/{n}")]
        products = _products(names)
        for name in [*names, *links]:
            if name not in products:
                yield os.path.relpath(f"{folder}/{name}", top)


def _built(path: Path, folder: str, name: str) -> bool:
    """Whether a subfolder holds only what a build made."""
    real = os.path.realpath(path)
    inside = os.path.relpath(f"{folder}/{name}", path)
    if inside in _PRODUCT_FOLDERS:
        return True
    if inside.startswith("arch/") and inside.endswith("/include/generated"):
        return True
    # An output folder (O=) has a link to the sources it was made from.
    source = f"{folder}/{name}/source"
    return os.path.islink(source) and os.path.realpath(source) == real


def _products(names: list[str]) -> set[str]:
    """The names in one folder that a build made."""
    commands = {
        name[1:-4]
        for name in names
        if name.startswith(".") and name.endswith(".cmd")
    }
    ends = {name for name in names if name.endswith(_PRODUCT_ENDS)}
    return commands | ends | set(_PRODUCT_NAMES)


def _identity(path: Path, files: tuple[str, ...] | None) -> str:
    """A hash of names, sizes and times: a look, not a read of 2 GB.

    The time of the last change of any kind: a tarball's unpacking sets the
    other one to the same value for different content.
    """
    total = hashlib.sha256()
    for name in ("",) if files is None else files:
        stat = os.lstat(f"{path}/{name}" if name else path)
        line = f"{name}\0{stat.st_size}\0{stat.st_ctime_ns}\n"
        total.update(os.fsencode(line))
    return total.hexdigest()
