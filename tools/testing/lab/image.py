# SPDX-License-Identifier: GPL-2.0
"""Kernel images: a tree built to run as a process, or in qemu.

Objects lie in the tree itself, in um/ or, for a variant, um-NAME/, so that
every path in a compiler's command line begins with "../": trees that share
most of their files then share their objects through ccache, and a second
kernel takes a fraction of the time of the first.
"""

import os
import re
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import command
import lock
import overlay
from errors import LabError
from progress import Say

FRAGMENT = Path(__file__).with_name("uml.config")


@dataclass(frozen=True)
class Machine:
    """What a kernel is built for.

    arch: as make knows it. folder: of the objects, before the variant's name.
    goal: what to make. image: the program or file to boot, below the folder.
    """

    arch: str
    folder: str
    goal: str
    image: str


UML = Machine("um", "um", "linux", "linux")
X86 = Machine("x86_64", "x86", "bzImage", "arch/x86/boot/bzImage")

# An image belongs to the tree's content and to all that configures it.
KEY = ".lab-key"
LOCK = ".lab-lock"


def build(
    tree: Path,
    key: str,
    say: Say,
    *,
    variant: str = "",
    options: Iterable[str] = (),
    machine: Machine = UML,
    settings: Iterable[str] = (),
) -> Path:
    """Build a tree's image unless there is one of the same content.

    key: of the tree's content. options: lines that go over the lab's
    fragment, as "# CONFIG_SUNRPC_DEBUG is not set", named by variant.
    settings: of variables, for make. Returns the image to boot; LabError
    names the log of a failed build.
    """
    name = f"{machine.folder}-{variant}" if variant else machine.folder
    objects = tree / name
    wanted = "\n".join([key, FRAGMENT.read_text(), *options, *settings])
    image, stamp = objects / machine.image, objects / KEY
    objects.mkdir(exist_ok=True)
    with lock.held(objects / LOCK, say):
        if stamp.is_file() and stamp.read_text() == wanted and image.is_file():
            return image
        stamp.unlink(missing_ok=True)
        what = " ".join(filter(None, [tree.name, variant]))
        log = tree.parent / "log" / f"{objects.name}-{tree.name}.log"
        log.parent.mkdir(exist_ok=True)
        with log.open("w") as file:
            arch = machine.arch
            configure(tree, objects, options, file, say, what, arch=arch)
            goals = [machine.goal, *settings]
            make(tree, objects, goals, file, say, what, arch=arch)
        overlay.replace(stamp, wanted)
        return image


def configure(
    tree: Path,
    objects: Path,
    options: Iterable[str],
    log: IO[str],
    say: Say,
    what: str,
    *,
    arch: str = UML.arch,
) -> None:
    """Everything off but the fragment; what was asked for must be there."""
    fragment = objects / "lab.config"
    lines = [*FRAGMENT.read_text().splitlines(), *options]
    fragment.write_text("\n".join(_last_of_each(lines)) + "\n")
    make(
        tree,
        objects,
        [f"KCONFIG_ALLCONFIG={fragment}", "allnoconfig"],
        log,
        say,
        f"{what}: configuration",
        arch=arch,
    )
    config = set((objects / ".config").read_text().splitlines())
    asked = {line for line in lines if line.startswith("CONFIG_")}
    over = {line.split()[1] for line in options if line.startswith("# CONFIG")}
    lost = [
        line
        for line in sorted(asked - config)
        if line.split("=")[0] not in over and _is_known(tree, line)
    ]
    if lost:
        raise LabError(
            f"{tree}: kconfig dropped {' '.join(lost)}; a dependency is "
            f"missing in {FRAGMENT}"
        )


def _last_of_each(lines: Iterable[str]) -> list[str]:
    """Of several lines about one option, the last."""
    last: dict[str, str] = {}
    for line in lines:
        name = re.search(r"CONFIG_\w+", line)
        if name:
            last[name[0]] = line
    return list(last.values())


def _is_known(tree: Path, line: str) -> bool:
    """Whether the tree has the option at all: bases differ.

    Options of the series are unknown to the stock tree, and others have
    become a matter of course (CONFIG_NFS_V4_1 in 7.2).
    """
    name = line.split("=")[0].removeprefix("CONFIG_")
    pattern = rf"^\s*(menu)?config {name}$"
    found = subprocess.run(
        ["grep", "-rqE", "--include=Kconfig*", pattern, tree],
        check=False,
    )
    return found.returncode == 0


def make(
    tree: Path,
    objects: Path,
    goals: list[str],
    log: IO[str],
    say: Say,
    what: str,
    *,
    arch: str = UML.arch,
) -> None:
    """Run make in the tree, its output to the log, its progress to say."""
    environment = {
        **{k: v for k, v in os.environ.items() if not _is_makes(k)},
        "CCACHE_DIR": str(tree.parent / "ccache"),
        "CCACHE_NOHASHDIR": "1",
        "KBUILD_BUILD_HOST": "lab",
        "KBUILD_BUILD_USER": "lab",
        "KBUILD_BUILD_TIMESTAMP": "1970-01-01",
        # The guest's random numbers are made of its kernel's name, too.
        "KBUILD_BUILD_VERSION": "1",
        "LC_ALL": "C.UTF-8",
    }
    start, compiled = time.monotonic(), 0

    def heard(line: str) -> None:
        nonlocal compiled
        compiled += line.startswith("  CC ")
        seconds = time.monotonic() - start
        say(f"building {what}: {compiled} files, {seconds:.0f} s")

    args = ["make", f"-j{os.cpu_count()}", f"ARCH={arch}", f"O={objects}"]
    args += ["CC=ccache gcc", *goals]
    if command.follow(args, log, heard, cwd=tree, env=environment):
        raise LabError(f"{what} does not build; see {log.name}")


def _is_makes(name: str) -> bool:
    """Whether an environment variable would change what make does."""
    return name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BASE", "KSRC") or (
        name.startswith(("KBUILD_", "KCONFIG_", "CONFIG_"))
    )
