# SPDX-License-Identifier: GPL-2.0
"""Kernel trees below build/: a stock one and one with the series.

    build/linux-7.2/           as the distribution or KSRC= has it
    build/linux-7.2-tcpbuf/    the same with patches/7.2/ and the new files

A tree is made in build/.tmp/ and renamed when whole, so one that is there
is whole; it is used as it is, without network, until build/ is deleted.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.kernel import command, linux, lock, overlay, source
from tools.kernel import ksrc as user
from tools.kernel.errors import LabError
from tools.kernel.progress import Say

REPO = Path(__file__).resolve().parents[2]

STAMP = ".tcpbuf-stock.json"


@dataclass(frozen=True)
class Trees:
    """A stock tree and its patched copy.

    base:    whose patches are applied, "7.2"
    version: the kernel's own, "7.2.13"
    origin:  where it came from, "linux-source-7.2 7.2.13-1"
    note:    why no newer base was taken; empty when there is no newer
    *_key:   equal exactly when the tree's content is
    """

    base: str
    version: str
    origin: str
    stock: Path
    patched: Path
    note: str
    stock_key: str
    patched_key: str


@dataclass(frozen=True)
class Stamp:
    """What a whole stock tree says about itself."""

    version: str
    origin: str
    identity: str


def quiet(_: str) -> None:
    """Say nothing."""


def folder(repo: Path = REPO) -> Path:
    """The folder that everything is built in: build/ of the repository.

    kbuild takes no path with a space or colon. Where the repository's has one,
    build/ is a link to a folder below /var/tmp, and that is returned. Raises
    LabError when it belongs to another user.
    """
    build = repo / "build"
    if not re.search(r"[\s:]", str(build)):
        return build
    name = hashlib.sha256(os.fsencode(build)).hexdigest()[:12]
    place = Path("/var/tmp") / f"sunrpc-tcpbuf-{name}"
    place.mkdir(mode=0o700, exist_ok=True)
    if place.is_symlink() or place.stat().st_uid != os.geteuid():
        raise LabError(f"{place} is not ours; delete it, or use a path without spaces")
    _link(build, place)
    return place


def _link(build: Path, place: Path) -> None:
    """Make `build` a link to the folder `place`; other runs may do it too."""
    folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if build.is_dir() and not build.is_symlink():
            # install-deps was here first, with its log.
            shutil.copytree(build, place, dirs_exist_ok=True)
            shutil.rmtree(build)
        if not build.is_symlink():
            build.symlink_to(place)
    finally:
        os.close(folder)


def make(
    base: str | None,
    ksrc: Path | None,
    *,
    build: Path | None = None,
    repo: Path = REPO,
    say: Say = quiet,
) -> Trees:
    """Make both trees, or bring them up to date, and describe them.

    `build` None is folder(repo). `base` None takes the newest that can be had,
    or the one that fits `ksrc`. Waits while another process makes trees below
    `build`. Raises LabError, and leaves earlier trees as they were.
    """
    repo = repo.absolute()
    build = (build or folder(repo)).absolute()
    with _lock(build, say):
        if ksrc is None:
            return _from_package(base, build, repo, say)
        return _from_user(base, user.find(ksrc), build, repo, say)


def _from_package(base: str | None, build: Path, repo: Path, say: Say) -> Trees:
    """Trees from the distribution's package."""
    if base is None:
        choice = source.choose(
            repo / "patches",
            build,
            lambda name: read_stamp(build / f"linux-{name}") is not None,
            say,
        )
        base = choice.base
    else:
        source.check(base, repo / "patches")
        choice = source.Choice(base, None)
    stock = build / f"linux-{base}"
    if read_stamp(stock) is None:
        package = choice.package or source.fetch(base, build, say)
        origin, identity = source.origin(package), _identity_of(package)
        say(f"unpacking {origin}")
        work = source.work(build) / "stock"
        _adopt(linux.unpack(package, work), stock, origin, identity, say)
    return _patched(base, stock, repo, say, choice.note)


def _from_user(base: str | None, given: user.Ksrc, build: Path, repo: Path, say: Say) -> Trees:
    """Trees from what KSRC= names."""
    if given.version:
        source.check(base or linux.base(given.version), repo / "patches")
    made = _made_before(given, build, say)
    if made is None:
        say(f"copying {given.path}")
        tree = user.unpack(given, source.work(build) / "stock")
        version = linux.version(tree)
        # Asked before the tree is kept: one without patches would be
        # 2 GB that nobody wants.
        source.check(base or linux.base(version), repo / "patches")
        made = build / f"linux-{version}-ksrc-{given.place}"
        _adopt(tree, made, f"KSRC={given.path}", given.identity, say)
    base = base or linux.base(linux.version(made))
    source.check(base, repo / "patches")
    return _patched(base, made, repo, say, "")


def _made_before(given: user.Ksrc, build: Path, say: Say) -> Path | None:
    """The stock tree of the same KSRC=; removes those of other content."""
    made = None
    for stock in sorted(build.glob(f"linux-*-ksrc-{given.place}")):
        stamp = read_stamp(stock)
        if stamp is not None and stamp.identity == given.identity:
            made = stock
            continue
        say(f"{given.path} has changed")
        _remove(stock)
        _remove(_patched_path(stock))
    return made


def _adopt(tree: Path, stock: Path, origin: str, identity: str, say: Say) -> None:
    """Give a whole unpacked tree its stamp and its place."""
    version = linux.version(tree)
    stamp = {"version": version, "origin": origin, "identity": identity}
    overlay.replace(tree / STAMP, json.dumps(stamp, indent=1) + "\n")
    if stock.exists():
        say(f"removing {stock.name}, which is not whole")
    _place(tree, stock)


def _patched(base: str, stock: Path, repo: Path, say: Say, note: str) -> Trees:
    """The patched tree of a stock tree, made or brought up to date."""
    stamp = read_stamp(stock)
    if stamp is None:
        raise LabError(f"{stock}: damaged; delete it and try again")
    tree, work = _patched_path(stock), source.work(stock.parent)
    (work / "wanted").mkdir()
    want = overlay.wanted(repo, base, stock, work / "wanted")
    manifest = overlay.read_manifest(tree)
    if manifest is None or manifest.identity != stamp.identity:
        say(f"copying {stock.name}")
        copy = _copy(stock, work / "patched")
        overlay.sync(want, stock, copy, stamp.identity)
        _place(copy, tree)
    else:
        changed = overlay.sync(want, stock, tree, stamp.identity)
        if changed:
            say(f"{len(changed)} files brought up to date in {tree.name}")
    key = _key(stamp.identity, (tree / overlay.MANIFEST).read_text())
    return Trees(
        base=base,
        version=stamp.version,
        origin=stamp.origin,
        stock=stock,
        patched=tree,
        note=note,
        stock_key=_key(stamp.identity, ""),
        patched_key=key,
    )


def read_stamp(stock: Path) -> Stamp | None:
    """The stamp of a stock tree, None when the tree is not to be trusted."""
    try:
        fields = json.loads((stock / STAMP).read_text())
        return Stamp(**{name: str(fields[name]) for name in fields})
    except (OSError, ValueError, TypeError):
        return None


def _copy(stock: Path, copy: Path) -> Path:
    """Copy a stock tree with its times; no stamp goes along.

    Of a link to one the copy would be a link, and the tree be written to.
    """
    command.must(
        ["cp", "-a", "--reflink=auto", "--", stock.resolve(), copy],
        f"{stock} cannot be copied (no disk space?)",
    )
    (copy / STAMP).unlink()
    return copy


def _place(made: Path, tree: Path) -> None:
    """Put a whole tree where it belongs."""
    _remove(tree)
    os.rename(made, tree)


def _patched_path(stock: Path) -> Path:
    return stock.with_name(stock.name + "-tcpbuf")


def _identity_of(package: Path) -> str:
    """The checksum of a package that source.py has just checked."""
    return package.with_name(package.name + ".sha256").read_text().split()[0]


def _key(identity: str, manifest: str) -> str:
    return hashlib.sha256(f"{identity}\n{manifest}".encode()).hexdigest()


def _remove(tree: Path) -> None:
    """Remove a tree so that a cut-off leaves none that looks whole."""
    if os.path.lexists(tree):
        rubbish = source.work(tree.parent) / "rubbish"
        os.rename(tree, rubbish)
        shutil.rmtree(rubbish, ignore_errors=True)


@contextmanager
def _lock(build: Path, say: Say) -> Iterator[None]:
    """Hold build/.lock; build/.tmp is empty before and gone after."""
    build.mkdir(parents=True, exist_ok=True)
    with lock.held(build / ".lock", say):
        # A killed run's cp or tar may still be writing to its own folder
        # there; what it writes now goes with the next run.
        shutil.rmtree(build / ".tmp", ignore_errors=True)
        try:
            yield
        finally:
            shutil.rmtree(build / ".tmp", ignore_errors=True)
