# SPDX-License-Identifier: GPL-2.0
"""A kernel source that the user names: KSRC=folder, git tree or archive."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools.kernel import command, linux
from tools.kernel.errors import LabError


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

    Raises LabError when it does not exist, is no kernel tree, or was built in
    and is not in git, which would tell sources from products.
    """
    path = Path(os.path.abspath(path))
    if path.is_dir():
        version = linux.version(path)
        files: tuple[str, ...] | None = _files(path)
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
    tree = work / "tree"
    tree.mkdir(parents=True)
    args = ["xargs", "-0", "-r", "cp", "-a", "--reflink=auto", "--parents"]
    done = subprocess.run(
        [*args, "-t", tree, "--"],
        check=False,
        cwd=source.path,
        input=os.fsencode("\0".join(source.files)),
        capture_output=True,
    )
    if done.returncode:
        reason = command.tail(os.fsdecode(done.stderr))
        raise LabError(f"{source.path} cannot be copied: {reason}")
    return tree


def _files(path: Path) -> tuple[str, ...]:
    """What belongs to the source, relative to its top."""
    if (path / ".git").exists():
        # The tree may be another user's (root builds, a person edits).
        list_them = ["git", "-c", "safe.directory=*", "-C", str(path)]
        list_them += ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        list_them += ["--deduplicate"]
    elif (path / ".config").exists():
        raise LabError(f"KSRC={path}: run `make mrproper` there")
    else:
        list_them = ["find", str(path), "-not", "-type", "d", "-printf", "%P\\0"]
    listed = command.must(list_them, f"KSRC={path}: cannot be listed")
    names = (name for name in listed.split("\0") if name)
    return tuple(sorted(n for n in names if os.path.lexists(path / n)))


def _identity(path: Path, files: tuple[str, ...] | None) -> str:
    """A hash of names, sizes and times: a look, not a read of 2 GB.

    The time of the last change of any kind: a tarball's unpacking sets the
    other one to the same value for different content.
    """
    total = hashlib.sha256()
    for name in ("",) if files is None else files:
        stat = os.lstat(path / name)
        line = f"{name}\0{stat.st_size}\0{stat.st_ctime_ns}\n"
        total.update(os.fsencode(line))
    return total.hexdigest()
