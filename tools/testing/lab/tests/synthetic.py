# SPDX-License-Identifier: GPL-2.0
"""Kernels of a dozen lines, and a repository in which tests make trees."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tools.kernel import tree

OLD = 1_600_000_000  # the time of every file in a synthetic kernel, seconds

MAKEFILE = """\
# SPDX-License-Identifier: GPL-2.0
VERSION = {0}
PATCHLEVEL = {1}
SUBLEVEL = {2}
EXTRAVERSION =
NAME = Test
"""

LINES = "".join(f"line {number}\n" for number in range(1, 21))

PATCH = """\
Subject: a patch

--- a/net/sunrpc/svcsock.c
+++ b/net/sunrpc/svcsock.c
@@ -2,6 +2,7 @@
 line 2
 line 3
 line 4
+{0}
 line 5
 line 6
 line 7
"""


SERIES = """\
[[series]]
name = "main"

[[series.patch]]
name = "a"

[[series.patch]]
name = "b"
"""


def run(*args: str | Path, cwd: Path | None = None) -> str:
    """Run a program that must succeed; return what it printed."""
    return subprocess.run(
        [str(arg) for arg in args], cwd=cwd, check=True, capture_output=True, text=True
    ).stdout


def kernel(folder: Path, version: str = "7.2.13") -> Path:
    """Make a kernel tree that has what the lab looks for."""
    files = {
        "Makefile": MAKEFILE.format(*version.split(".")),
        "net/sunrpc/svcsock.c": LINES,
        "net/sunrpc/xprtsock.c": LINES,
        "include/linux/sunrpc/svcsock.h": LINES,
        ".gitignore": ".*\n*.o\n!.gitignore\n",
    }
    write(folder, files)
    (folder / "scripts").mkdir()
    (folder / "scripts/link").symlink_to("../Makefile")
    for path in folder.rglob("*"):
        os.utime(path, (OLD, OLD), follow_symlinks=False)
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files, named relative to a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def repo(folder: Path, bases: tuple[str, ...] = ("7.2",)) -> Path:
    """Make what the project adds to a kernel: one patch, two files."""
    for base in bases:
        write(folder / "patches" / base, {"a.patch": PATCH.format("new")})
    write(folder, {"patches/series.toml": SERIES})
    write(folder, {"net/sunrpc/tcpbuf.c": "code\n", "Kconfig": "config\n"})
    return folder


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Time and content of every file below a folder."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


class Lab:
    """A repository, a kernel for KSRC= and what was said."""

    def __init__(self, folder: Path) -> None:
        self.repo = repo(folder / "repo")
        self.build = self.repo / "build"
        self.ksrc = kernel(folder / "linux")
        self.said: list[str] = []

    def make(self, base: str | None = None) -> tree.Trees:
        """Make the trees of the kernel given with KSRC=."""
        return tree.make(base, self.ksrc, build=self.build, repo=self.repo, say=self.said.append)

    def write(self, files: dict[str, str]) -> None:
        """Write files of the repository."""
        write(self.repo, files)

    def patch(self, text: str) -> None:
        """Write the content of the first patch."""
        self.write({"patches/7.2/a.patch": text})


def contents(folder: Path) -> dict[str, bytes]:
    """The content of a tree's files, without what the lab notes there."""
    found = snapshot(folder)
    return {name: found[name][1] for name in found if not name.startswith(".tcpbuf")}


def differences(trees: tree.Trees) -> set[str]:
    """The files in which the patched tree differs from the stock one."""
    stock, patched = contents(trees.stock), contents(trees.patched)
    names = stock.keys() | patched.keys()
    return {name for name in names if stock.get(name) != patched.get(name)}


ADDED = {"net/sunrpc/svcsock.c", "net/sunrpc/tcpbuf.c", "net/sunrpc/Kconfig.tcpbuf"}
