# SPDX-License-Identifier: GPL-2.0
"""Configures and builds a kernel with no more than this project needs.

Every path in a compiler's command line begins with "../" when the objects lie
in the tree itself: trees that share most of their files then share their
objects through ccache, and a second kernel takes a fraction of the time of
the first.
"""

import os
import re
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from tools.kernel import command
from tools.kernel.errors import LabError
from tools.kernel.progress import Say

# User Mode Linux needs no other compiler and no machine to run on.
ARCH = "um"
FRAGMENT = Path(__file__).with_name("uml.config")


def configure(
    tree: Path,
    objects: Path,
    options: Iterable[str],
    log: IO[str],
    say: Say,
    what: str,
    *,
    arch: str = ARCH,
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
            f"{tree}: kconfig dropped {' '.join(lost)}; a dependency is missing in {FRAGMENT}"
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
    found = subprocess.run(["grep", "-rqE", "--include=Kconfig*", pattern, tree], check=False)
    return found.returncode == 0


def make(
    tree: Path,
    objects: Path,
    goals: list[str],
    log: IO[str],
    say: Say,
    what: str,
    *,
    arch: str = ARCH,
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
