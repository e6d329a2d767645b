# SPDX-License-Identifier: GPL-2.0
"""The series as files for `git am`: a cover letter and a patch per idea.

The patches are made in a throw-away git repository of the files that the
series touches, and tried in another: what `git am` makes of the stock files
must be the patched tree, file by file. Nothing of the user's git
configuration counts but the name.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tools.kernel import command, overlay, plan, source, tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Say

COVER = "cover-letter.txt"

# Marks of git format-patch's own cover letter.
_SUBJECT, _BLURB = "*** SUBJECT HERE ***", "*** BLURB HERE ***"


@dataclass(frozen=True)
class Author:
    """Whose series it is; nobody's when git knows no name."""

    name: str
    email: str

    @property
    def sign_off(self) -> str:
        """The trailer, empty for nobody."""
        if not self.name:
            return ""
        return f"\nSigned-off-by: {self.name} <{self.email}>\n"


@dataclass(frozen=True)
class Series:
    """What was written.

    folder:  the cover letter and the patches
    patches: in their order, each with its idea
    author:  who signed them off
    """

    folder: Path
    patches: list[tuple[Path, plan.Idea]]
    author: Author


def write(
    trees: tree.Trees, out: Path, say: Say, *, repo: Path = tree.REPO
) -> Series:
    """Write the series of a base below `out`, proven to be the patched tree.

    Replaces what is there. Raises LabError when patches/series.toml does not
    fit, or the sum of the patches is not the patched tree.
    """
    author = find_author(repo)
    work = trees.patched.parent / f"series-{trees.base}"
    shutil.rmtree(work, ignore_errors=True)
    (work / "want").mkdir(parents=True)
    try:
        ideas = _commit(trees, work, author, repo)
        made = work / "out"
        _format(trees, work / "git", made, len(ideas), author, repo)
        patches = sorted(made.glob("*.patch"))[1:]
        say(f"applying {len(patches)} patches")
        verify(patches, trees, work / "am")
        folder = out / f"series-{trees.base}"
        shutil.rmtree(folder, ignore_errors=True)
        out.mkdir(exist_ok=True)
        os.rename(made, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    paths = [folder / patch.name for patch in patches]
    return Series(folder, list(zip(paths, ideas, strict=True)), author)


def find_author(repo: Path) -> Author:
    """The user by git's configuration, else by GIT_AUTHOR_*."""
    name, email = (
        command.run(["git", "config", f"user.{key}"], cwd=repo).stdout.strip()
        or os.environ.get(f"GIT_AUTHOR_{key.upper()}", "")
        for key in ("name", "email")
    )
    return Author(name, email) if name and email else Author("", "")


def verify(patches: Iterable[Path], trees: tree.Trees, folder: Path) -> None:
    """Apply patches to the stock files; raise LabError at a difference.

    The difference that counts is that to the patched tree: in content, in
    being a program, and in files that only one side has.
    """
    names = _touched(trees)
    _repository(folder, _there(names, trees.stock), trees.stock)
    git(folder, "am", "--quiet", *patches)
    wrong = differences(folder, trees.patched, names)
    if wrong:
        raise LabError(
            f"the patches do not make {trees.patched}: {', '.join(wrong)}"
        )


def differences(folder: Path, patched: Path, names: Iterable[str]) -> list[str]:
    """The files in which a repository is not the patched tree."""
    listed = git(folder, "ls-files", "-z").split("\0")
    every = set(names) | {name for name in listed if name}
    return sorted(
        name for name in every if not agree(folder / name, patched / name)
    )


def checkpatch(patch: Path, idea: plan.Idea, trees: tree.Trees) -> list[str]:
    """What the base's own checkpatch.pl finds in a patch."""
    args = ["--strict", "--terse", "--no-summary", "--show-types"]
    args += [f"--root={trees.patched}", "--color=never"]
    ignore = list(idea.ignore)
    if not re.search(r"^Signed-off-by: ", patch.read_text(), re.MULTILINE):
        args.append("--no-signoff")
    if ignore:
        args += ["--ignore", ",".join(ignore)]
    script = trees.patched / "scripts/checkpatch.pl"
    done = command.run(["perl", script, *args, patch], cwd=trees.patched)
    found = [line for line in done.stdout.splitlines() if line.strip()]
    if done.returncode and not found:
        raise LabError(f"{script}: {command.tail(done.stderr)}")
    return [line.removeprefix(f"{patch}:") for line in found]


def git(folder: Path, *args: str | Path, **more: str) -> str:
    """Run git in a throw-away repository, deaf to configuration."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_")
    }
    environment |= {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_COMMITTER_NAME": "lab",
        "GIT_COMMITTER_EMAIL": "lab@localhost",
        "LC_ALL": "C.UTF-8",
    } | more
    done = subprocess.run(
        ["git", *args],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = command.tail(done.stdout + done.stderr)
        raise LabError(f"git {args[0]} in {folder}: {said}")
    return done.stdout


def place(
    idea: plan.Idea,
    later: Iterable[plan.Idea],
    want: Path,
    folder: Path,
) -> None:
    """Lay the new files of an idea below folder.

    An entry of a Kconfig file that a later idea claims is left out.
    """
    configs = [config for other in later for config in other.configs]
    for name in idea.files:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(want / name, target)
        if plan.is_kconfig(name):
            text = plan.without(target.read_text(), configs)
            target.write_text(text)


def _commit(
    trees: tree.Trees, work: Path, author: Author, repo: Path
) -> list[plan.Idea]:
    """Make a repository with a commit for each idea; return them."""
    want = overlay.wanted(repo, trees.base, trees.stock, work / "want")
    patches = repo / "patches" / trees.base
    ideas = plan.resolve(
        plan.load(repo / "patches"),
        overlay.patches(repo, trees.base),
        want.names,
        trees.stock,
    )
    folder = work / "git"
    _repository(folder, _there(want.names, trees.stock), trees.stock)
    day = _day(repo)
    for number, idea in enumerate(ideas):
        message = plan.message(patches / idea.patch)
        overlay.apply(patches / idea.patch, folder, trees.stock)
        # Those before it too: they may have an entry that comes with it.
        for earlier in ideas[: number + 1]:
            place(earlier, ideas[number + 1 :], want.folder, folder)
        git(folder, "add", "--all")
        git(
            folder,
            "commit",
            "--quiet",
            f"--message={message.subject}\n\n{message.body}\n{author.sign_off}",
            GIT_AUTHOR_DATE=day,
            GIT_COMMITTER_DATE=day,
            **_identity("AUTHOR", author),
        )
    return ideas


def _format(
    trees: tree.Trees,
    folder: Path,
    out: Path,
    count: int,
    author: Author,
    repo: Path,
) -> None:
    """Write the commits of a repository as files, a cover letter first."""
    newest = source.supported(repo / "patches")[0]
    prefix = "PATCH" if trees.base == newest else f"PATCH {trees.base}"
    args = ["--quiet", "--cover-letter", "--zero-commit", "--no-signature"]
    args += ["--abbrev=12", f"--subject-prefix={prefix}"]
    # The cover letter is from whoever commits.
    who = _identity("COMMITTER", author)
    git(folder, "format-patch", *args, f"-{count}", "-o", out, **who)
    cover = out / "0000-cover-letter.patch"
    subject, _, blurb = (repo / "patches" / COVER).read_text().partition("\n")
    blurb = blurb.replace("{version}", trees.version)
    text = cover.read_text().replace(_SUBJECT, subject.strip())
    cover.write_text(text.replace(_BLURB, blurb.strip()))


def _identity(role: str, author: Author) -> dict[str, str]:
    """Environment by which git knows the author in a role."""
    return {
        f"GIT_{role}_NAME": author.name or "nobody",
        f"GIT_{role}_EMAIL": author.email or "nobody@localhost",
    }


def _repository(folder: Path, names: Iterable[str], stock: Path) -> None:
    """A repository of some of the stock tree's files."""
    folder.mkdir()
    git(folder, "init", "--quiet")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(stock / name, folder / name)
    git(folder, "add", "--all")
    author = {"GIT_AUTHOR_NAME": "stock", "GIT_AUTHOR_EMAIL": "stock@localhost"}
    git(folder, "commit", "--quiet", "--message=stock", **author)


def _touched(trees: tree.Trees) -> list[str]:
    """The files in which the patched tree may differ from the stock one."""
    manifest = overlay.read_manifest(trees.patched)
    if manifest is None:
        raise LabError(f"{trees.patched}: damaged; delete it and try again")
    return sorted(manifest.files)


def _there(names: Iterable[str], folder: Path) -> list[str]:
    return sorted(name for name in names if (folder / name).is_file())


def agree(one: Path, other: Path) -> bool:
    """Whether two files are the same, or both are not there."""
    if not one.is_file() or not other.is_file():
        return one.is_file() == other.is_file()
    modes = one.stat().st_mode ^ other.stat().st_mode
    return modes & 0o100 == 0 and one.read_bytes() == other.read_bytes()


def _day(repo: Path) -> str:
    """The day of the repository's last commit, so that files repeat."""
    done = command.run(["git", "log", "-1", "--format=%cI"], cwd=repo)
    return done.stdout.strip() or datetime.now(UTC).isoformat()
