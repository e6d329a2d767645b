#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""sunrpc.ko with the series, built for a kernel that is installed.

A module loads beside the distribution's others when every symbol that they
use of it has the checksum that they were built with: all exported symbols are
compared, and where one differs there is no module.

`make module` has this build from the trees below build/. As a program it is
what DKMS runs where there are none, from the kernel's source package; it
needs Debian's python3 and the files of the package sunrpc-tcpbuf-dkms, which
lie as they do here.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[0] = str(REPO)

from tools.kernel import command, linux, overlay, plan
from tools.kernel.errors import LabError

MODULES = Path("/lib/modules")
SOURCES = Path("/usr/src")
NAME = "net/sunrpc/sunrpc"

# The module alone: its neighbours are the distribution's own.
_NEIGHBOURS = ("auth_gss", "xprtrdma", "tests")

_OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BASE", "KSRC", "KVER", "BUILD")

# The options of the series are unknown to the kernel's configuration, so the
# module's Makefile says them, to the compiler and to what works out the
# symbols' checksums. Not in ccflags-y, whose folders come after the kernel's.
_HEAD = """\
# The distribution's Makefile with what the series adds to the configuration.
LINUXINCLUDE := -I$(src)/include $(LINUXINCLUDE) {defines}

"""


@dataclass(frozen=True)
class Verdict:
    """How exported symbols compare with the distribution's.

    count:   how many the distribution's module exports
    differ:  those with another checksum
    missing: those that the new module does not export
    """

    count: int
    differ: list[str]
    missing: list[str]

    @property
    def fits(self) -> bool:
        """Whether the distribution's other modules load with it."""
        return not self.differ and not self.missing

    def __str__(self) -> str:
        text = f"{self.count} exported symbols, {len(self.differ)} differ"
        if self.differ:
            text += f": {' '.join(self.differ)}"
        if self.missing:
            text += f"; {len(self.missing)} missing: {' '.join(self.missing)}"
        return text


def build(
    headers: Path, sunrpc: Path, includes: Iterable[tuple[str, Path]], folder: Path, log: Path
) -> Verdict:
    """Build folder/sunrpc.ko from a patched net/sunrpc.

    `includes` are the headers of the series, their names first. Raises
    LabError when there is nothing to compare with, or it does not build.
    """
    if re.search(r"\s", str(folder)):
        raise LabError(f"{folder}: kbuild cannot work below a path with spaces")
    theirs = their_symbols(headers)
    _lay_out(sunrpc, includes, folder)
    _make(headers, folder, log)
    ours = symbols((folder / "Module.symvers").read_text(), None)
    return compare(theirs, ours)


def symbols(symvers: str, module: str | None) -> dict[str, str]:
    """The checksums that a Module.symvers gives a module's symbols.

    module: its path without .ko; None takes every line.
    """
    lines = (line.split("\t") for line in symvers.splitlines())
    return {
        fields[1]: fields[0] for fields in lines if len(fields) >= 3 and module in (None, fields[2])
    }


def compare(theirs: dict[str, str], ours: dict[str, str]) -> Verdict:
    """How our symbols differ from those of the distribution's module."""
    return Verdict(
        len(theirs),
        sorted(s for s in theirs if s in ours and theirs[s] != ours[s]),
        sorted(theirs.keys() - ours.keys()),
    )


def defines(kconfig: str) -> dict[str, str]:
    """The options that a Kconfig file adds, by their defaults.

    Tests are left out: they are for a kernel of the tester's own.
    """
    found = {}
    for block in re.split(r"^(?=config )", kconfig, flags=re.MULTILINE)[1:]:
        name = block.split()[1]
        default = re.search(r"^\tdefault (y|\d+)$", block, re.MULTILINE)
        if default:
            found[f"CONFIG_{name}"] = default[1].replace("y", "1")
    return found


def their_symbols(headers: Path) -> dict[str, str]:
    """The symbols of the distribution's own module, proof that one fits."""
    kver = headers.parent.name
    try:
        text = (headers / "Module.symvers").read_text()
    except OSError as error:
        raise LabError(
            f"no headers of kernel {kver} ({headers}/Module.symvers): "
            f"install linux-headers-{kver}, or name a kernel with KVER="
        ) from error
    theirs = symbols(text, NAME)
    if not theirs:
        raise LabError(f"{headers}/Module.symvers: kernel {kver} has no {NAME}")
    if "0x00000000" in theirs.values():
        raise LabError(
            f"kernel {kver} was built without CONFIG_MODVERSIONS: there are "
            "no checksums that could prove that the module fits"
        )
    return theirs


def package_version(package: str) -> str:
    """The version of an installed package; raises LabError."""
    done = command.run(["dpkg-query", "-W", "-f=${db:Status-Status} ${Version}", package])
    status, _, version = done.stdout.partition(" ")
    if status in ("", "not-installed", "config-files"):
        raise LabError(f"{package} is not installed")
    return version


def _lay_out(sunrpc: Path, includes: Iterable[tuple[str, Path]], folder: Path) -> None:
    """Copy what the module is built from, its headers first in line."""
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns(*_NEIGHBOURS)
    shutil.copytree(sunrpc, folder, ignore=ignored)
    for name, file in includes:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    options = defines((folder / "Kconfig.tcpbuf").read_text())
    flags = " ".join(f"-D{name}={options[name]}" for name in options)
    makefile = folder / "Makefile"
    head = _HEAD.format(defines=flags)
    makefile.write_text(head + makefile.read_text())


def _make(headers: Path, folder: Path, log: Path) -> None:
    """Run the kernel's build system on the folder alone.

    Nothing of a make that called this goes along.
    """
    drop: list[str | Path] = [f"--unset={name}" for name in _OF_MAKE]
    done = command.run(
        ["env", *drop, "make", f"-j{os.cpu_count()}", "-C", headers, f"M={folder}"]
        + ["CONFIG_SUNRPC_GSS=", "CONFIG_SUNRPC_XPRT_RDMA="]
        + ["CONFIG_SUNRPC_TCPBUF=y", "CONFIG_SUNRPC_TCPBUF_KUNIT_TEST="]
        + ["modules"]
    )
    log.write_text(done.stdout + done.stderr)
    if done.returncode:
        raise LabError(f"{folder.name} does not build: {command.tail(done.stderr)}; see {log}")


def check(kver: str) -> str:
    """The base of a kernel that a module can be built for.

    Raises LabError with the reason when it cannot.
    """
    base = linux.base(kver)
    supported = sorted(path.name for path in (REPO / "patches").glob("*.*[0-9]"))
    if base not in supported:
        raise LabError(f"there are no patches for Linux {base}, only for {', '.join(supported)}")
    their_symbols(MODULES / kver / "build")
    source = f"linux-source-{base}"
    have = package_version(source)
    want = package_version(f"linux-headers-{kver}")
    if have != want:
        raise LabError(
            f"the kernel is of version {want} and {source} of {have}; both have to be the same"
        )
    return base


def build_here(kver: str) -> Verdict:
    """Build sunrpc.ko in the current folder, from the source package."""
    base = check(kver)
    work = Path(tempfile.mkdtemp(prefix="sunrpc-tcpbuf-"))
    try:
        stock = work / f"linux-source-{base}"
        _extract(base, work)
        (work / "want").mkdir()
        want = overlay.wanted(REPO, base, stock, work / "want")
        sunrpc = stock / "net/sunrpc"
        shutil.copytree(want.folder / "net/sunrpc", sunrpc, dirs_exist_ok=True)
        includes = [
            (name, want.folder / name) for name in sorted(want.names) if name.startswith("include/")
        ]
        verdict = build(
            MODULES / kver / "build",
            sunrpc,
            includes,
            work / "module",
            Path("kbuild.log").absolute(),
        )
        if not verdict.fits:
            raise LabError(f"the module would not fit: {verdict}")
        shutil.copyfile(work / "module/sunrpc.ko", "sunrpc.ko")
        return verdict
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _extract(base: str, work: Path) -> None:
    """Unpack what the series touches of a source package, and no more."""
    top = f"linux-source-{base}"
    ours = {name for name, _ in overlay.new_files(REPO, base)}
    touched = set(plan.touched(plan.hunks(REPO / "patches", base)))
    outside = {name for name in touched - ours if not name.startswith("net/sunrpc/")}
    names = [f"{top}/{name}" for name in ("Makefile", "net/sunrpc", *outside)]
    archive = SOURCES / f"{top}.tar.xz"
    command.must(
        ["tar", "--no-same-owner", "-C", work, "-xf", archive, *names],
        f"{archive} cannot be unpacked",
    )


def main(argv: list[str]) -> int:
    """`drop_in.py check|build KVER`; returns the exit status."""
    try:
        if argv[0] == "check":
            check(argv[1])
        else:
            print(f"{argv[1]}: {build_here(argv[1])}")
    except LabError as error:
        print(f"drop_in: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
