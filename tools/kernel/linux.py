# SPDX-License-Identifier: GPL-2.0
"""What makes a folder a kernel tree, and how one is unpacked."""

from __future__ import annotations

import re
from pathlib import Path

from tools.kernel import command
from tools.kernel.errors import LabError


def version(folder: Path) -> str:
    """A kernel tree's version such as "7.2.13" or "7.3.0-rc1".

    Raises LabError when the folder is not a kernel tree.
    """
    fields = _fields(folder)
    if not fields or not (folder / "net/sunrpc").is_dir():
        raise LabError(
            f"{folder}: not a kernel tree (no Makefile with VERSION and "
            "PATCHLEVEL, or no net/sunrpc): give the top folder of one"
        )
    sub = fields.get("SUBLEVEL") or "0"
    extra = fields.get("EXTRAVERSION", "")
    return f"{fields['VERSION']}.{fields['PATCHLEVEL']}.{sub}{extra}"


def base(kernel_version: str) -> str:
    """The base that a version belongs to: "7.2.13" is "7.2"."""
    return ".".join(kernel_version.split(".")[:2])


def unpack(archive: Path, work: Path) -> Path:
    """Unpack a tarball or a source package; return the tree's folder.

    `work` is made, and is the caller's to remove. The archive's times are
    kept. Raises LabError when the archive is damaged or holds no kernel.
    """
    work.mkdir(parents=True)
    if archive.suffix == ".deb":
        parts = work / "deb"
        command.must(["dpkg-deb", "--extract", archive, parts], f"{archive} cannot be unpacked")
        archive = _only_tarball(archive, parts / "usr/src")
    tree = work / "tree"
    tree.mkdir()
    command.must(
        ["tar", "--no-same-owner", "-C", tree, "-xf", archive],
        f"{archive.name} cannot be unpacked (cut off, not a tarball, or "
        "its compression program is not installed)",
    )
    return _top(tree, archive)


def _fields(folder: Path) -> dict[str, str]:
    """The version's parts from a kernel's Makefile, empty when not one."""
    try:
        with (folder / "Makefile").open(errors="replace") as makefile:
            head = makefile.read(1000)
    except OSError:
        return {}
    names = r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION)[ \t]*=[ \t]*(\S*)"
    fields = dict(re.findall(names, head, re.MULTILINE))
    return fields if fields.get("VERSION") and fields.get("PATCHLEVEL") else {}


def _only_tarball(package: Path, folder: Path) -> Path:
    found = list(folder.glob("linux-source-*.tar.*"))
    if len(found) != 1:
        raise LabError(
            f"{package}: no usr/src/linux-source-*.tar.* in it: not a kernel source package"
        )
    return found[0]


def _top(folder: Path, archive: Path) -> Path:
    """The kernel's folder in an unpacked tarball: itself or its only one."""
    for tree in [folder, *sorted(folder.iterdir())]:
        if (tree / "net/sunrpc").is_dir() and _fields(tree):
            return tree
    raise LabError(f"{archive}: no kernel tree in it")
