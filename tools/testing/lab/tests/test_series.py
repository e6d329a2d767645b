# SPDX-License-Identifier: GPL-2.0
"""The series: every hunk and file once, and in sum the patched tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.kernel import plan, series, steps, tree
from tools.kernel.errors import LabError
from tools.testing.lab.tests.synthetic import PATCH, SERIES, Lab

ALICE = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Alice",
    "GIT_AUTHOR_EMAIL": "alice@example.org",
}
ENTRY = """\

config {0}
\tbool "{0}"
\tdefault y
"""
KCONFIG = "# Options.\n" + "".join(map(ENTRY.format, ("ONE", "TEST")))
# What a patch changes in a file that an earlier one brought.
CHANGE = """\
--- a/net/sunrpc/Kconfig.tcpbuf
+++ b/net/sunrpc/Kconfig.tcpbuf
@@ -3,3 +3,7 @@
 config ONE
 \tbool "ONE"
 \tdefault y
+
+config TEST
+\tbool "TEST"
+\tdefault y
"""
ADAPT = """\
What this kernel has otherwise.

--- a/net/sunrpc/tcpbuf.c
+++ b/net/sunrpc/tcpbuf.c
@@ -1 +1 @@
-code
+old code
"""
# One for a newer kernel alone, and a fix that is sent by itself.
MORE = """
[[series]]
name = "newer"
bases = ["9.9"]

[[series.patch]]
name = "c"
files = ["net/sunrpc/newer.c"]

[[series]]
name = "fix"
independent = true

[[series.patch]]
name = "d"
"""
FIXES = 'Fixes: 0123456789ab ("SUNRPC: what it fixes")'
FIX = """\
--- a/net/sunrpc/xprtsock.c
+++ b/net/sunrpc/xprtsock.c
@@ -10,5 +10,5 @@
 line 10
 line 11
-line 12
+fixed 12
 line 13
 line 14
"""


@pytest.fixture
def project(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A repository with three series, of which a kernel gets two."""
    second = PATCH.format("x").replace("svcsock.c", "xprtsock.c")
    messages = {
        f"patches/messages/{name}.txt": f"SUNRPC: {name}\n\nWhat it does.\n"
        for name in "abcd"
    }
    messages["patches/messages/d.txt"] += f"\n{FIXES}\n"
    lab.write(
        {
            **messages,
            "patches/messages/main.cover": "A series\n\nFor {version}.\n",
            "patches/7.2/a.patch": PATCH.format("x"),
            "patches/7.2/b.patch": second,
            "patches/7.2/d.patch": FIX,
            "patches/7.2/adapt.patch": ADAPT,
            "patches/series.toml": SERIES + MORE,
            "Kconfig": KCONFIG,
            "patches/changes/b.patch": CHANGE,
            "net/sunrpc/tests/t.c": "test\n",
            "net/sunrpc/newer.c": "newer\n",
        }
    )
    for name, value in ALICE.items():
        monkeypatch.setenv(name, value)
    return lab


def write(lab: Lab) -> list[series.Series]:
    """The series of a lab, below its out/."""
    out = lab.repo / "out"
    return series.write(lab.make(), out, lab.said.append, repo=lab.repo)


def patches_of(made: list[series.Series]) -> list[Path]:
    """All patches in their order."""
    return [patch for one in made for patch, _ in one.patches]


def text_of(made: list[series.Series]) -> list[str]:
    """What is in them."""
    return [patch.read_text() for patch in patches_of(made)]


def test_write(project: Lab) -> None:
    made = write(project)
    folder = project.repo / "out" / "series-7.2"
    cover = folder / "main/0000-cover-letter.patch"
    order = ["main/0001-SUNRPC-a.patch", "main/0002-SUNRPC-b.patch"]
    order.append("fix/0001-SUNRPC-d.patch")
    assert [folder / name for name in order] == patches_of(made)
    assert (folder / "series").read_text().splitlines() == order
    assert {path for path in folder.rglob("*") if path.is_file()} == {
        *(*patches_of(made), cover, folder / "series")
    }
    first, second, fix = text_of(made)
    assert "\n+x\n" in first
    # What is adapted is in the file's own patch, a change in that which makes it.
    assert "\n+old code\n" in first
    assert "+config ONE\n" in first
    assert "+config TEST\n" in second
    assert "TEST" not in first
    assert "+config ONE\n" not in second
    assert not any("newer.c" in text for text in text_of(made))
    # Sent for the stock kernel, whose line 10 is not yet its line 11.
    assert "@@ -9,7 +9,7 @@" in fix
    for text in (first, second, fix):
        assert "From: Alice <alice@example.org>\n" in text
        assert "\nSigned-off-by: Alice <alice@example.org>\n---\n" in text
    assert f"\n\n{FIXES}\nSigned-off-by: " in fix
    letter = cover.read_text()
    assert "Subject: [PATCH 0/2] A series\n\nFor 7.2.13.\n" in letter
    assert "HERE ***" not in letter
    assert not list(project.build.glob("series-*"))


def test_same_series_again(project: Lab) -> None:
    """Also of a commit; what is no longer in it goes."""
    (project.repo / "net/sunrpc/tests/t.c").chmod(0o755)
    project.write({"out/series-7.2/main/0009-left-over.patch": ""})
    series.git(project.repo, "init", "--quiet")
    series.git(project.repo, "commit", "--allow-empty", "--message=x", **ALICE)
    first = text_of(write(project))
    assert "create mode 100755 net/sunrpc/tests/t.c" in first[1]
    assert text_of(write(project)) == first
    assert not list((project.repo / "out").rglob("0009*"))


def test_independent_series_that_needs_another(project: Lab) -> None:
    project.write({"patches/7.2/d.patch": FIX.replace("xprt", "svc")})
    write(project)
    after_a = PATCH.replace(" line 4\n", " x\n").replace(
        "-2,6 +2,7", "-3,6 +3,7"
    )
    after_a = after_a.replace(" line 2\n line 3\n", " line 3\n line 4\n")
    project.write({"patches/7.2/d.patch": after_a.format("y")})
    assert "y" in (project.make().patched / "net/sunrpc/svcsock.c").read_text()
    with pytest.raises(LabError, match=r"d\.patch does not apply"):
        write(project)


WRONG = [
    (r'\["net/sunrpc/Kconfig.tcpbuf", ', "[", "Kconfig.tcpbuf is in no patch"),
    ("tests/\\*", "none/*", "no new file net/sunrpc/none/\\*"),
    ('name = "d"', 'name = "e"', "d.patch is in no series"),
    ('name = "d"', 'name = "b"', "two patches b"),
    ('\\["9.9"\\]', '["7.2"]', "there is no 7.2/c.patch"),
    ("tests/\\*", "t*", "tcpbuf.c is in two"),
]


@pytest.mark.parametrize(("old", "new", "reason"), WRONG)
def test_wrong_plan(project: Lab, old: str, new: str, reason: str) -> None:
    text = re.sub(old, new, SERIES + MORE)
    assert text != SERIES + MORE
    (project.repo / "net/sunrpc/newer.c").unlink()
    project.write({"patches/series.toml": text})
    with pytest.raises(LabError, match=rf"series\.toml: .*{reason}"):
        write(project)
    assert not list(project.build.glob("series-*"))


def test_adapt_changes_new_files_only(project: Lab) -> None:
    project.write({"patches/7.2/adapt.patch": FIX.replace("xprt", "svc")})
    with pytest.raises(LabError, match="adapt.patch changes upstream's files"):
        write(project)


def test_verify_finds_a_difference(project: Lab) -> None:
    paths = patches_of(write(project))
    paths[1].write_text(paths[1].read_text().replace("+test\n", "+best\n"))
    with pytest.raises(LabError, match=r"do not make .*: .*tests/t\.c"):
        series.verify(paths, project.make(), project.build / "am")


def test_warnings() -> None:
    log = """\
  CC      net/sunrpc/a.o
../net/sunrpc/a.c:12:3: warning: unused variable 'x' [-Wunused-variable]
../net/sunrpc/a.c:99:3: warning: unused variable 'x' [-Wunused-variable]
net/sunrpc/b.c:7: warning: Function parameter 'y' not described
../net/sunrpc/b.c:7:1: error: something
      |         ^~~~
"""
    assert steps.warnings(log) == {
        "net/sunrpc/a.c: warning: unused variable 'x' [-Wunused-variable]",
        "net/sunrpc/b.c: warning: Function parameter 'y' not described",
        "net/sunrpc/b.c: error: something",
    }


def test_messages() -> None:
    patches = tree.REPO / "patches"
    for one in plan.load(patches):
        plan.cover(patches, one)
        for patch in one.patches:
            text = plan.message(patches, patch)
            assert max(map(len, text.body.splitlines())) <= 75


def test_real_series(trees: tree.Trees, tmp_path: Path) -> None:
    made = series.write(trees, tmp_path, tree.quiet)
    planned = plan.of_base(tree.REPO / "patches", trees.base)
    assert [one.planned.name for one in made] == [one.name for one in planned]
    for patch, about in (pair for one in made for pair in one.patches):
        assert series.checkpatch(patch, about, trees) == []
        assert "VERSION_CODE" not in patch.read_text()
