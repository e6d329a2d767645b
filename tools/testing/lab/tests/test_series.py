# SPDX-License-Identifier: GPL-2.0
"""The series: every hunk and file once, and in sum the patched tree."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools.kernel import overlay, plan, series, steps, tree
from tools.kernel.errors import LabError

PATCHES = tree.REPO / "patches"
ALICE = "Alice <alice@example.org>"


@pytest.fixture(scope="module")
def made(trees: tree.Trees, tmp_path_factory: pytest.TempPathFactory) -> list[series.Series]:
    """All series of the base, written by Alice."""
    with pytest.MonkeyPatch.context() as patch:
        author = series.Author("Alice", "alice@example.org")
        patch.setattr(series, "find_author", lambda _: author)
        return series.write(trees, tmp_path_factory.mktemp("out"), tree.quiet)


def _paths(made: list[series.Series]) -> list[Path]:
    return [path for one in made for path, _ in one.patches]


def test_files(made: list[series.Series], trees: tree.Trees) -> None:
    """Each series has its patches and letter; quilt is told of the order."""
    planned = plan.of_base(PATCHES, trees.base)
    assert [one.planned.name for one in made] == [one.name for one in planned]
    for one in made:
        letter = one.folder / "0000-cover-letter.patch"
        if plan.cover(PATCHES, one.planned):
            assert "HERE ***" not in letter.read_text()
        assert {path for path, _ in one.patches} == {*one.folder.glob("0*.patch")} - {letter}
    folder = made[0].folder.parent
    order = (folder / "series").read_text().splitlines()
    assert [folder / name for name in order] == _paths(made)


def test_patches(made: list[series.Series], trees: tree.Trees) -> None:
    for path, about in (pair for one in made for pair in one.patches):
        text = path.read_text()
        assert f"From: {ALICE}\n" in text
        assert f"\nSigned-off-by: {ALICE}\n---\n" in text
        assert "VERSION_CODE" not in text
        assert series.checkpatch(path, about, trees) == []


def test_independent_series_is_for_the_stock_tree(
    made: list[series.Series], trees: tree.Trees, tmp_path: Path
) -> None:
    alone = [one for one in made if one.planned.independent]
    if not alone:
        pytest.skip(f"{trees.base} has none")
    for one in alone:
        folder = tmp_path / one.planned.name
        for name in plan.touched(path for path, _ in one.patches):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(trees.stock / name, folder / name)
        for path, _ in one.patches:
            overlay.apply(path, folder, trees.stock)


def test_verify_finds_a_difference(
    made: list[series.Series], trees: tree.Trees, tmp_path: Path
) -> None:
    """In content, and a patch too few."""
    paths = [Path(shutil.copy(path, tmp_path)) for path in _paths(made)]
    for path in paths:
        path.write_text(path.read_text().replace("KUNIT_EXPECT", "KUNIT_ASSERT"))
    with pytest.raises(LabError, match=r"do not make .*tcpbuf_kunit\.c"):
        series.verify(paths, trees, tmp_path / "am")
    with pytest.raises(LabError, match="do not make"):
        series.verify(_paths(made)[:-1], trees, tmp_path / "few")


# What is another text in series.toml, and what is said of it.
WRONG = [
    ('"net/sunrpc/svc_outq_msg.c"', '"net/sunrpc/none.c"', "no new file .*none"),
    ('"net/sunrpc/svc_outq_msg.c"', '"net/sunrpc/svc_outq*"', "is in two patches"),
    ('    "net/sunrpc/svc_outq_msg.c",\n', "", "svc_outq_msg.c is in no patch"),
    ('name = "Documentation', 'name = "No', "Documentation.* is in no series"),
]


@pytest.mark.parametrize(("old", "new", "reason"), WRONG)
def test_wrong_plan(trees: tree.Trees, tmp_path: Path, old: str, new: str, reason: str) -> None:
    patches = Path(shutil.copytree(PATCHES, tmp_path / "patches"))
    text = (PATCHES / plan.FILE).read_text()
    assert old in text
    (patches / plan.FILE).write_text(text.replace(old, new))
    manifest = overlay.read_manifest(trees.patched)
    assert manifest
    with pytest.raises(LabError, match=rf"series\.toml: .*{reason}"):
        plan.resolve(patches, trees.base, manifest.files, trees.stock)


def test_adapt_changes_new_files_only(trees: tree.Trees, tmp_path: Path) -> None:
    patches = Path(shutil.copytree(PATCHES, tmp_path / "patches"))
    text = "--- a/net/sunrpc/svcsock.c\n+++ b/net/sunrpc/svcsock.c\n"
    (patches / trees.base / plan.ADAPT).write_text(text)
    manifest = overlay.read_manifest(trees.patched)
    assert manifest
    with pytest.raises(LabError, match="adapt.patch changes upstream's files"):
        plan.resolve(patches, trees.base, manifest.files, trees.stock)


def test_warnings() -> None:
    log = """\
  CC      net/sunrpc/a.o
../net/sunrpc/a.c:12:3: warning: unused variable 'x' [-Wunused-variable]
../net/sunrpc/a.c:99:3: warning: unused variable 'x' [-Wunused-variable]
../net/sunrpc/b.c:7:1: error: something
      |         ^~~~
"""
    assert steps.warnings(log) == {
        "net/sunrpc/a.c: warning: unused variable 'x' [-Wunused-variable]",
        "net/sunrpc/b.c: error: something",
    }
