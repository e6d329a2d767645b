# SPDX-License-Identifier: GPL-2.0
"""Packages for a machine that has no network, as a folder that apt reads.

The host's apt works out what the machine's would fetch for an installation,
recommended packages too, and fetches it from where the host gets its own.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from tools.kernel import command
from tools.kernel.errors import LabError
from tools.kernel.progress import Say
from tools.testing.boot import rootfs

FOLDER = rootfs.FOLDER / "depot"
ARCHIVE = FOLDER / "archive"
# apt does not name what it has already.
NOTHING = rootfs.FOLDER / "nothing"
# What tests install beside the packages: containers.
EXTRA = ("systemd-container",)


def make(debs: Iterable[Path], say: Say) -> Path:
    """A folder with all that these packages need."""
    for folder in (ARCHIVE, NOTHING):
        (folder / "partial").mkdir(parents=True, exist_ok=True)
    say("fetching what the packages need")
    wanted = [str(deb) for deb in debs]
    wanted += EXTRA
    printed = _apt("--print-uris", wanted, NOTHING)
    names = set(re.findall(r"^'http[^']*' (\S+\.deb) ", printed, re.MULTILINE))
    for old in ARCHIVE.glob("*.deb"):
        if old.name not in names:
            old.unlink()
    if names - {path.name for path in ARCHIVE.glob("*.deb")}:
        _apt("--download-only", wanted, ARCHIVE)
    lost = sorted(names - {path.name for path in ARCHIVE.glob("*.deb")})
    if lost:
        raise LabError(f"apt did not fetch {' '.join(lost)}")
    scanned = command.run(["dpkg-scanpackages", "--multiversion", "."], cwd=ARCHIVE)
    if scanned.returncode:
        raise LabError(f"dpkg-scanpackages: {command.tail(scanned.stderr)}")
    (ARCHIVE / "Packages").write_text(scanned.stdout)
    return FOLDER


def add(debs: Iterable[Path], name: str) -> None:
    """Put packages into a folder of their own, which apt is told of."""
    shutil.rmtree(FOLDER / name, ignore_errors=True)
    (FOLDER / name).mkdir(parents=True)
    for deb in debs:
        shutil.copy(deb, FOLDER / name)


def _apt(how: str, wanted: list[str], archive: Path) -> str:
    """Install packages, as far as `how` goes, into what is not there."""
    places = {
        "Dir::State::status": rootfs.status(),
        "Dir::State::extended_states": rootfs.status().with_name("extended_states"),
        "Dir::Cache::archives": archive,
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        "APT::Sandbox::User": "root",
        "APT::Install-Recommends": "true",
        "Debug::NoLocking": "true",
    }
    options = [f"-o{key}={value}" for key, value in places.items()]
    return command.must(
        ["apt-get", *options, "-y", "-q", how, "install", *wanted], "apt-get install"
    )
