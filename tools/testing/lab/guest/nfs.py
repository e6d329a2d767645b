# SPDX-License-Identifier: GPL-2.0
"""The NFS server of the guest, and the mounts of its clients."""

import os
import subprocess
import time
from pathlib import Path

from tools.kernel.errors import LabError
from tools.testing.lab.guest import disk
from tools.testing.lab.guest.network import address
from tools.testing.lab.guest.shell import run
from tools.testing.lab.scenario import Client, Server

EXPORT = Path("/srv/nfs")
EXPORT_OPTIONS = "rw,async,no_root_squash,insecure,no_subtree_check"
MOUNTS = Path("/mnt")
LOGS = Path("/run")
RPCBIND_SOCKET = Path("/run/rpcbind.sock")
MOUNTD_PORT = 20048
GRACE_S = 10
MAX_BLOCK_BYTES = 1 << 20


def start_server(server: Server, memory_mb: int, nfs3: bool) -> None:
    """Export a tmpfs and start nfsd; returns when its grace period is over."""
    run("mount", "-t", "nfsd", "nfsd", "/proc/fs/nfsd")
    size = f"size={memory_mb}m"
    run("mount", "-t", "tmpfs", "-o", size, "export", str(EXPORT))
    exports = [f"{EXPORT} *(fsid=0,{EXPORT_OPTIONS})"]
    if server.disk_ms:
        disk.mount(EXPORT / "disk", server.disk_ms, MAX_BLOCK_BYTES)
        exports.append(f"{EXPORT / 'disk'} *(fsid=1,{EXPORT_OPTIONS})")
    Path("/tmp/exports").write_text("\n".join(exports) + "\n")
    run("mount", "--bind", "/tmp/exports", "/etc/exports")
    run("exportfs", "-r")
    # nfsd derives its largest request from the machine's memory, and the
    # clients their rsize and wsize from that. The guest's memory is no fact
    # of the scenario.
    Path("/proc/fs/nfsd/max_block_size").write_text(str(MAX_BLOCK_BYTES))
    if nfs3:
        # Without it nfsd cannot register version 3, and so does not start.
        _start("rpcbind", "-f")
        _wait_for(RPCBIND_SOCKET)
    without = [] if nfs3 else ["-N", "3"]
    _start(
        *("rpc.mountd", "--foreground", "--no-udp", "-N", "2"),
        *("--port", str(MOUNTD_PORT), *without),
    )
    start_threads(server.threads, *without)
    time.sleep(GRACE_S + 2)


def start_threads(number: int, *options: str) -> None:
    """Start nfsd, whose grace period begins."""
    run(
        *("rpc.nfsd", "--tcp", "--no-udp", *options),
        *("--grace-time", str(GRACE_S), "--lease-time", str(GRACE_S)),
        str(number),
    )


def _start(*argv: str) -> None:
    """Start a daemon; what it says goes to a file, see logs()."""
    with (LOGS / argv[0]).open("w") as log:
        subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def logs() -> str:
    """What the daemons said; of interest when something failed."""
    return "".join(
        f"{log.name} said:\n{log.read_text()}"
        for log in sorted(LOGS.glob("rpc*"))
        if log.stat().st_size
    )


def _wait_for(socket: Path) -> None:
    deadline = time.monotonic() + 10
    while not socket.exists():
        if time.monotonic() > deadline:
            raise LabError(f"{socket} did not come; {logs()}")
        time.sleep(0.1)


def mount(index: int, name: str, client: Client) -> Path:
    """Mount the export for a client; the mount point."""
    point = MOUNTS / name
    point.mkdir()
    identify(name)
    attach(index, client, point, netns=name)
    if client.read_ahead_kb:
        _bdi(point).write_text(str(client.read_ahead_kb))
    return point


def identify(name: str) -> None:
    """Give the NFSv4 client of a network namespace a name of its own.

    Clients of one kernel share the name that NFSv4 knows a client by, and
    throw each other's state out, unless each namespace has its own.
    """
    identifier = "/sys/fs/nfs/net/nfs_client/identifier"
    run("ip", "netns", "exec", name, "sh", "-c", f"echo {name} >{identifier}")


def attach(index: int, client: Client, point: Path, *, netns: str | None = None) -> None:
    """Mount the export over the path of client index."""
    server = address(index, "server", client.family)
    if client.family == 6:
        server = f"[{server}]"
    tcp = "tcp" if client.family == 4 else "tcp6"
    options = [f"vers={client.nfs}", f"proto={tcp}", *_rpc3(client, tcp)]
    options += [client.options] if client.options else []
    source = f"{server}:{EXPORT if client.nfs == '3' else '/'}"
    command = ["mount", "-t", "nfs", "-o", ",".join(options), source, point]
    run(*map(str, command), netns=netns)


def _rpc3(client: Client, tcp: str) -> list[str]:
    if client.nfs != "3":
        return []
    return ["nolock", f"mountport={MOUNTD_PORT}", f"mountproto={tcp}"]


def _bdi(point: Path) -> Path:
    device = os.stat(point).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    return Path("/sys/class/bdi", number, "read_ahead_kb")
