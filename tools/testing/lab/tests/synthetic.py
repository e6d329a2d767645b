# SPDX-License-Identifier: GPL-2.0
"""Kernels of a dozen lines, packages of them, and an archive to hold those.

The archive is a real one: a `file:` repository with a signed Release, read
by the real apt. Only its key and the machine that reads it are made up.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from urllib.parse import quote

OLD = 1_600_000_000  # the time of every file in a synthetic kernel, seconds

MAKEFILE = """\
# SPDX-License-Identifier: GPL-2.0
VERSION = {0}
PATCHLEVEL = {1}
SUBLEVEL = {2}
EXTRAVERSION =
NAME = Test
"""

LINES = "".join(f"line {number}\n" for number in range(1, 21))

PATCH = """\
Subject: a patch

--- a/net/sunrpc/svcsock.c
+++ b/net/sunrpc/svcsock.c
@@ -2,6 +2,7 @@
 line 2
 line 3
 line 4
+{0}
 line 5
 line 6
 line 7
"""


SERIES = """\
[[series]]
name = "main"

[[series.patch]]
name = "a"
files = ["net/sunrpc/Kconfig.tcpbuf", "net/sunrpc/tcpbuf.c"]

[[series.patch]]
name = "b"
files = ["net/sunrpc/tests/*"]
configs = ["TEST"]
"""


def run(*args: str | Path, cwd: Path | None = None) -> str:
    """Run a program that must succeed; return what it printed."""
    return subprocess.run(
        [str(arg) for arg in args],
        cwd=cwd,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def kernel(folder: Path, version: str = "7.2.13") -> Path:
    """Make a kernel tree that has what the lab looks for."""
    files = {
        "Makefile": MAKEFILE.format(*version.split(".")),
        "net/sunrpc/svcsock.c": LINES,
        "net/sunrpc/xprtsock.c": LINES,
        "include/linux/sunrpc/svcsock.h": LINES,
        ".gitignore": ".*\n*.o\n!.gitignore\n",
    }
    write(folder, files)
    (folder / "scripts").mkdir()
    (folder / "scripts/link").symlink_to("../Makefile")
    for path in folder.rglob("*"):
        os.utime(path, (OLD, OLD), follow_symlinks=False)
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files, named relative to a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def repo(folder: Path, bases: tuple[str, ...] = ("7.2",)) -> Path:
    """Make what the project adds to a kernel: one patch, two files."""
    for base in bases:
        write(folder / "patches" / base, {"a.patch": PATCH.format("new")})
    write(folder, {"patches/series.toml": SERIES})
    write(folder, {"net/sunrpc/tcpbuf.c": "code\n", "Kconfig": "config\n"})
    return folder


def package(folder: Path, version: str) -> Path:
    """Make the package linux-source-X of a kernel, as Debian does."""
    base = version.rpartition(".")[0]
    name = f"linux-source-{base}"
    work = folder / f"work-{version}"
    kernel(work / name, version)
    root = work / "root"
    (root / "usr/src").mkdir(parents=True)
    tarball = root / f"usr/src/{name}.tar.xz"
    run("tar", "-C", work, "-cJf", tarball, name)
    control = (
        f"Package: {name}\nVersion: {version}-1\nArchitecture: all\n"
        "Maintainer: Nobody <nobody@example.org>\nDescription: test\n"
    )
    write(root, {"DEBIAN/control": control})
    deb = folder / f"{name}_{version}-1_all.deb"
    run("dpkg-deb", "--root-owner-group", "-b", root, deb)
    shutil.rmtree(work)
    return deb


class Key:
    """A throwaway signing key."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.public = home / "public.gpg"
        home.mkdir(mode=0o700)
        make = ("--passphrase", "", "--quick-gen-key", "t", "rsa2048", "sign")
        self._gpg(*make)
        self._gpg("--output", self.public, "--export")

    def sign(self, release: Path) -> None:
        """Write InRelease beside Release."""
        signed = release.with_name("InRelease")
        signed.unlink(missing_ok=True)
        self._gpg("--output", signed, "--clear-sign", release)

    def close(self) -> None:
        """Stop the agent that gpg started."""
        run("gpgconf", "--homedir", self.home, "--kill", "all")

    def _gpg(self, *args: str | Path) -> None:
        run("gpg", "--homedir", self.home, "--batch", "--yes", *args)


class Archive:
    """A `file:` repository with suites of packages."""

    def __init__(self, folder: Path, key: Key) -> None:
        self.folder = folder
        self.key = key
        self.arch = run("dpkg", "--print-architecture").strip()
        (folder / "pool").mkdir(parents=True)

    def suite(self, name: str, *versions: str) -> None:
        """Make a suite that offers these kernels."""
        records = []
        for version in versions:
            deb = package(self.folder / "pool", version)
            records.append(
                run("dpkg-deb", "-f", deb)
                + f"Filename: pool/{deb.name}\nSize: {deb.stat().st_size}\n"
                + f"SHA256: {_sum(deb)}\n\n"
            )
        self.index(name).parent.mkdir(parents=True)
        self.index(name).write_text("".join(records))
        self.release(name)

    def index(self, suite: str) -> Path:
        """The file that lists a suite's packages."""
        binary = f"main/binary-{self.arch}/Packages"
        return self.folder / "dists" / suite / binary

    def release(self, suite: str, key: Key | None = None) -> None:
        """Write and sign the file that vouches for a suite's index."""
        index = self.index(suite)
        top = self.folder / "dists" / suite
        date = run("date", "-u", "-R").replace("+0000", "UTC")
        (top / "Release").write_text(
            f"Origin: Debian\nLabel: Debian\nSuite: {suite}\n"
            f"Codename: {suite}\nDate: {date}Architectures: {self.arch}\n"
            f"Components: main\nSHA256:\n {_sum(index)} "
            f"{index.stat().st_size} {index.relative_to(top)}\n"
        )
        (key or self.key).sign(top / "Release")

    def deb(self, version: str) -> Path:
        """The package file of a kernel."""
        (found,) = (self.folder / "pool").glob(f"*_{version}-1_all.deb")
        return found


class Machine:
    """A machine's apt, as APT_CONFIG= describes it."""

    def __init__(self, folder: Path, archive: Archive, suite: str) -> None:
        self.folder = folder
        self.config = folder / "apt.conf"
        for name in (
            "state/lists/partial",
            "cache/archives/partial",
            "etc/preferences.d",
            "none",
        ):
            (folder / name).mkdir(parents=True)
        uri = "file:" + quote(str(archive.folder))
        source = f"deb [signed-by={archive.key.public}] {uri} {suite} main\n"
        write(folder, {"etc/sources.list": source, "status": ""})
        self.config.write_text(
            f'Dir::Etc "{folder}/etc"; Dir::Etc::parts "{folder}/none";\n'
            f'Dir::Etc::sourceparts "{folder}/none";\n'
            f'Dir::State "{folder}/state"; Dir::Cache "{folder}/cache";\n'
            f'Dir::State::status "{folder}/status";\n'
            'APT::Sandbox::User "root"; Acquire::Languages "none";\n'
            f"APT::Update::Post-Invoke {{ \"touch '{folder}/hook'\"; }};\n"
        )

    def update(self) -> None:
        """Run apt-get update on this machine."""
        subprocess.run(
            ["apt-get", "update"],
            env={**os.environ, "APT_CONFIG": str(self.config)},
            check=True,
            capture_output=True,
        )


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Time and content of every file below a folder."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mtime_ns,
            path.read_bytes(),
        )
        for path in folder.rglob("*")
        if path.is_file()
    }
