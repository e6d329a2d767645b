# SPDX-License-Identifier: GPL-2.0
"""The series: every hunk and file once, and in sum the patched tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.kernel import overlay, plan, series, steps, tree
from tools.kernel.errors import LabError
from tools.testing.lab.tests.laboratory import Lab
from tools.testing.lab.tests.synthetic import PATCH

HEAD = "SUNRPC: {0}\n\nWhat it does.\n\n---\n a.c | 1 +\n\n"
ALICE = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Alice",
    "GIT_AUTHOR_EMAIL": "alice@example.org",
}
KCONFIG = """\
# Options.

config ONE
\tbool "one"
\tdefault y

config TEST
\ttristate "test"
\thelp
\t  Tests.
"""
DIALECT = """\
A dialect.

---
--- a/net/sunrpc/tcpbuf.c
+++ b/net/sunrpc/tcpbuf.c
@@ -1 +1 @@
-code
+old code
"""
IDEAS = """\
[[idea]]
patch = "0001-a.patch"
files = ["net/sunrpc/Kconfig.tcpbuf", "net/sunrpc/tcpbuf.c"]

[[idea]]
patch = "0002-b.patch"
files = ["net/sunrpc/tests/*"]
configs = ["TEST"]
"""


@pytest.fixture
def project(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A repository with a series of two patches and a dialect."""
    second = PATCH.format("x").replace("svcsock.c", "xprtsock.c")
    lab.write(
        {
            "patches/7.2/0001-a.patch": HEAD.format("a") + PATCH.format("x"),
            "patches/7.2/0002-b.patch": HEAD.format("b") + second,
            "patches/7.2/0003-dialect.patch": DIALECT,
            "patches/series.toml": IDEAS,
            "patches/cover-letter.txt": "A series\n\nFor {version}.\n",
            "Kconfig": KCONFIG,
            "net/sunrpc/tests/t.c": "test\n",
        }
    )
    for name, value in ALICE.items():
        monkeypatch.setenv(name, value)
    return lab


def write(lab: Lab) -> series.Series:
    """The series of a lab, below its out/."""
    out = lab.repo / "out"
    return series.write(lab.make(), out, lab.said.append, repo=lab.repo)


def text_of(made: series.Series) -> list[str]:
    """The patches."""
    return [patch.read_text() for patch, _ in made.patches]


def test_write(project: Lab) -> None:
    made = write(project)
    names = sorted(path.name for path in made.folder.iterdir())
    assert names == [
        "0000-cover-letter.patch",
        "0001-SUNRPC-a.patch",
        "0002-SUNRPC-b.patch",
    ]
    first, second = text_of(made)
    assert "\n+line\n" not in first
    # The dialect is in the file's own patch, the test's entry with the test.
    assert "\n+old code\n" in first
    assert "+config ONE\n" in first
    assert "config TEST" not in first
    assert "+config TEST\n" in second
    assert "+config ONE\n" not in second
    for text in (first, second):
        assert "From: Alice <alice@example.org>\n" in text
        assert "\nSigned-off-by: Alice <alice@example.org>\n---\n" in text
    cover = (made.folder / "0000-cover-letter.patch").read_text()
    assert "Subject: [PATCH 0/2] A series\n\nFor 7.2.13.\n" in cover
    assert "HERE ***" not in cover
    assert not list(project.build.glob("series-*"))


def test_same_series_again(project: Lab) -> None:
    project.write({"out/series-7.2/0009-left-over.patch": ""})
    series.git(project.repo, "init", "--quiet")
    series.git(project.repo, "commit", "--allow-empty", "--message=x", **ALICE)
    first = text_of(write(project))
    assert text_of(write(project)) == first
    assert len(list((project.repo / "out/series-7.2").iterdir())) == 3


def test_nobody_signs_off(
    project: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    made = write(project)
    assert made.author == series.Author("", "")
    assert not any("Signed-off-by" in text for text in text_of(made))


def test_mode_of_a_program_is_kept(project: Lab) -> None:
    (project.repo / "net/sunrpc/tests/t.c").chmod(0o755)
    assert (
        "create mode 100755 net/sunrpc/tests/t.c" in text_of(write(project))[1]
    )


WRONG = [
    (
        r'\["net/sunrpc/Kconfig.tcpbuf", ',
        "[",
        "new file .*Kconfig.tcpbuf.*no idea",
    ),
    ("tests/\\*", "none/*", "no new file net/sunrpc/none/\\*"),
    ('patch = "0002-b', 'patch = "0002-c', "there is no 0002-c"),
    ('patch = "0002-b', 'patch = "0001-a', "0001-a.patch is named by two"),
    ("tests/\\*", "t*", "tcpbuf.c is named by two"),
    ("configs", "options", "unknown: options"),
    ('"TEST"', '"REST"', "config REST"),
]


@pytest.mark.parametrize(("old", "new", "reason"), WRONG)
def test_wrong_plan(project: Lab, old: str, new: str, reason: str) -> None:
    text = re.sub(old, new, IDEAS)
    assert text != IDEAS
    project.write({"patches/series.toml": text})
    with pytest.raises(LabError, match=rf"series\.toml: .*{reason}"):
        write(project)
    assert not list(project.build.glob("series-*"))


def test_patch_without_message(project: Lab) -> None:
    project.patch(PATCH.format("x"))
    with pytest.raises(LabError, match="0001-a.patch: begins with no message"):
        write(project)


def test_verify_finds_a_difference(project: Lab) -> None:
    made = write(project)
    trees = project.make()
    patch = made.patches[1][0]
    patch.write_text(patch.read_text().replace("+test\n", "+best\n"))
    paths = [path for path, _ in made.patches]
    with pytest.raises(LabError, match=r"do not make .*: .*tests/t\.c"):
        series.verify(paths, trees, project.build / "am")


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


@pytest.mark.parametrize("base", ["7.2", "6.12", "6.1"])
def test_messages_are_the_same_on_every_base(base: str) -> None:
    patches = tree.REPO / "patches"
    for idea in plan.load(patches):
        text = plan.message(patches / base / idea.patch)
        assert text == plan.message(patches / "7.2" / idea.patch)
        assert max(map(len, text.body.splitlines())) <= 75


def test_real_series(trees: tree.Trees, tmp_path: Path) -> None:
    made = series.write(trees, tmp_path, tree.quiet)
    assert len(made.patches) == len(plan.load(tree.REPO / "patches"))
    manifest = overlay.read_manifest(trees.patched)
    assert manifest is not None
    for patch, idea in made.patches:
        assert series.checkpatch(patch, idea, trees) == []
        assert "VERSION_CODE" not in patch.read_text()
