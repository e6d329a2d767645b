# SPDX-License-Identifier: GPL-2.0
"""The distribution's kernel source packages, and which one to take.

A base is a kernel version such as "7.2" for which patches/<base>/ exists.
Its source is the package linux-source-<base>, from the machine's own apt
when that has it, else from a suite that is asked besides.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.kernel import apt, command
from tools.kernel.errors import LabError, Unavailable
from tools.kernel.progress import Say

# The first that has the package is taken, so newest first.
SUITES = ("unstable", "testing", "trixie-backports", "trixie", "bookworm")

_HINT = "check the network and run apt-get update, or give a kernel tree of your own with KSRC="


@dataclass(frozen=True)
class Choice:
    """The base to use; package is None when its tree is there already."""

    base: str
    package: Path | None
    note: str = ""


def supported(patches: Path) -> list[str]:
    """The bases that have a folder in patches/, newest first."""
    found = [
        path.name
        for path in patches.glob("*")
        if path.is_dir() and re.fullmatch(r"\d+(\.\d+)+", path.name)
    ]
    return sorted(found, key=order, reverse=True)


def check(base: str, patches: Path) -> None:
    """Raise LabError when a base is not supported."""
    bases = supported(patches)
    if base not in bases:
        raise LabError(
            f"no patches/{base}: supported bases are {', '.join(bases)}; choose one with BASE="
        )


def choose(patches: Path, build: Path, ready: Callable[[str], bool], say: Say) -> Choice:
    """The newest supported base that can be had, with its package.

    `ready` tells whether a base's tree is made already: then nothing is
    fetched. Raises LabError when no base can be had, or when one arrived
    damaged.
    """
    reasons: list[str] = []
    for base in supported(patches):
        try:
            package = None if ready(base) else _fetch(base, build, say)
        except Unavailable as error:
            reasons.append(f"{base} cannot be had: {error}")
            continue
        return Choice(base, package, "\n".join(reasons))
    raise LabError("\n".join(["no kernel source:", *reasons, _HINT]))


def fetch(base: str, build: Path, say: Say) -> Path:
    """The package file of a base in build/download/, fetched when needed.

    Raises LabError when it cannot be had or arrives damaged.
    """
    try:
        return _fetch(base, build, say)
    except Unavailable as error:
        raise LabError(f"{error}\n{_HINT}") from error


def _fetch(base: str, build: Path, say: Say) -> Path:
    """fetch(), with Unavailable when no apt has the package."""
    folder = build / "download"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"linux-source-{base}"
    kept = _kept(folder, name, say)
    if kept is not None:
        return kept
    own = apt.machine()
    package = apt.candidate(own, name)
    if package is not None:
        try:
            return _download(own, package, folder, say)
        except Unavailable as error:
            # A stale index names files that the mirror has no more; the
            # lab's own index is fresh.
            say(str(error))
    other, package = _search(name, build, say)
    try:
        return _download(other, package, folder, say)
    except Unavailable as error:
        # The index came a moment ago, so this is a download cut off. An
        # older base instead would be a surprise that stays.
        raise LabError(f"{error}\n{_HINT}") from error


def origin(package: Path) -> str:
    """Name and version of a package file, "linux-source-7.2 7.2.13-1"."""
    args = ["dpkg-deb", "--show", "--showformat=${Package} ${Version}"]
    return command.must([*args, package], f"{package} is no Debian package")


def _search(name: str, build: Path, say: Say) -> tuple[apt.Apt, apt.Package]:
    """The first suite that has a package, its index just fetched."""
    uri = apt.mirror()
    reasons = []
    for suite in SUITES:
        say(f"looking for {name} in {suite}")
        other = apt.private(build / "apt" / suite, uri, suite)
        try:
            apt.update(other)
        except Unavailable as error:
            reasons.append(str(error))
            continue
        package = apt.candidate(other, name)
        if package is not None:
            return other, package
    reasons.append(f"{name} is in no suite of {', '.join(SUITES)}")
    raise Unavailable("\n".join(reasons))


def _download(own: apt.Apt, package: apt.Package, folder: Path, say: Say) -> Path:
    """Fetch a package into the folder of downloads and note its sum."""
    say(f"fetching {package} ({package.size_bytes // 10**6} MB)")
    partial = work(folder.parent)
    file = apt.download(own, package, partial)
    kept = folder / file.name
    # The sum comes first: a package without one is never trusted.
    _sum_file(kept).write_text(f"{package.sha256}  {kept.name}\n")
    os.replace(file, kept)
    return kept


def work(build: Path) -> Path:
    """A new folder for half-made things; tree.py removes them all.

    Never one of a fixed name: a program that a killed run started may go
    on writing to its own.
    """
    (build / ".tmp").mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(dir=build / ".tmp"))


def _kept(folder: Path, name: str, say: Say) -> Path | None:
    """The newest earlier download that is still whole."""
    files = folder.glob(f"{name}_*.deb")
    for file in sorted(files, key=os.path.getmtime, reverse=True):
        if not _sum_file(file).is_file():
            continue
        if _sum_file(file).read_text().split()[:1] == [apt.sha256(file)]:
            return file
        say(f"{file} is damaged and is fetched again")
        file.unlink()
        _sum_file(file).unlink()
    return None


def _sum_file(package: Path) -> Path:
    return package.with_name(package.name + ".sha256")


def order(base: str) -> tuple[int, ...]:
    """What sorts bases, "7.2" for one, by age."""
    return tuple(int(part) for part in base.split("."))
