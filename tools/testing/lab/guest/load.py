# SPDX-License-Identifier: GPL-2.0
"""The jobs of a phase: processes that write, read, stat or run a command.

Every process leaves a report of what it did in a file, and counts the bytes
that it moved in memory that the sampler reads meanwhile.
"""

import ctypes
import json
import mmap
import os
import struct
import subprocess
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.testing.lab.guest.shell import entered, netns_of
from tools.testing.lab.scenario import Job

COUNTER = struct.Struct("q")

# Moves a file's bytes once and tells how many.
Once = Callable[[memoryview], int]

# From <linux/fcntl.h> and <linux/stat.h>.
AT_EMPTY_PATH = 0x1000
AT_STATX_FORCE_SYNC = 0x2000
STATX_BASIC_STATS = 0x7FF
STATX_BYTES = 256

# A person who waits for longer notices.
BLOCKED_S = 0.05


class Worker:
    """A job in a process of its own."""

    def __init__(self, job: Job, mount: Path | None, stop: mmap.mmap) -> None:
        self.job = job
        self._mount = mount
        self._stop = stop
        self._counter = mmap.mmap(-1, mmap.PAGESIZE)
        # A file, because a pipe holds 64 KiB and nobody reads before the end.
        self._report = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.pid = os.fork()
        if not self.pid:
            os._exit(self._child())

    @property
    def moved_bytes(self) -> int:
        """Bytes that the job wrote or read so far."""
        moved: int = COUNTER.unpack_from(self._counter)[0]
        return moved

    def report(self) -> dict[str, Any]:
        """What the job did; waits for its end."""
        os.waitpid(self.pid, 0)
        with self._report as file:
            file.seek(0)
            text = file.read()
        if not text:
            raise RuntimeError(f"the {self.job.do} on {self.job.host} died")
        report: dict[str, Any] = json.loads(text)
        if "error" in report:
            raise RuntimeError(report["error"])
        return report

    def _child(self) -> int:
        try:
            time.sleep(self.job.start_s)
            report = getattr(self, f"_{self.job.do}")()
        except Exception:  # noqa: BLE001 - the parent raises it again
            report = {"error": traceback.format_exc()}
        json.dump(report, self._report)
        self._report.flush()
        return 0

    def _file(self) -> Path:
        assert self._mount is not None
        return self._mount / self.job.file

    def _write(self) -> dict[str, Any]:
        record = memoryview(os.urandom(self.job.record_kib << 10))
        return self._passes(self._write_once, self._write_round, record)

    def _write_once(self, record: memoryview) -> int:
        fd = os.open(self._file(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        left = self.job.size_mib << 20
        while left > 0:
            left -= self._count(os.write(fd, record[:left]))
        os.fsync(fd)
        os.close(fd)
        return self.job.size_mib << 20

    def _write_round(self, record: memoryview) -> int:
        """Write for so long; memory holds one round, not all of them."""
        fd = os.open(self._file(), os.O_WRONLY | os.O_CREAT)
        end = time.monotonic() + self.job.seconds
        size = self.job.size_mib << 20
        moved = 0
        while time.monotonic() < end:
            at = moved % size
            moved += self._count(os.pwrite(fd, record[: size - at], at))
        os.fsync(fd)
        os.close(fd)
        return moved

    def _read(self) -> dict[str, Any]:
        # An address that O_DIRECT takes.
        record = memoryview(mmap.mmap(-1, self.job.record_kib << 10))
        return self._passes(self._read_once, self._read_round, record)

    def _read_once(self, record: memoryview) -> int:
        direct = os.O_DIRECT if self.job.direct else 0
        fd = os.open(self._file(), os.O_RDONLY | direct)
        left = self.job.size_mib << 20
        while left > 0:
            got = self._count(os.readv(fd, [record[:left]]))
            if not got:
                break
            left -= got
        os.close(fd)
        return (self.job.size_mib << 20) - left

    def _read_round(self, record: memoryview) -> int:
        """Read for so long; what was read leaves the client's cache."""
        fd = os.open(self._file(), os.O_RDONLY)
        end = time.monotonic() + self.job.seconds
        size = self.job.size_mib << 20
        moved = 0
        while time.monotonic() < end:
            at = moved % size
            moved += self._count(os.preadv(fd, [record[: size - at]], at))
            os.posix_fadvise(fd, 0, at, os.POSIX_FADV_DONTNEED)
        os.close(fd)
        return moved

    def _passes(self, once: Once, for_long: Once, record: memoryview) -> dict[str, Any]:
        """The job's passes, or the one that lasts so many seconds."""
        if self.job.seconds:
            return {"passes": [self._pass(for_long, record)]}
        return {"passes": [self._pass(once, record) for _ in range(self.job.passes)]}

    def _pass(self, once: Once, record: memoryview) -> dict[str, float]:
        if self._file().exists():
            fd = os.open(self._file(), os.O_RDONLY)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)
        start = time.monotonic()
        moved = once(record)
        seconds = time.monotonic() - start
        return {
            "bytes": moved,
            "start_s": start,
            "seconds": seconds,
            "mb_per_s": moved / seconds / 1e6,
        }

    def _count(self, moved: int) -> int:
        COUNTER.pack_into(self._counter, 0, self.moved_bytes + moved)
        return moved

    def _stat(self) -> dict[str, Any]:
        """Ask the server for the file's attributes again and again."""
        seconds = []
        fd = os.open(self._file(), os.O_RDONLY | os.O_CREAT)
        begin = time.monotonic()
        while not self._stop[0]:
            start = time.monotonic()
            _ask_attributes(fd)
            seconds.append(time.monotonic() - start)
            time.sleep(self.job.interval_ms / 1e3)
        os.close(fd)
        elapsed = time.monotonic() - begin
        seconds.sort()
        blocked = sum(wait for wait in seconds if wait > BLOCKED_S)
        return {
            "calls": len(seconds),
            "mean_ms": 1e3 * sum(seconds) / len(seconds),
            "p50_ms": 1e3 * seconds[len(seconds) // 2],
            "p99_ms": 1e3 * seconds[len(seconds) * 99 // 100],
            "longest_ms": 1e3 * seconds[-1],
            "blocked_share": blocked / elapsed,
        }

    def _run(self) -> dict[str, Any]:
        done = subprocess.run(
            entered(["sh", "-c", self.job.command], netns_of(self.job.host)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        return {"exit": done.returncode, "output": done.stdout}


def _ask_attributes(fd: int) -> None:
    """Have the server say what a file's attributes are.

    Neither the attribute cache nor a delegation may answer: a plain stat(),
    or an open(), stays on the client when the server gave it one.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    flags = AT_EMPTY_PATH | AT_STATX_FORCE_SYNC
    buffer = ctypes.create_string_buffer(STATX_BYTES)
    if libc.statx(fd, b"", flags, STATX_BASIC_STATS, buffer):
        raise OSError(ctypes.get_errno(), "statx")
