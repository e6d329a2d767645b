# SPDX-License-Identifier: GPL-2.0
"""The disk of a Debian server, made by mmdebstrap from the host's mirror.

It is kept below build/ for as long as the packages in it are the newest.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from tools.kernel import apt, command, lock, overlay
from tools.kernel.errors import LabError
from tools.kernel.progress import Say
from tools.testing.boot.machine import DEPOT, Root
from tools.testing.programs import BUILD

FOLDER = BUILD / "boot"
DISK_GIB = 12

# A server of NFS, with the distribution's own kernel.
INCLUDED = (
    *("linux-image-amd64", "initramfs-tools", "nfs-kernel-server"),
    *("openssh-server", "dbus", "rsyslog", "iproute2", "python3"),
    # sudo comes with dkms too, but does not let itself be removed again.
    *("qemu-guest-agent", "sudo"),
)
# For it to be found once the network is gone.
FILES = {
    "etc/hostname": "server\n",
    "etc/hosts": "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 server\n",
    "etc/fstab": "/dev/vda / ext4 errors=remount-ro 0 1\n",
    "etc/exports": "/srv/nfs *(rw,fsid=0,async,no_subtree_check,no_root_squash)\n",
    "etc/apt/sources.list": f"deb [trusted=yes] file:{DEPOT}/archive ./\n",
}


SUITE = "bookworm"


def make(say: Say) -> Root:
    """The root, made unless it is there and nothing newer can be had."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    root = Root(*(FOLDER / name for name in ("disk", "vmlinuz", "initrd.img")))
    with lock.held(FOLDER / "lock", say):
        stamp, wanted = FOLDER / "root.key", _key()
        if not (stamp.is_file() and stamp.read_text() == wanted):
            stamp.unlink(missing_ok=True)
            (FOLDER / "sources.list").write_text(_sources())
            _make(root, say)
            overlay.replace(stamp, wanted)
    return root


def _sources() -> str:
    """The suite as the host's apt has it, as lines of a sources.list."""
    fields = "$(ORIGIN)|$(IDENTIFIER)|$(REPO_URI)|$(CODENAME)|$(COMPONENT)"
    listed = command.run(["apt-get", "indextargets", "--format", fields])
    lines = [line.split("|") for line in listed.stdout.splitlines()]
    found = sorted(
        f"deb [signed-by={apt.KEYRING}] {uri} {codename} {component}\n"
        for origin, target, uri, codename, component in lines
        if origin == "Debian" and target == "Packages" and codename.startswith(SUITE)
    )
    if not found:
        raise LabError(f"this machine's apt does not know {SUITE}")
    return "".join(found)


def status() -> Path:
    """What dpkg knows of the packages in the root."""
    return FOLDER / "state" / "status"


def _key() -> str:
    """What the root is made of: this file, and the newest packages."""
    newest = command.must(["apt-cache", "show", "--no-all-versions", *INCLUDED], "apt-cache")
    text = f"{Path(__file__).read_text()}\n{newest}"
    return hashlib.sha256(text.encode()).hexdigest()


def _make(root: Root, say: Say) -> None:
    tree = FOLDER / "root"
    _remove(tree)
    say("making the root of a Debian server")
    # A machine's apt may be told to take an index that is too old. mmdebstrap
    # does not ask it.
    dates = ("Acquire::Check-Valid-Until", "Acquire::Check-Date")
    dump = command.must(["apt-config", "dump", *dates], "apt-config")
    command.must(
        ["mmdebstrap", "--quiet", "--mode=root", "--variant=important"]
        + [f"--aptopt={line}" for line in dump.splitlines()]
        + [f"--include={','.join(INCLUDED)}", SUITE]
        + [tree, FOLDER / "sources.list"],
        "mmdebstrap",
    )
    for path in (tree / "etc/apt/sources.list.d").iterdir():
        path.unlink()
    for name, text in FILES.items():
        (tree / name).write_text(text)
    (tree / "srv/nfs").mkdir()
    for target, pattern in ((root.kernel, "vmlinuz-*"), (root.initrd, "initrd.img-*")):
        (source,) = (tree / "boot").glob(pattern)
        shutil.copyfile(source, target)
    known = status()
    known.parent.mkdir(exist_ok=True)
    for name in ("lib/dpkg/status", "lib/apt/extended_states"):
        shutil.copyfile(tree / "var" / name, known.with_name(Path(name).name))
    say("writing the disk of a Debian server")
    root.disk.unlink(missing_ok=True)
    command.must([*["mke2fs", "-q", "-t", "ext4", "-d"], tree, root.disk, f"{DISK_GIB}G"], "mke2fs")
    _remove(tree)


def _remove(tree: Path) -> None:
    """Delete a root, but not through what might still be mounted in it."""
    if not tree.exists():
        return
    mounted = [
        line.split()[4]
        for line in Path("/proc/self/mountinfo").read_text().splitlines()
        if line.split()[4].startswith(f"{tree.resolve()}/")
    ]
    if mounted:
        raise LabError(f"{tree}: unmount {' '.join(mounted)} first")
    shutil.rmtree(tree)
