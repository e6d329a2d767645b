# SPDX-License-Identifier: GPL-2.0
"""sunrpc.ko with the series for a kernel that a distribution installed.

Only this module is built, from the source package that the kernel was built
from, against the kernel's headers. A module loads beside the distribution's
others when every symbol that they use of it has the checksum that they were
built with: all exported symbols are compared.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import command
import kernel
import overlay
import source
import tree
from errors import LabError
from progress import Say

MODULES = Path("/lib/modules")
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

    def __str__(self) -> str:
        text = f"{self.count} exported symbols, {len(self.differ)} differ"
        if self.differ:
            text += f": {' '.join(self.differ)}"
        if self.missing:
            text += f"; {len(self.missing)} missing: {' '.join(self.missing)}"
        return text


def build(
    kver: str,
    ksrc: Path | None,
    out: Path,
    say: Say,
    *,
    modules: Path = MODULES,
) -> tuple[Path, Verdict]:
    """Build sunrpc.ko for the kernel `kver`; return it and its verdict.

    The module is put below `out` only when no symbol differs. Raises LabError
    when there are no headers or no matching source, or it does not build.
    """
    headers = modules / kver / "build"
    theirs = _their_symbols(kver, headers)
    source.check(kernel.base(kver), tree.REPO / "patches")
    trees = tree.make(kernel.base(kver), ksrc, say=say)
    if ksrc is None:
        check_versions(kver, _package_version(kver), trees.origin)
    folder = trees.patched.parent / f"module-{kver}"
    if re.search(r"\s", str(folder)):
        raise LabError(f"{folder}: kbuild cannot work below a path with spaces")
    _lay_out(trees.patched, folder)
    say(f"building {folder.name}")
    _make(headers, folder, trees.patched.parent / "log")
    verdict = compare(
        theirs, symbols((folder / "Module.symvers").read_text(), None)
    )
    product = out / f"module-{kver}" / "sunrpc.ko"
    product.unlink(missing_ok=True)
    if not verdict.differ and not verdict.missing:
        product.parent.mkdir(parents=True, exist_ok=True)
        command.must(
            ["strip", "--strip-debug", "-o", product, folder / "sunrpc.ko"],
            f"{folder}/sunrpc.ko cannot be stripped",
        )
    return product, verdict


def symbols(symvers: str, module: str | None) -> dict[str, str]:
    """The checksums that a Module.symvers gives a module's symbols.

    module: its path without .ko; None takes every line.
    """
    lines = (line.split("\t") for line in symvers.splitlines())
    return {
        fields[1]: fields[0]
        for fields in lines
        if len(fields) >= 3 and module in (None, fields[2])
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


def check_versions(kver: str, headers: str, origin: str) -> None:
    """Raise LabError unless headers and source are of the same version."""
    if origin.split()[-1] != headers:
        raise LabError(
            f"the headers of {kver} are of version {headers} and the source "
            f"is {origin}: bring the older one up to date (delete "
            f"build/download and build/linux-{kernel.base(kver)} to fetch the "
            "source anew), or give the matching source with KSRC="
        )


def _their_symbols(kver: str, headers: Path) -> dict[str, str]:
    """The symbols of the distribution's own module."""
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


def _package_version(kver: str) -> str:
    args = ["dpkg-query", "--show", "--showformat=${Version}"]
    return command.must(
        [*args, f"linux-headers-{kver}"],
        f"linux-headers-{kver} is no installed package",
    )


def _lay_out(patched: Path, folder: Path) -> None:
    """Copy what the module is built from, its headers first in line."""
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns(*_NEIGHBOURS)
    shutil.copytree(patched / "net/sunrpc", folder, ignore=ignored)
    manifest = overlay.read_manifest(patched)
    for name in manifest.files if manifest else ():
        if name.startswith("include/"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(patched / name, target)
    options = defines((folder / "Kconfig.tcpbuf").read_text())
    flags = " ".join(f"-D{name}={options[name]}" for name in options)
    makefile = folder / "Makefile"
    head = _HEAD.format(defines=flags)
    makefile.write_text(head + makefile.read_text())


def _make(headers: Path, folder: Path, logs: Path) -> None:
    """Run the kernel's build system on the folder alone.

    Nothing of a make that called the lab goes along.
    """
    drop: list[str | Path] = [f"--unset={name}" for name in _OF_MAKE]
    done = command.run(
        [
            "env",
            *drop,
            "make",
            f"-j{os.cpu_count()}",
            "-C",
            headers,
            f"M={folder}",
        ]
        + ["CONFIG_SUNRPC_GSS=", "CONFIG_SUNRPC_XPRT_RDMA="]
        + ["CONFIG_SUNRPC_TCPBUF=y", "CONFIG_SUNRPC_TCPBUF_KUNIT_TEST="]
        + ["modules"]
    )
    logs.mkdir(exist_ok=True)
    log = logs / f"{folder.name}.log"
    log.write_text(done.stdout + done.stderr)
    if done.returncode:
        raise LabError(
            f"{folder.name} does not build: "
            f"{command.tail(done.stderr)}; see {log}"
        )
