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
from tools.testing.lab.tests.synthetic import (
    ADDED,
    PATCH,
    Lab,
    contents,
    differences,
)


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


def _other_version(linux: Path) -> Path:
    shutil.rmtree(linux)
    return synthetic.kernel(linux, "5.4.1")


def test_base_forces(lab: Lab) -> None:
    lab.ksrc = _other_version(lab.ksrc)
    trees = lab.make("7.2")
    assert (trees.base, trees.version) == ("7.2", "5.4.1")
    assert differences(trees) == ADDED


@pytest.fixture
def supply(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> dict[str, LabError]:
    """Why bases cannot be fetched; all others can."""
    reasons: dict[str, LabError] = {}

    def fetch(base: str, build: Path, say: Say) -> Path:
        if base in reasons:
            raise reasons[base]
        return build / base

    lab.build.mkdir()
    lab.write({"patches/6.12/a.patch": ""})
    monkeypatch.setattr(source, "_fetch", fetch)
    return reasons


def _choose(lab: Lab, *ready: str) -> source.Choice:
    is_ready = ready.__contains__
    return source.choose(lab.repo / "patches", lab.build, is_ready, tree.quiet)


def test_older_base_has_a_reason(lab: Lab, supply: dict[str, LabError]) -> None:
    """The next run asks nobody, and says the same."""
    assert _choose(lab) == source.Choice("7.2", lab.build / "7.2")
    supply["7.2"] = Unavailable("gone")
    older = _choose(lab)
    assert older.base == "6.12"
    assert "7.2 cannot be had: gone" in older.note
    supply.clear()
    assert _choose(lab, "6.12") == source.Choice("6.12", None, older.note)


def test_damage_is_no_reason(lab: Lab, supply: dict[str, LabError]) -> None:
    supply["7.2"] = LabError("signature")
    with pytest.raises(LabError, match="signature"):
        _choose(lab)


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
