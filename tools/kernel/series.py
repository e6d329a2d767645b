# SPDX-License-Identifier: GPL-2.0
"""Every series as files for `git am`: a cover letter and the patches.

The patches are made in a throw-away git repository of the files that all of
them touch, one series on top of the other, and tried in another: what `git am`
makes of the stock files must be the patched tree, file by file. An independent
series is made, and so tried, on the stock files alone. Nothing of the user's
git configuration counts but the name.
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

# The patches of a base in their order, as quilt wants to have it.
ORDER = "series"

# Marks of git format-patch's own cover letter.
_SUBJECT, _BLURB = "*** SUBJECT HERE ***", "*** BLURB HERE ***"


@dataclass(frozen=True)
class Author:
    """Whose series it is; nobody's when git knows no name."""

    name: str
    email: str

    @property
    def sign_off(self) -> list[str]:
        """Options of git commit: a line below other trailers; not nobody's."""
        if not self.name:
            return []
        return ["--trailer", f"Signed-off-by: {self.name} <{self.email}>"]


@dataclass(frozen=True)
class Series:
    """A series that was written.

    planned: what it is
    folder:  its cover letter and its patches
    patches: in their order, each with its plan
    """

    planned: plan.Series
    folder: Path
    patches: list[tuple[Path, plan.Patch]]


def write(trees: tree.Trees, out: Path, say: Say, *, repo: Path = tree.REPO) -> list[Series]:
    """Write the series of a base below `out`, proven to be the patched tree.

    Replaces what is there. Raises LabError when patches/series.toml does not
    fit, or the sum of the patches is not the patched tree.
    """
    work = trees.patched.parent / f"series-{trees.base}"
    shutil.rmtree(work, ignore_errors=True)
    (work / "want").mkdir(parents=True)
    try:
        folder = out / f"series-{trees.base}"
        made = _make(trees, work, folder, repo)
        paths = [path for series in made for path, _ in series.patches]
        say(f"applying {len(paths)} patches")
        news = [work / "out" / path.relative_to(folder) for path in paths]
        verify(news, trees, work / "am")
        order = "".join(f"{path.relative_to(folder)}\n" for path in paths)
        (work / "out" / ORDER).write_text(order)
        shutil.rmtree(folder, ignore_errors=True)
        out.mkdir(exist_ok=True)
        os.rename(work / "out", folder)
        return made
    finally:
        shutil.rmtree(work, ignore_errors=True)


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
        raise LabError(f"the patches do not make {trees.patched}: {', '.join(wrong)}")


def differences(folder: Path, patched: Path, names: Iterable[str]) -> list[str]:
    """The files in which a repository is not the patched tree."""
    listed = git(folder, "ls-files", "-z").split("\0")
    every = set(names) | {name for name in listed if name}
    return sorted(name for name in every if not agree(folder / name, patched / name))


def checkpatch(patch: Path, about: plan.Patch, trees: tree.Trees) -> list[str]:
    """What the base's own checkpatch.pl finds in a patch."""
    args = ["--strict", "--terse", "--no-summary", "--show-types"]
    args += [f"--root={trees.patched}", "--color=never"]
    ignore = list(about.ignore)
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
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
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


def _make(trees: tree.Trees, work: Path, folder: Path, repo: Path) -> list[Series]:
    """Make the series below work/out, as they will lie below `folder`."""
    want = overlay.wanted(repo, trees.base, trees.stock, work / "want")
    patches = repo / "patches"
    planned = plan.resolve(patches, trees.base, want.names, trees.stock)
    every = [patch for one in planned for patch in one.patches]
    maker = _Maker(trees, want, patches, every, find_author(repo), _day(repo))
    main = work / "git"
    there = _there(want.names, trees.stock)
    _repository(main, there, trees.stock)
    made = []
    for number, one in enumerate(planned):
        git_folder, before = (main, [p for o in planned[:number] for p in o.patches])
        maker.commit(main, before, one)
        if one.independent:
            git_folder = work / f"git-{one.name}"
            _repository(git_folder, there, trees.stock)
            maker.commit(git_folder, [], one)
        names = maker.format(git_folder, one, work / "out" / one.name)
        paths = [folder / one.name / name for name in names]
        pairs = list(zip(paths, one.patches, strict=True))
        made.append(Series(one, folder / one.name, pairs))
    return made


@dataclass(frozen=True)
class _Maker:
    """Makes commits, and files of them.

    patches: the folder of that name
    every:   patch of the base
    """

    trees: tree.Trees
    want: overlay.Wanted
    patches: Path
    every: list[plan.Patch]
    author: Author
    day: str

    def commit(self, folder: Path, before: list[plan.Patch], series: plan.Series) -> None:
        """Commit the patches of a series on top of those before it."""
        present = list(before)
        for patch in series.patches:
            present.append(patch)
            hunks = self.patches / self.trees.base / f"{patch.name}.patch"
            if hunks.is_file():
                overlay.apply(hunks, folder, self.trees.stock)
            self._place(folder, present)
            git(folder, "add", "--all")
            said = plan.message(self.patches, patch)
            text = f"{said.subject}\n\n{said.body}\n"
            git(
                folder,
                *("commit", "--quiet", f"--message={text}"),
                *self.author.sign_off,
                GIT_AUTHOR_DATE=self.day,
                GIT_COMMITTER_DATE=self.day,
                **_identity("AUTHOR", self.author),
            )

    def _place(self, folder: Path, present: list[plan.Patch]) -> None:
        """Lay the new files of patches below a folder.

        Those that were there before, too. They lie in the repository in their
        last form: what the patches that are not there yet change in them is
        taken back.
        """
        names = [name for patch in present for name in patch.files]
        for name in names:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.want.folder / name, target)
        if not names:
            return
        absent = [patch for patch in self.every if patch not in present]
        only = [f"--include={name}" for name in names]
        for patch in reversed(absent):
            path = plan.changes(self.patches, self.trees.base, patch)
            if path:
                git(folder, "apply", "--reverse", *only, path)

    def format(self, folder: Path, series: plan.Series, out: Path) -> list[str]:
        """Write a series' commits, the last ones, as files; their names."""
        newest = source.supported(self.patches)[0]
        base = self.trees.base
        prefix = "PATCH" if base == newest else f"PATCH {base}"
        said = plan.cover(self.patches, series)
        args = ["--quiet", "--zero-commit", "--no-signature", "--abbrev=12"]
        args += [f"--subject-prefix={prefix}", f"-{len(series.patches)}"]
        args += ["--cover-letter"] if said else []
        # The cover letter is from whoever commits.
        who = _identity("COMMITTER", self.author)
        git(folder, "format-patch", *args, "-o", out, **who)
        if said:
            cover = out / "0000-cover-letter.patch"
            blurb = said.body.replace("{version}", self.trees.version)
            text = cover.read_text().replace(_SUBJECT, said.subject)
            cover.write_text(text.replace(_BLURB, blurb))
        names = sorted(path.name for path in out.glob("*.patch"))
        return names[1:] if said else names


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
