# SPDX-License-Identifier: GPL-2.0
"""What happens to servers and connections during the stress.

Every function is the body of a worker, or makes one.
"""

import contextlib
import os
import re
import subprocess
import time
from pathlib import Path

from tools.kernel.errors import LabError
from tools.testing.lab.guest import network, nfs
from tools.testing.lab.guest.shell import NETNS, run
from tools.testing.lab.stress.traffic import NFS_PORT, PATH, SOFT, remove, transfers, unmount
from tools.testing.lab.stress.workers import Body, Turn

TRACING = Path("/sys/kernel/tracing")
EVENTS = [TRACING / "events" / name / "enable" for name in ("sunrpc_tcpbuf", "svc_outq")]
TRACE_BYTES = 1 << 20

# Above what TCP has by itself, see LIMITS, and below; 0 and the maximum.
VALUES = (0, 0, 1, 4096, 100_000, 300_000, 1 << 20, 1 << 24, (1 << 30) - 1)
LOWATS = (0, 1, 4096, 65536, 131072, (1 << 30) - 1)
FILES = ("tcp_rcvbuf", "tcp_sndbuf", "tcp_clnt_rcvbuf", "tcp_clnt_sndbuf")
# TCP's own sizes: small, so that connections grow beyond them, and sometimes
# smaller or larger than what they have.
SMALL = "4096 16384 32768"
LIMITS = (SMALL, SMALL, "4096 8192 200000")
HOST_MAX = (212992, 4 << 20, 64 << 20)
# net.ipv4.tcp_mem in pages: memory is short, and it is not.
SHORT, PLENTY = "8 16 100000", "30000 40000 60000"

# A server in its own namespace. It is up when its grace period is over, and
# goes when a line comes.
SERVE = """
mount -t nfsd nfsd /proc/fs/nfsd
echo 1048576 >/proc/fs/nfsd/max_block_size
rpc.mountd --foreground --no-udp -N 3 </dev/null >/dev/null 2>&1 &
rpc.nfsd --tcp --no-udp -N 3 --grace-time 10 --lease-time 10 4
sleep 11
echo up
read -r line || :
rpc.nfsd 0
kill $!
"""


def tune(turn: Turn) -> None:
    """Write other values to this namespace's files."""
    pick = turn.random.choice
    for name in FILES:
        _write(f"sunrpc/{name}", pick(VALUES))
    _write("sunrpc/tcp_notsent_lowat", pick(LOWATS))
    for role in ("", "clnt_"):
        _write(f"sunrpc/tcp_{role}lossy_congestion_control", pick(("\n", "bbr", "reno")))
    _write("net/ipv4/tcp_rmem", pick(LIMITS))
    _write("net/ipv4/tcp_wmem", pick(LIMITS))
    _write("net/ipv4/tcp_notsent_lowat", pick((131072, (1 << 32) - 1)))
    turn.count("values", len(FILES) + 1)
    turn.nap(pick((0.05, 0.5, 2, 4)))


def tune_host(turn: Turn) -> None:
    """Write other values to what all namespaces share."""
    pick = turn.random.choice
    for name in ("rmem_max", "wmem_max"):
        _write(f"net/core/{name}", pick(HOST_MAX))
    _write("net/ipv4/tcp_syncookies", pick((1, 1, 2)))
    _write("net/ipv4/tcp_mem", pick((SHORT, *[PLENTY] * 7)))
    for events in EVENTS:
        events.write_text(str(pick((1, 1, 1, 0))))
    turn.nap(pick((0.3, 1, 3)))


def watch(turn: Turn) -> None:
    """Count the trace events, by whose buffers they are about."""
    text = b""
    fd = os.open(TRACING / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while len(text) < TRACE_BYTES:
            text += os.read(fd, 1 << 16)
    os.close(fd)
    for way in ("rcvbuf", "sndbuf"):
        grown = text.count(f"grow_{way}: ".encode())
        server = len(re.findall(rb"grow_%b: src=\S+:%d " % (way.encode(), NFS_PORT), text))
        turn.count(f"server_{way}", server)
        turn.count(f"client_{way}", grown - server)
    for name, event in (("gate", b"gate_closed: "), ("queued", b"outq_queued: ")):
        turn.count(name, text.count(event))
    turn.nap(0.3)


def cut(indexes: range) -> Body:
    """End connections of some clients, from one end or the other."""

    def once(turn: Turn) -> None:
        index = turn.random.choice(indexes)
        at_server = turn.random.random() < 0.5
        peer = network.address(index, "client" if at_server else "server", 4)
        said = run(
            *("ss", "--no-header", "-tnK", "state", "established"),
            *("dst", peer),
            netns=None if at_server else f"c{index}",
        )
        turn.count("cut", len(said.splitlines()))
        turn.nap(turn.random.choice((0.3, 1, 5)))

    return once


def other_server(first: int) -> Body:
    """A server in a namespace of its own, which goes while it is used.

    first: of the paths that it takes, one after the other.
    """

    def once(turn: Turn) -> None:
        index, name = first + turn.number % 50, f"o{first}-{turn.number}"
        network.add_client(index, name, PATH)
        server = _serve(name)
        try:
            _use(turn, index, name, server)
        finally:
            _finish(server)
            remove(name)

    return once


def _use(turn: Turn, index: int, name: str, server: subprocess.Popen[str]) -> None:
    """Mount from another server, and have it go while data move."""
    assert server.stdout is not None
    said = server.stdout.readline()
    if said != "up\n":
        raise LabError(f"the other server did not come up: {said}")
    point = nfs.MOUNTS / name
    point.mkdir()
    run(
        *("mount", "-t", "nfs", "-o", f"{SOFT},vers=4.2,nconnect=2"),
        *(f"{network.address(index, 'client', 4)}:/", str(point)),
    )
    try:
        turn.count("mounts")
        with transfers(point / "other", turn.random.random() * 3):
            if turn.random.random() < 0.5:
                remove(name)
            _finish(server)
        turn.count("services")
        turn.count("namespaces")
    finally:
        unmount(point, turn.random.choice(("-f", "-l")))


def _serve(name: str) -> subprocess.Popen[str]:
    enter = ["nsenter", f"--net={NETNS / name}", "unshare", "--mount"]
    return subprocess.Popen(
        [*enter, "sh", "-ec", SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _finish(server: subprocess.Popen[str]) -> None:
    """Stop a server and wait until it has gone."""
    if server.poll() is None:
        # The end of its input would not do: processes that were started
        # meanwhile have the pipe open, too.
        server.communicate("\n")


def threads(turn: Turn) -> None:
    """Another number of threads."""
    number = turn.random.choice((1, 2, 8, 16))
    Path("/proc/fs/nfsd/threads").write_text(str(number))
    turn.nap(3)


def restart(turn: Turn) -> None:
    """Stop the service while everybody uses it, and start it again."""
    run("rpc.nfsd", "0")
    turn.count("services")
    time.sleep(turn.random.random() * 2)
    nfs.start_threads(8)
    turn.nap(nfs.GRACE_S + 15 + turn.random.random() * 15)


def _write(name: str, value: int | str) -> None:
    Path("/proc/sys", name).write_text(str(value))
