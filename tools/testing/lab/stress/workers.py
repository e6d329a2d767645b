# SPDX-License-Identifier: GPL-2.0
"""Processes that do one thing again and again, and count what they did.

What may fail because something else was pulled away meanwhile is counted and
done again. Everything else ends the worker, with an error.
"""

import contextlib
import ctypes
import mmap
import os
import random
import struct
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

from tools.kernel.errors import LabError
from tools.testing.lab.guest.shell import NETNS

CLONE_NEWNET = 0x40000000
SLOT = struct.Struct("q")
# What is counted. The trace events count by the buffers that they are about.
NAMES = (
    *("mounts", "files", "bytes", "dropped", "cut", "values"),
    *("services", "namespaces", "interrupted", "longest_wait_ms"),
    *("server_rcvbuf", "server_sndbuf", "client_rcvbuf", "client_sndbuf"),
    *("gate", "queued", "accepted"),
)

Body = Callable[["Turn"], None]


class Turn:
    """What a worker's body gets: chance, its counters, when to stop."""

    def __init__(self, seed: str, page: mmap.mmap, stop: mmap.mmap) -> None:
        self.random = random.Random(seed)
        self.number = 0
        self._page = page
        self._stop = stop

    def count(self, name: str, more: int = 1) -> None:
        """Add to a counter."""
        self._set(name, self._get(name) + more)

    def most(self, name: str, value: int) -> None:
        """Keep the largest value."""
        self._set(name, max(self._get(name), value))

    def nap(self, seconds: float) -> None:
        """Sleep, no longer than until the end."""
        end = time.monotonic() + seconds
        while not self.is_over() and time.monotonic() < end:
            time.sleep(min(0.5, seconds))

    def is_over(self) -> bool:
        """Whether the worker is to stop."""
        return bool(self._stop[0])

    def _get(self, name: str) -> int:
        value: int = SLOT.unpack_from(self._page, SLOT.size * NAMES.index(name))[0]
        return value

    def _set(self, name: str, value: int) -> None:
        SLOT.pack_into(self._page, SLOT.size * NAMES.index(name), value)


class Worker:
    """A process that runs a body until it is over."""

    def __init__(
        self, name: str, body: Body, seed: str, stop: mmap.mmap, netns: str | None
    ) -> None:
        self.name = name
        self.interruption = Path(f"/run/interrupted-{name}")
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        self._error = tempfile.TemporaryFile("w+")  # noqa: SIM115
        turn = Turn(f"{seed} {name}", self._page, stop)
        self.pid = os.fork()
        if not self.pid:
            os._exit(self._run(body, turn, netns))

    def counts(self) -> Mapping[str, int]:
        """What the worker counted so far."""
        values = SLOT.iter_unpack(self._page[: SLOT.size * len(NAMES)])
        return {n: v for n, (v,) in zip(NAMES, values, strict=True)}

    def has_ended(self) -> bool:
        """Whether the process is gone, or waits to be asked for its error."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def error(self) -> str:
        """Why the worker ended itself, empty if it was told to."""
        if not self.has_ended():
            return f"did not end: {_stacks(self.pid)}"
        _, status = os.waitpid(self.pid, 0)
        self._error.seek(0)
        return self._error.read() or (f"status {status}" if status else "")

    def _run(self, body: Body, turn: Turn, netns: str | None) -> int:
        try:
            if netns:
                _enter(netns)
            while not turn.is_over():
                self._once(body, turn)
                turn.number += 1
        except BaseException:  # noqa: BLE001 - the parent reports it
            self._error.write(traceback.format_exc())
            self._error.flush()
            return 1
        return 0

    def _once(self, body: Body, turn: Turn) -> None:
        try:
            body(turn)
        except (LabError, OSError) as error:
            turn.count("interrupted")
            self.interruption.write_text(f"{error!r}\n")
            turn.nap(0.3)


def _enter(netns: str) -> None:
    fd = os.open(NETNS / netns, os.O_RDONLY)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(fd, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), f"setns {netns}")
    os.close(fd)


def _stacks(pid: int) -> str:
    """Where a process, those that it started, and nfsd are in the kernel."""
    wanted, text = {pid}, ""
    folders = sorted(Path("/proc").glob("[0-9]*"), key=lambda p: int(p.name))
    for folder in folders:
        with contextlib.suppress(OSError):
            name = (folder / "comm").read_text().strip()
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(folder.name) in wanted or int(stat[1]) in wanted:
                wanted.add(int(folder.name))
            elif name != "nfsd":
                continue
            stack = (folder / "stack").read_text()
            text += f"{folder.name} {name} {stat[0]}\n{stack}"
    return text
