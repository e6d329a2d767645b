# SPDX-License-Identifier: GPL-2.0
"""The clients of the stress: mounts and connections that come and go.

Every function is the body of a worker, or makes one.
"""

import contextlib
import itertools
import os
import random
import signal
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

from tools.kernel.errors import LabError
from tools.testing.lab.guest import network, nfs
from tools.testing.lab.guest.shell import run
from tools.testing.lab.scenario import Client
from tools.testing.lab.stress.workers import Body, Turn

NFS_PORT = 2049
# A path on which buffers matter though the guest is slow.
PATH = Client(rate_mbit=100, delay_ms=10)
# Mounts that come and go must not wait for a server that has gone, nor ask for
# its port: servers in other namespaces unregister it when they stop.
SOFT = f"soft,timeo=50,retrans=2,retry=0,port={NFS_PORT}"
# What is read with one call, and timed.
RECORD_BYTES = 256 << 10

_BLOCK = random.Random(0).randbytes(1 << 20)
# An NFS call that does nothing (RFC 5531, RFC 1813), in a record of its own.
_NULL_CALL = struct.pack(">11I", 1 << 31 | 40, 1, 0, 2, 100003, 3, *[0] * 5)


class Mismatch(Exception):
    """A file is not what was written to it."""


def remount(index: int, file_bytes: int) -> Body:
    """Mount in every way, move data, unmount in every way."""

    def once(turn: Turn) -> None:
        client = _some_client(turn.random)
        with _mounted(turn, index, client, f"r{index}") as point:
            file = point / f"r{index}"
            if turn.random.random() < 0.3:
                with transfers(file, turn.random.random()):
                    pass
            else:
                transfer(turn, file, turn.random.randrange(file_bytes // 2))

    return once


def move(point: Path, file_bytes: int) -> Body:
    """Write and read on a mount that stays."""

    def once(turn: Turn) -> None:
        file = point / f"moved-{point.name}"
        size = turn.random.randrange(file_bytes // 8, file_bytes)
        transfer(turn, file, size)

    return once


def vanish(turn: Turn) -> None:
    """A client whose namespace has only its mount to hold it."""
    index, name = 200 + turn.number % 50, f"gone-{turn.number}"
    network.add_client(index, name, PATH)
    try:
        nfs.identify(name)
        client = _some_client(turn.random)
        with _mounted(turn, index, client, name, netns=name) as point:
            with transfers(point / "vanish", turn.random.random() * 2):
                run("ip", "netns", "del", name)
            turn.count("namespaces")
    finally:
        remove(name)


def flood(address: str) -> Body:
    """Connect without being an NFS client, and leave in every way."""

    def once(turn: Turn) -> None:
        connected = []
        for _ in range(turn.random.randrange(1, 16)):
            with contextlib.suppress(OSError):
                connected.append(socket.create_connection((address, NFS_PORT), timeout=5))
        for one in connected:
            with one, contextlib.suppress(OSError):
                _misbehave(turn.random, one)
        turn.count("dropped", len(connected))
        turn.nap(2 * turn.random.random())

    return once


def _misbehave(rng: random.Random, connection: socket.socket) -> None:
    some = rng.randrange(1, 500)
    connection.sendall(
        rng.choice(
            (
                b"",
                rng.randbytes(some),
                _NULL_CALL[:20],
                _NULL_CALL * some,
                struct.pack(">I", 1 << 20) + rng.randbytes(some),
            )
        )
    )
    time.sleep(rng.choice((0, 0.05)))
    if rng.random() < 0.3:
        connection.shutdown(socket.SHUT_WR)
    if rng.random() < 0.5:
        # Closing sends a reset.
        linger = struct.pack("ii", 1, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def _some_client(rng: random.Random) -> Client:
    return Client(
        PATH.rate_mbit,
        PATH.delay_ms,
        nfs=rng.choice(("3", "4.1", "4.2")),
        family=rng.choice((4, 6)),
        options=f"{SOFT},nconnect={rng.randrange(1, 5)}",
    )


@contextlib.contextmanager
def _mounted(
    turn: Turn, index: int, client: Client, name: str, netns: str | None = None
) -> Iterator[Path]:
    point = nfs.MOUNTS / name
    point.mkdir(exist_ok=True)
    nfs.attach(index, client, point, netns=netns)
    turn.count("mounts")
    try:
        yield point
    finally:
        unmount(point, turn.random.choice(("", "-f", "-l")))


def unmount(point: Path, way: str) -> None:
    """Unmount; what is in use goes when its last user does."""
    for option in (way, "-l"):
        with contextlib.suppress(LabError):
            run("umount", *([option] if option else []), str(point))
            return


def remove(name: str) -> None:
    """Take a namespace and its path away if they are there."""
    with contextlib.suppress(LabError):
        run("ip", "link", "del", f"s-{name}")
    with contextlib.suppress(LabError):
        run("ip", "netns", "del", name)


@contextlib.contextmanager
def transfers(file: Path, seconds: float) -> Iterator[None]:
    """Have two processes move data; they are killed in the middle of it."""
    pids = []
    for number in range(2):
        pid = os.fork()
        if not pid:
            with contextlib.suppress(OSError):
                while True:
                    _copy(file.with_suffix(f".{number}"), _content(0, 1 << 19))
            os._exit(0)
        pids.append(pid)
    try:
        time.sleep(seconds)
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def transfer(turn: Turn, file: Path, size: int) -> None:
    """Write a file and read it back from the server, and compare."""
    wanted = _content(turn.random.randrange(len(_BLOCK)), size)
    got, wait_s = _copy(file, wanted)
    turn.most("longest_wait_ms", int(wait_s * 1e3))
    if got != wanted:
        raise Mismatch(f"{file}: not what was written ({len(got)} of {size})")
    turn.count("files")
    turn.count("bytes", 2 * size)


def _content(offset: int, size: int) -> bytes:
    return (_BLOCK[offset:] + _BLOCK * (size // len(_BLOCK) + 1))[:size]


def _copy(file: Path, wanted: bytes) -> tuple[bytes, float]:
    """Write, flush, read; what came back, and the longest call in seconds."""
    got, times = b"", [time.monotonic()]
    fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(fd, wanted)
        os.fsync(fd)
        times.append(time.monotonic())
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        while part := os.pread(fd, RECORD_BYTES, len(got)):
            got += part
            times.append(time.monotonic())
    finally:
        os.close(fd)
    waits = (after - before for before, after in itertools.pairwise(times))
    return got, max(waits)
