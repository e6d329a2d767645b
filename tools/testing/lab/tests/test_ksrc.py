# SPDX-License-Identifier: GPL-2.0
"""KSRC=: every form that it takes, and those that will not do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.kernel.errors import LabError
from tools.testing.lab.tests import synthetic
from tools.testing.lab.tests.laboratory import ADDED, Lab, contents, differences


def _folder(linux: Path) -> Path:
    products = {
        "net/sunrpc/svcsock.o": "",
        "net/sunrpc/.svcsock.o.cmd": "",
        "net/sunrpc/made.h": "",
        "net/sunrpc/.made.h.cmd": "",
        "include/config/auto.conf": "",
        "arch/um/include/generated/a.h": "",
        ".config": "",
        "out/Makefile": "",
    }
    synthetic.write(linux, products)
    (linux / "out/source").symlink_to("..")
    return linux


def _tarball(linux: Path) -> Path:
    archive = linux.with_name("linux.tar.xz")
    synthetic.run("tar", "-C", linux.parent, "-caf", archive, "linux")
    return archive


def _git(linux: Path) -> Path:
    me = ("-c", "user.name=T", "-c", "user.email=t@example.org")
    synthetic.run("git", "init", "-q", cwd=linux)
    (linux / "tracked.c").write_text("")
    (linux / "gone.c").write_text("")
    synthetic.run("git", "add", "-f", ".", cwd=linux)
    synthetic.run("git", *me, "commit", "-qm", "x", cwd=linux)
    (linux / "gone.c").unlink()
    (linux / "ignored.o").write_text("")
    (linux / "tracked.c").unlink()
    return linux


FORMS = [_folder, _tarball, _git]


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_ksrc(lab: Lab, form: Callable[[Path], Path]) -> None:
    expected = contents(lab.ksrc)
    lab.ksrc = form(lab.ksrc)
    trees = lab.make()
    assert contents(trees.stock) == expected
    assert trees.stock.name.startswith("linux-7.2.13-ksrc-")
    assert (trees.stock / "scripts/link").is_symlink()
    said = len(lab.said)
    assert lab.make() == trees
    assert len(lab.said) == said


def _no_sunrpc(linux: Path) -> Path:
    shutil.rmtree(linux / "net/sunrpc")
    return linux


def _cut_tarball(linux: Path) -> Path:
    archive = _tarball(linux)
    archive.write_bytes(archive.read_bytes()[:-50])
    return archive


def _other_version(linux: Path) -> Path:
    shutil.rmtree(linux)
    return synthetic.kernel(linux, "5.4.1")


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (_no_sunrpc, "not a kernel tree"),
        (_cut_tarball, "linux.tar.xz cannot be unpacked"),
        (_other_version, "no patches/5.4: supported bases are 7.2; .*BASE="),
    ],
)
def test_ksrc_that_will_not_do(
    lab: Lab, form: Callable[[Path], Path], message: str
) -> None:
    lab.ksrc = form(lab.ksrc)
    with pytest.raises(LabError, match=message):
        lab.make()
    assert [path.name for path in lab.build.iterdir()] == [".lock"]


def test_base_forces(lab: Lab) -> None:
    lab.ksrc = _other_version(lab.ksrc)
    trees = lab.make("7.2")
    assert (trees.base, trees.version) == ("7.2", "5.4.1")
    assert differences(trees) == ADDED


def test_changed_ksrc_is_copied_again(lab: Lab) -> None:
    first = lab.make()
    shutil.rmtree(lab.ksrc)
    synthetic.kernel(lab.ksrc, "7.2.14")
    second = lab.make()
    assert (second.version, first.stock.exists()) == ("7.2.14", False)
    assert second.stock_key != first.stock_key
