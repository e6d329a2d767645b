# SPDX-License-Identifier: GPL-2.0
"""`make module`: sunrpc.ko with the series, built from the trees below build/.

How it is built and what proves that it fits is in drop_in.py.
"""

from __future__ import annotations

from pathlib import Path

from tools.kernel import command, drop_in, linux, overlay, source, tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Say


def build(
    kver: str, ksrc: Path | None, out: Path, say: Say, *, modules: Path = drop_in.MODULES
) -> tuple[Path, drop_in.Verdict]:
    """Build sunrpc.ko for the kernel `kver`; return it and its verdict.

    The module is put below `out` only when no symbol differs. Raises LabError
    when there are no headers or no matching source, or it does not build.
    """
    headers = modules / kver / "build"
    drop_in.their_symbols(headers)
    source.check(linux.base(kver), tree.REPO / "patches")
    trees = tree.make(linux.base(kver), ksrc, say=say)
    if ksrc is None:
        version = drop_in.package_version(f"linux-headers-{kver}")
        check_versions(kver, version, trees.origin)
    folder = trees.patched.parent / f"module-{kver}"
    manifest = overlay.read_manifest(trees.patched)
    includes = [
        (name, trees.patched / name)
        for name in (manifest.files if manifest else ())
        if name.startswith("include/")
    ]
    logs = trees.patched.parent / "log"
    logs.mkdir(exist_ok=True)
    say(f"building {folder.name}")
    verdict = drop_in.build(
        headers, trees.patched / "net/sunrpc", includes, folder, logs / f"{folder.name}.log"
    )
    product = out / f"module-{kver}" / "sunrpc.ko"
    product.unlink(missing_ok=True)
    if verdict.fits:
        product.parent.mkdir(parents=True, exist_ok=True)
        command.must(
            ["strip", "--strip-debug", "-o", product, folder / "sunrpc.ko"],
            f"{folder}/sunrpc.ko cannot be stripped",
        )
    return product, verdict


def check_versions(kver: str, headers: str, origin: str) -> None:
    """Raise LabError unless headers and source are of the same version."""
    if origin.split()[-1] != headers:
        raise LabError(
            f"the headers of {kver} are of version {headers} and the source "
            f"is {origin}: bring the older one up to date (delete "
            f"build/download and build/linux-{linux.base(kver)} to fetch the "
            "source anew), or give the matching source with KSRC="
        )
