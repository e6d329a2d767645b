# SPDX-License-Identifier: GPL-2.0
"""Kernel images: a tree built to run as a process, or in qemu.

Objects lie in the tree itself, in um/ or, for a variant, um-NAME/; kbuild.py
says why.
"""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tools.kernel import cli, kbuild, lock, overlay
from tools.kernel.command import run
from tools.kernel.progress import Progress, Say


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


UML = Machine(kbuild.ARCH, "um", "linux", "linux")
# In qemu; x86.config goes over the lab's fragment.
X86 = Machine("x86_64", "x86", "bzImage", "arch/x86/boot/bzImage")
X86_CONFIG = Path(__file__).with_name("x86.config")

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
    wanted = "\n".join([key, kbuild.FRAGMENT.read_text(), *options, *settings])
    image, stamp = objects / machine.image, objects / KEY
    objects.mkdir(exist_ok=True)
    with lock.held(objects / LOCK, say):
        if stamp.is_file() and stamp.read_text() == wanted and image.is_file():
            return image
        if variant and not (objects / ".config").exists():
            # What the variant's options do not change is not compiled again.
            usual = f"{tree / machine.folder}/."
            run(["cp", "-a", "--no-clobber", usual, objects])
        stamp.unlink(missing_ok=True)
        what = " ".join(filter(None, [tree.name, variant]))
        log = tree.parent / "log" / f"{objects.name}-{tree.name}.log"
        log.parent.mkdir(exist_ok=True)
        with log.open("w") as file:
            arch = machine.arch
            kbuild.configure(tree, objects, options, file, say, what, arch=arch)
            goals = [machine.goal, *settings]
            kbuild.make(tree, objects, goals, file, say, what, arch=arch)
        overlay.replace(stamp, wanted)
        return image


def option(parser: argparse.ArgumentParser) -> None:
    """Add --kernel to a command."""
    parser.add_argument(
        "--kernel",
        choices=["patched", "stock"],
        default="patched",
        help="with the series or without [patched]",
    )


def chosen(options: argparse.Namespace, say: Progress) -> Path:
    """The image that a command's options name, built."""
    trees = cli.trees(options, say)
    if options.kernel == "stock":
        return build(trees.stock, trees.stock_key, say)
    return build(trees.patched, trees.patched_key, say)
