# SPDX-License-Identifier: GPL-2.0
"""The Debian packages, built in a copy of the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tools.kernel import command, tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Say

REPO = tree.REPO
OUT = REPO / "out" / "deb"
WORK = tree.folder() / "deb"


def version() -> str:
    """The version of everything, which debian/changelog has."""
    first = (REPO / "debian/changelog").read_text().split("\n", 1)[0]
    return first.split("(")[1].split(")")[0]


def files() -> list[Path]:
    """The files of the repository, without what was built."""
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"],
        cwd=REPO,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        paths = [REPO / name for name in listed.stdout.split("\0") if name]
    else:
        made = {REPO / "build", REPO / "out", REPO / ".git"}
        paths = [
            Path(folder, name)
            for folder, _, names in os.walk(REPO)
            if not made & {Path(folder), *Path(folder).parents}
            for name in names
        ]
    return sorted(path for path in paths if path.is_file())


def build(say: Say, *, newer: str = "", out: Path = OUT) -> list[Path]:
    """Build the packages into a folder; raises LabError.

    newer: a version to build them as instead of their own.
    """
    source = WORK / f"sunrpc-tcpbuf-{newer or version()}"
    shutil.rmtree(WORK, ignore_errors=True)
    series = [
        path
        for folder in sorted((REPO / "out").glob("series-*"))
        for path in folder.rglob("*")
        if path.is_file()
    ]
    for path in [*files(), *series]:
        target = source / path.relative_to(REPO)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    if newer:
        changelog = source / "debian/changelog"
        text = changelog.read_text()
        entry = text.replace(f"({version()})", f"({newer})", 1)
        changelog.write_text(f"{entry}\n{text}")
    _build(source, say)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for path in WORK.glob("*.*"):
        if path.is_file():
            path.rename(out / path.name)
    return sorted(out.glob("*.deb"))


def _build(source: Path, say: Say) -> None:
    log = tree.folder() / "log" / "deb-build.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    # The daemon's own tests have a runner of their own in `make check`.
    environment = {**os.environ, "DEB_BUILD_OPTIONS": "nocheck parallel=2", "LC_ALL": "C.UTF-8"}
    with log.open("w") as file:
        status = command.follow(
            ["dpkg-buildpackage", "-b", "-us", "-uc"],
            file,
            lambda _: say("building the packages"),
            cwd=source,
            env=environment,
        )
    if status:
        last = command.tail(log.read_text(), 1)
        raise LabError(f"dpkg-buildpackage: {last} (all of it is in {log})")


def lintian() -> str:
    """What lintian finds in the packages, "" for nothing."""
    (changes,) = OUT.glob("*.changes")
    done = command.run(
        [*("lintian", "--no-cfg", "--allow-root"), *("--fail-on=error,warning", changes)]
    )
    return done.stdout + done.stderr if done.returncode else ""
