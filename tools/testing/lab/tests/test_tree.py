# SPDX-License-Identifier: GPL-2.0
"""Trees: made whole or not at all, and changed only where needed."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.kernel import overlay, source, tree
from tools.kernel.errors import LabError
from tools.testing.lab.tests import synthetic
from tools.testing.lab.tests.laboratory import ADDED, Lab, contents, differences
from tools.testing.lab.tests.synthetic import PATCH


def test_make(lab: Lab) -> None:
    trees = lab.make()
    assert (trees.base, trees.version) == ("7.2", "7.2.13")
    assert trees.origin == f"KSRC={lab.ksrc}"
    assert differences(trees) == ADDED
    assert b"line 4\nnew\n" in contents(trees.patched)["net/sunrpc/svcsock.c"]
    for name in ("Makefile", "scripts/link", "net/sunrpc/xprtsock.c"):
        for folder in (trees.stock, trees.patched):
            assert (folder / name).lstat().st_mtime == synthetic.OLD
    assert not (lab.build / ".tmp").exists()


def test_second_run_touches_nothing(lab: Lab) -> None:
    first = lab.make()
    before = synthetic.snapshot(lab.build)
    assert lab.make() == first
    assert synthetic.snapshot(lab.build) == before


def test_stock_tree_behind_a_link(lab: Lab, tmp_path: Path) -> None:
    """Worktrees that share a stock tree do not write to it."""
    first = lab.make()
    shutil.rmtree(first.patched)
    elsewhere = tmp_path / "elsewhere"
    first.stock.rename(elsewhere)
    first.stock.symlink_to(elsewhere)
    before = contents(elsewhere)
    trees = lab.make()
    assert contents(elsewhere) == before
    assert not trees.patched.is_symlink()
    assert differences(trees) == ADDED


def _new_patch(lab: Lab) -> None:
    lab.patch(PATCH.format("other"))


def _second_patch(lab: Lab) -> None:
    text = PATCH.format("b")
    text = text.replace(" line 4\n+b\n", " line 4\n+b\n new\n")
    text = text.replace("-2,6 +2,7", "-2,7 +2,8")
    lab.write({"patches/7.2/b.patch": text})


def _new_file(lab: Lab) -> None:
    lab.write({"include/linux/sunrpc/deep/er.h": "header\n"})


def _deleting_patch(lab: Lab) -> None:
    text = "".join(f"-line {number}\n" for number in range(1, 21))
    lab.write(
        {
            "patches/7.2/b.patch": "--- a/net/sunrpc/xprtsock.c\n"
            "+++ /dev/null\n@@ -1,20 +0,0 @@\n" + text
        }
    )


CHANGES = [
    (_new_patch, {"net/sunrpc/svcsock.c"}),
    (_second_patch, {"net/sunrpc/svcsock.c"}),
    (_new_file, {"include/linux/sunrpc/deep/er.h"}),
    (_deleting_patch, {"net/sunrpc/xprtsock.c"}),
]


@pytest.mark.parametrize(("change", "touched"), CHANGES)
def test_change_touches_only_what_differs(
    lab: Lab, change: Callable[[Lab], None], touched: set[str]
) -> None:
    trees = lab.make()
    before = synthetic.snapshot(trees.patched)
    stock = synthetic.snapshot(trees.stock)
    start = time.time_ns() - 20_000_000  # file times lag by a tick
    change(lab)
    changed = lab.make()
    after = synthetic.snapshot(trees.patched)
    names = (before.keys() | after.keys()) - {overlay.MANIFEST}
    assert {n for n in names if before.get(n) != after.get(n)} == touched
    # Newer than any object made before, restored files too.
    assert all(after[n][0] > start for n in touched if n in after)
    assert synthetic.snapshot(trees.stock) == stock
    assert changed.patched_key != trees.patched_key
    assert changed.stock_key == trees.stock_key
    assert contents(trees.patched) == _afresh(lab)


def _afresh(lab: Lab) -> dict[str, bytes]:
    """The content of a patched tree made from nothing."""
    build = lab.repo / "other"
    trees = tree.make(None, lab.ksrc, build=build, repo=lab.repo)
    found = contents(trees.patched)
    shutil.rmtree(build)
    return found


BAD_PATCHES = {
    "context": (PATCH.format("x").replace("line 4", "line x"), "FAILED"),
    "fuzz": (PATCH.format("x").replace(" line 2\n", " line\n"), "FAILED"),
    "garbage": ("not a patch\n", "[Oo]nly garbage"),
}


@pytest.mark.parametrize("name", BAD_PATCHES)
def test_patch_that_does_not_apply(lab: Lab, name: str) -> None:
    trees = lab.make()
    before = synthetic.snapshot(lab.build)
    text, reason = BAD_PATCHES[name]
    lab.patch(text)
    lab.write({"net/sunrpc/other.c": ""})
    with pytest.raises(LabError, match=f"a.patch.*7.2.13.*{reason}"):
        lab.make()
    assert synthetic.snapshot(lab.build) == before
    shutil.rmtree(trees.patched)
    with pytest.raises(LabError):
        lab.make()
    assert not trees.patched.exists()


def test_new_file_that_exists_upstream(lab: Lab) -> None:
    lab.write({"net/sunrpc/xprtsock.c": "mine\n"})
    with pytest.raises(LabError, match="xprtsock.c exists.*patches/7.2"):
        lab.make()


class Cut(BaseException):
    """The moment at which a run is cut off."""


@pytest.mark.parametrize("after", [0, 2])
def test_cut_off_while_changing_files(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    trees = lab.make()
    before = contents(trees.patched)
    _new_file(lab)
    _second_patch(lab)
    left = [after]
    settle = overlay._settle

    def cut(name: str, want: overlay.Wanted, stock: Path, folder: Path) -> bool:
        if left[0] == 0:
            raise Cut
        left[0] -= 1
        return settle(name, want, stock, folder)

    with monkeypatch.context() as patch, pytest.raises(Cut):
        patch.setattr(overlay, "_settle", cut)
        lab.make()
    # Going back must also find what the cut-off run added.
    shutil.rmtree(lab.repo / "include")
    (lab.repo / "patches/7.2/b.patch").unlink()
    lab.make()
    assert contents(trees.patched) == before


@pytest.mark.parametrize("renames", range(2))
def test_cut_off_while_making(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    left = [renames]
    rename = os.rename

    def cut(old: Path, new: Path) -> None:
        if left[0] == 0:
            raise Cut
        left[0] -= 1
        rename(old, new)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", cut)
        with pytest.raises(Cut):
            lab.make()
        assert not (lab.build / ".tmp").exists()
    assert differences(lab.make()) == ADDED


@pytest.mark.parametrize("which", ["stock", "patched"])
def test_tree_without_stamp_is_made_again(lab: Lab, which: str) -> None:
    trees = lab.make()
    whole = contents(getattr(trees, which))
    folder: Path = getattr(trees, which)
    stamp = tree.STAMP if which == "stock" else overlay.MANIFEST
    (folder / stamp).write_text('{"ident')
    (folder / "Makefile").unlink()
    lab.make()
    assert contents(folder) == whole


def test_package_tree_needs_no_package(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    deb = synthetic.package(lab.repo, "7.2.13")
    deb.with_name(deb.name + ".sha256").write_text("0  x\n")
    with monkeypatch.context() as patch:
        patch.setattr(source, "_fetch", lambda *_: deb)
        first = tree.make(None, None, build=lab.build, repo=lab.repo)
    assert first.origin == "linux-source-7.2 7.2.13-1"
    assert first.stock == lab.build / "linux-7.2"
    assert first.patched == lab.build / "linux-7.2-tcpbuf"
    monkeypatch.delattr(source, "_fetch")
    for base in (None, "7.2"):
        again = tree.make(base, None, build=lab.build, repo=lab.repo)
        assert again == first


def test_build_folder_has_no_space(tmp_path: Path) -> None:
    repo = tmp_path / "a path"
    (repo / "build" / "log").mkdir(parents=True)
    (repo / "build" / "log" / "apt.log").write_text("kept")
    place = tree.folder(repo)
    try:
        assert " " not in str(place)
        assert (repo / "build").resolve() == place
        assert (place / "log" / "apt.log").read_text() == "kept"
        assert tree.folder(repo) == place
    finally:
        shutil.rmtree(place)
