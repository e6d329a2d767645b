# SPDX-License-Identifier: GPL-2.0
"""What a row was measured with: digests of the series and of the daemon.

They are of sources, which are the same on every machine, and without a kernel.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

from tools.kernel import overlay, plan, tree
from tools.kernel.errors import LabError

DAEMON = tree.REPO / "tools" / "tcptuned"
DIGITS = 8


@functools.cache
def series(base: str) -> str:
    """What the series adds to a base's kernel."""
    new = overlay.new_files(tree.REPO, base)
    code = [source for name, source in new if _code(name)]
    return of(*contents([*code, *plan.hunks(tree.REPO / "patches", base)]))


@functools.cache
def daemon() -> str:
    """The daemon's sources."""
    return of(*contents(_daemon_sources()))


def check_binary(binary: Path) -> None:
    """Raise LabError when a daemon is older than a source of it."""
    newest = max(path.stat().st_mtime for path in _daemon_sources())
    if not binary.is_file() or binary.stat().st_mtime < newest:
        raise LabError(f"{binary} is older than its sources: make tcptuned")


def of(*parts: bytes) -> str:
    """The digest of some contents."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:DIGITS]


def contents(files: Iterable[Path]) -> Iterable[bytes]:
    """What files hold, with their names."""
    for path in sorted(files):
        yield str(path.relative_to(tree.REPO)).encode()
        yield path.read_bytes()


def _code(name: str) -> bool:
    return name.startswith(("net/", "include/")) and "/tests/" not in name


def _daemon_sources() -> list[Path]:
    return [
        path for path in DAEMON.rglob("*.[ch]") if "tests" not in path.relative_to(DAEMON).parts
    ]
