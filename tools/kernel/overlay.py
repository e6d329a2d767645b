# SPDX-License-Identifier: GPL-2.0
"""What the project changes in a kernel tree, and how a tree gets it.

The wanted content of every touched file is worked out in a folder of its
own, from the stock tree, the patches and the new files. Only then is a
tree brought to that content, file by file, and only where it differs: make
rebuilds what changed and nothing else. Files written get the time of now,
also those that go back to stock, since objects made from what they held
before are newer than the stock file's own time.
"""

from __future__ import annotations

import filecmp
import fnmatch
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.kernel import command, linux, plan
from tools.kernel.errors import LabError

MANIFEST = ".tcpbuf-manifest.json"

# Folders of the repository that lie as they land in a kernel tree.
FOLDERS = ("net", "include", "Documentation/admin-guide", "tools/testing/selftests/sunrpc")

# What editors, patch and compilers leave beside a source.
_LITTER = ("~", ".orig", ".rej", ".swp", ".o", ".ko", ".mod", ".mod.c")


@dataclass(frozen=True)
class Wanted:
    """Every touched file: below `folder` when it shall exist."""

    folder: Path
    names: frozenset[str]


@dataclass(frozen=True)
class Manifest:
    """What was done to a tree: the checksum of every touched file.

    identity: the stock tree's that it was copied from
    """

    identity: str
    files: dict[str, str]


def wanted(repo: Path, base: str, stock: Path, folder: Path) -> Wanted:
    """Work out the touched files' content in the empty `folder`.

    Raises LabError when a patch does not apply, or when a file that the
    project adds exists in the stock tree.
    """
    hunks = plan.hunks(repo / "patches", base)
    names = {name for name in plan.touched(hunks) if (stock / name).is_file()}
    for name in names:
        _copy(stock / name, folder / name)
    # Before the patches: an older base may need a word of ours changed.
    for name, source in new_files(repo, base):
        if os.path.lexists(stock / name):
            raise LabError(
                f"{source}: {name} exists in that kernel already: change "
                f"it with a patch in patches/{base}/"
            )
        _copy(source, folder / name)
    for patch in hunks:
        apply(patch, folder, stock)
    names |= {os.fspath(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return Wanted(folder, frozenset(names))


def sync(want: Wanted, stock: Path, tree: Path, identity: str) -> list[str]:
    """Bring a tree to the wanted content; return the names changed.

    The manifest lists every file that may differ from stock. A run that is cut
    off leaves a tree without one, which is then made again.
    """
    before = read_manifest(tree)
    (tree / MANIFEST).unlink(missing_ok=True)
    names = sorted(want.names | set(before.files if before else ()))
    changed = [name for name in names if _settle(name, want, stock, tree)]
    files = {name: _sum(tree / name) for name in sorted(want.names)}
    fields = {"identity": identity, "files": files}
    replace(tree / MANIFEST, json.dumps(fields, indent=1) + "\n")
    return changed


def read_manifest(tree: Path) -> Manifest | None:
    """The manifest of a tree, None when there is no whole one."""
    try:
        fields = json.loads((tree / MANIFEST).read_text())
        files = {str(k): str(v) for k, v in fields["files"].items()}
        return Manifest(str(fields["identity"]), files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def replace(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(path.name + ".new")
    partial.write_text(text)
    os.replace(partial, path)


def apply(patch: Path, folder: Path, stock: Path) -> None:
    """Apply one patch; offsets are allowed, fuzz is not."""
    args = ["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch"]
    args += ["--batch", "--forward", "-r", "-", "-i"]
    done = command.run([*args, patch], cwd=folder)
    if done.returncode == 0:
        return
    current = "no file"
    failed = [done.stderr.strip()] if done.stderr.strip() else []
    for line in done.stdout.splitlines():
        if line.startswith(("patching file ", "checking file ")):
            current = line.split(" ", 2)[2]
        if re.search(r"FAILED|can't find|previously applied|Only garb", line):
            failed.append(f"{current}: {line}")
    raise LabError(
        f"{patch} does not apply to linux {linux.version(stock)}: "
        f"{'; '.join(failed) or command.tail(done.stdout)}; bring the patch "
        "up to date with that tree, or choose another with BASE= or KSRC="
    )


def new_files(repo: Path, base: str) -> list[tuple[str, Path]]:
    """The files that the project adds to a base: name in the tree, source."""
    foreign = [pattern for patch in plan.foreign(repo / "patches", base) for pattern in patch.files]
    return [
        (name, source)
        for name, source in _new_files(repo)
        if not any(fnmatch.fnmatch(name, pattern) for pattern in foreign)
    ]


def _new_files(repo: Path) -> Iterator[tuple[str, Path]]:
    if (repo / "Kconfig").is_file():
        yield "net/sunrpc/Kconfig.tcpbuf", repo / "Kconfig"
    for top in FOLDERS:
        for source in sorted((repo / top).rglob("*")):
            litter = source.name.startswith(".")
            litter |= source.name.endswith(_LITTER)
            if source.is_file() and not litter:
                yield os.fspath(source.relative_to(repo)), source


def _settle(name: str, want: Wanted, stock: Path, tree: Path) -> bool:
    """Bring one file to its wanted content; tell whether it changed."""
    goal = want.folder if name in want.names else stock
    source, target = goal / name, tree / name
    if not source.is_file():
        if not os.path.lexists(target):
            return False
        target.unlink()
        return True
    if _same(source, target):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = want.folder.with_name("partial")
    shutil.copyfile(source, partial)
    shutil.copymode(source, partial)
    os.replace(partial, target)
    return True


def _same(source: Path, target: Path) -> bool:
    """Whether two files agree in content and in being a program."""
    if target.is_symlink() or not target.is_file():
        return False
    modes = source.stat().st_mode ^ target.stat().st_mode
    return modes & 0o100 == 0 and filecmp.cmp(source, target, shallow=False)


def _sum(path: Path) -> str:
    if not path.is_file():
        return "absent"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)
