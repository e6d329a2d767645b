# SPDX-License-Identifier: GPL-2.0
"""Small scenarios for the lab's tests, and what they measured."""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.testing.lab import scenario

PR_SET_CHILD_SUBREAPER = 36
PATH = {"rate_mbit": 1000, "delay_ms": 1}


def plan(
    *jobs: dict[str, Any],
    clients: dict[str, dict[str, Any]] | None = None,
    events: list[dict[str, Any]] | None = None,
    **more: Any,
) -> scenario.Scenario:
    """A scenario of one phase; by default one client, "wan", of 2 ms."""
    table = {
        "name": "test",
        "title": "a test",
        "memory_mb": 500,
        "clients": clients or {"wan": PATH},
        "phases": [{"name": "only", "jobs": jobs, "events": events or []}],
        **more,
    }
    table["phases"] = [{**phase, "jobs": list(phase["jobs"])} for phase in table["phases"]]
    return scenario.from_dict(table)


def shell(command: str, host: str = "server", **more: Any) -> dict[str, Any]:
    """A job that runs a command."""
    return {"do": "run", "host": host, "command": command, **more}


def rates(result: dict[str, Any]) -> list[float]:
    """MB/s of every pass of every write and read, in order."""
    return [
        one["mb_per_s"]
        for phase in result["phases"]
        for job in phase["jobs"]
        for one in job.get("passes", [])
    ]


@contextlib.contextmanager
def no_process_stays() -> Iterator[None]:
    """Fail when a process that was started inside outlives it by 30 s."""
    # Orphans become ours instead of process 1's, and so can be told from
    # those of anybody else.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = _children()

    def left() -> list[str]:
        return [stat for pid, stat in _children().items() if pid not in before]

    try:
        yield
    finally:
        deadline = time.monotonic() + 30
        while left() and time.monotonic() < deadline:
            time.sleep(0.05)
    assert not left()


def _children() -> dict[int, str]:
    """Living children by name; dead ones that nobody waits for are let go."""
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    living = {}
    for pid in map(int, text.split()):
        stat = Path(f"/proc/{pid}/stat").read_text()
        if stat.rpartition(")")[2].split()[0] == "Z":
            os.waitpid(pid, 0)
        else:
            living[pid] = stat
    return living
