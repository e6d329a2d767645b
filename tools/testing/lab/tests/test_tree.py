# SPDX-License-Identifier: GPL-2.0
"""Trees: made whole or not at all, and changed only where needed."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.kernel import apt, overlay, source, tree
from tools.kernel.errors import LabError, Unavailable
from tools.kernel.progress import Say
from tools.testing.lab.tests import synthetic
from tools.testing.lab.tests.synthetic import ADDED, PATCH, Lab, contents, differences


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


def _new_patch(lab: Lab) -> None:
    lab.patch(PATCH.format("other"))


def _second_patch(lab: Lab) -> None:
    text = PATCH.format("b")
    text = text.replace(" line 4\n+b\n", " line 4\n+b\n new\n")
    text = text.replace("-2,6 +2,7", "-2,7 +2,8")
    lab.write({"patches/7.2/b.patch": text})


def _new_file(lab: Lab) -> None:
    lab.write({"include/linux/sunrpc/deep/er.h": "header\n"})


CHANGES = [
    (_new_patch, {"net/sunrpc/svcsock.c"}),
    (_second_patch, {"net/sunrpc/svcsock.c"}),
    (_new_file, {"include/linux/sunrpc/deep/er.h"}),
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


def test_patch_that_does_not_apply(lab: Lab) -> None:
    trees = lab.make()
    before = synthetic.snapshot(lab.build)
    lab.patch(PATCH.format("x").replace(" line 2\n", " line\n"))
    with pytest.raises(LabError, match="a.patch.*7.2.13.*FAILED"):
        lab.make()
    assert synthetic.snapshot(lab.build) == before
    shutil.rmtree(trees.patched)
    with pytest.raises(LabError):
        lab.make()
    assert not trees.patched.exists()


@pytest.mark.parametrize("which", ["stock", "patched"])
def test_tree_that_was_cut_off_is_made_again(lab: Lab, which: str) -> None:
    trees = lab.make()
    whole = contents(getattr(trees, which))
    folder: Path = getattr(trees, which)
    stamp = tree.STAMP if which == "stock" else overlay.MANIFEST
    (folder / stamp).write_text('{"ident')
    (folder / "Makefile").unlink()
    lab.make()
    assert contents(folder) == whole


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


def test_ksrc_in_git(lab: Lab) -> None:
    """What git ignores is not of the source, what it does not have yet is."""
    linux, expected = lab.ksrc, contents(lab.ksrc)
    synthetic.run("git", "init", "-q", cwd=linux)
    synthetic.run("git", "add", "-f", ".", cwd=linux)
    (linux / "ignored.o").write_text("")
    (linux / "new.c").write_text("")
    trees = lab.make()
    assert contents(trees.stock) == {**expected, "new.c": b""}
    assert trees.stock.name.startswith("linux-7.2.13-ksrc-")
    assert (trees.stock / "scripts/link").is_symlink()
    said = len(lab.said)
    assert lab.make() == trees
    assert len(lab.said) == said


def test_base_forces(lab: Lab) -> None:
    shutil.rmtree(lab.ksrc)
    synthetic.kernel(lab.ksrc, "5.4.1")
    trees = lab.make("7.2")
    assert (trees.base, trees.version) == ("7.2", "5.4.1")
    assert differences(trees) == ADDED


def test_older_base_has_a_reason(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken when the newer one cannot be had, never when it is damaged."""
    reason: LabError = Unavailable("gone")

    def fetch(base: str, build: Path, say: Say) -> Path:
        if base == "7.2":
            raise reason
        return build / base

    monkeypatch.setattr(source, "_fetch", fetch)
    lab.write({"patches/6.12/a.patch": ""})
    patches = lab.repo / "patches"
    older = source.choose(patches, lab.build, lambda _: False, tree.quiet)
    assert (older.base, older.package) == ("6.12", lab.build / "6.12")
    assert older.note == "7.2 cannot be had: gone"
    there = source.choose(patches, lab.build, lambda _: True, tree.quiet)
    assert there == source.Choice("7.2", None)
    reason = LabError("signature")
    with pytest.raises(LabError, match="signature"):
        source.choose(patches, lab.build, lambda _: False, tree.quiet)


def test_download_is_kept_while_whole(tmp_path: Path) -> None:
    package = tmp_path / "linux-source-7.2_1_all.deb"
    package.write_text("whole")
    total = package.with_name(f"{package.name}.sha256")
    total.write_text(f"{apt.sha256(package)}  {package.name}\n")
    name = "linux-source-7.2"
    assert source._kept(tmp_path, name, tree.quiet) == package
    package.write_text("hole")
    assert source._kept(tmp_path, name, tree.quiet) is None
    assert not list(tmp_path.iterdir())
