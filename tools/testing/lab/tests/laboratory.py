# SPDX-License-Identifier: GPL-2.0
"""A repository with a kernel, in which tests make trees."""

from __future__ import annotations

from pathlib import Path

from tools.kernel import tree
from tools.testing.lab.tests import synthetic


class Lab:
    """A repository, a kernel for KSRC= and what was said."""

    def __init__(self, folder: Path) -> None:
        self.repo = synthetic.repo(folder / "repo")
        self.build = self.repo / "build"
        self.ksrc = synthetic.kernel(folder / "linux")
        self.said: list[str] = []

    def make(self, base: str | None = None) -> tree.Trees:
        """Make the trees of the kernel given with KSRC=."""
        return tree.make(
            base,
            self.ksrc,
            build=self.build,
            repo=self.repo,
            say=self.said.append,
        )

    def write(self, files: dict[str, str]) -> None:
        """Write files of the repository."""
        synthetic.write(self.repo, files)

    def patch(self, text: str) -> None:
        """Write the content of the first patch."""
        self.write({"patches/7.2/a.patch": text})


def contents(folder: Path) -> dict[str, bytes]:
    """The content of a tree's files, without what the lab notes there."""
    found = synthetic.snapshot(folder)
    return {
        name: found[name][1] for name in found if not name.startswith(".tcpbuf")
    }


def differences(trees: tree.Trees) -> set[str]:
    """The files in which the patched tree differs from the stock one."""
    stock, patched = contents(trees.stock), contents(trees.patched)
    names = stock.keys() | patched.keys()
    return {name for name in names if stock.get(name) != patched.get(name)}


ADDED = {
    "net/sunrpc/svcsock.c",
    "net/sunrpc/tcpbuf.c",
    "net/sunrpc/Kconfig.tcpbuf",
}
