# SPDX-License-Identifier: GPL-2.0
"""What a process costs the processor, seen from outside.

Instructions where the machine counts them, which few virtual ones do, and
processor time otherwise. Both are of the process alone, not of its children,
and leave out what other processes took meanwhile.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from pathlib import Path

# From <linux/perf_event.h>: struct perf_event_attr in its first version, from
# type and size to config1.
_ATTRIBUTES = struct.Struct("=II5Q2IQ")
INSTRUCTIONS = (0, 1)
TASK_CLOCK = (1, 1)
_CALL = {"x86_64": 298, "aarch64": 241}
_CLOSE_ON_EXEC = 8
_VALUE = struct.Struct("=Q")


def counter(pid: int, event: tuple[int, int]) -> int | None:
    """A file of a kernel's counter, from now on; None where there is none.

    event: its type and number.
    """
    call = _CALL.get(platform.machine())
    if call is None:
        return None
    kind, number = event
    attributes = _ATTRIBUTES.pack(
        kind, _ATTRIBUTES.size, number, 0, 0, 0, 0, 0, 0, 0
    )
    fd = ctypes.CDLL(None).syscall(
        call, attributes, pid, -1, -1, ctypes.c_ulong(_CLOSE_ON_EXEC)
    )
    return None if fd < 0 else int(fd)


class Meter:
    """Reads what a process has cost so far."""

    def __init__(self, pid: int, event: tuple[int, int] = INSTRUCTIONS) -> None:
        self._time = Path(f"/proc/{pid}/schedstat")
        self._counter = counter(pid, event)
        self.unit = "ns" if self._counter is None else "instructions"

    def read(self) -> int:
        """The cost, in self.unit."""
        if self._counter is None:
            return int(self._time.read_text().split()[0])
        value: int = _VALUE.unpack(os.read(self._counter, _VALUE.size))[0]
        return value

    def close(self) -> None:
        """Give the counter back."""
        if self._counter is not None:
            os.close(self._counter)
            self._counter = None
