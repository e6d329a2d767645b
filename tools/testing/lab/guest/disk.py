# SPDX-License-Identifier: GPL-2.0
"""A slow disk behind NFSD: a mount of another server over a short link.

What NFSD reads from a tmpfs is there at once, so in simulated time a reply is
always ready before the next request is looked at. Here every read that is not
in the page cache waits for the link. The other server is the same kernel's, in
a network namespace of its own. It gets no daemons: the three answers that
rpc.mountd would give are written to the caches of that namespace.
"""

import os
from pathlib import Path

from tools.testing.lab.guest.network import add_client, address
from tools.testing.lab.guest.shell import run, sysctl
from tools.testing.lab.scenario import Client

INDEX = 9999
NAME = "disk"
RATE_MBIT = 100_000
THREADS = 64
WARM_UP_MIB = 256
STORE = Path("/srv/disk")
# From <uapi/linux/nfsd/export.h>: insecure, async, no_subtree_check, fsid.
EXPORT_FLAGS = 0x2 | 0x10 | 0x400 | 0x2000
NEVER = 0x7FFFFFFF

SERVE = """\
set -e
mkdir -p /run/nfsd-disk
mount -t nfsd nfsd /run/nfsd-disk
echo "-3 +4.2" >/run/nfsd-disk/versions
echo {block_bytes} >/run/nfsd-disk/max_block_size
echo 10 >/run/nfsd-disk/nfsv4leasetime
echo 10 >/run/nfsd-disk/nfsv4gracetime
echo "tcp 2049" >/run/nfsd-disk/portlist
echo {threads} >/run/nfsd-disk/threads
echo "nfsd {server} {never} *" >/proc/net/rpc/auth.unix.ip/channel
echo "* {store} {never} {flags} 65534 65534 0" >/proc/net/rpc/nfsd.export/channel
echo '* 1 \\x00000000 {never} {store}' >/proc/net/rpc/nfsd.fh/channel
"""


def mount(point: Path, delay_ms: float, block_bytes: int) -> None:
    """Mount the disk at a folder; each request takes `delay_ms`."""
    add_client(INDEX, NAME, Client(RATE_MBIT, delay_ms / 2))
    STORE.mkdir()
    run("mount", "-t", "tmpfs", "disk", str(STORE))
    script = SERVE.format(
        block_bytes=block_bytes,
        threads=THREADS,
        server=address(INDEX, "server", 4),
        never=NEVER,
        store=STORE,
        flags=EXPORT_FLAGS,
    )
    run("sh", "-c", script, netns=NAME)
    point.mkdir()
    source = f"{address(INDEX, 'client', 4)}:/"
    run("mount", "-t", "nfs", "-o", "vers=4.2", source, str(point))
    _read_whole_requests(point, block_bytes)
    _warm_up(point)


def _read_whole_requests(point: Path, block_bytes: int) -> None:
    """Let a READ wait for the disk once.

    By default the read-ahead of the mount is 128 KiB, and a READ of 1 MiB
    would wait for eight requests, one after the other.
    """
    device = os.stat(point).st_dev
    bdi = f"/sys/class/bdi/{os.major(device)}:{os.minor(device)}"
    Path(bdi, "read_ahead_kb").write_text(str(2 * block_bytes >> 10))


def _warm_up(point: Path) -> None:
    """Open the link's window: a disk has no slow start."""
    sysctl("net.ipv4.tcp_slow_start_after_idle", 0, netns=NAME)
    warm = f"bs=1M count={WARM_UP_MIB} status=none"
    run("dd", "if=/dev/zero", f"of={STORE}/warm", *warm.split())
    run("dd", f"if={point}/warm", "of=/dev/null", *warm.split())
    (STORE / "warm").unlink()
