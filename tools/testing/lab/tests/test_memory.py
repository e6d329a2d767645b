# SPDX-License-Identifier: GPL-2.0
"""Memory for guests: who gets it, who waits, what a killed owner leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tools.kernel import tree
from tools.kernel.errors import LabError
from tools.testing.lab.guest import memory

SHM, DISK = memory.PLACES
ROOM = {"memory": 1000, SHM: 400, DISK: 5000}
HOLDER = """\
import pathlib, sys, threading; sys.path.insert(0, sys.argv[1])
from tools.testing.lab.guest import memory
memory.FOLDER = pathlib.Path(sys.argv[2])
memory._free = lambda: {"memory": 1000, "/var/tmp": 5000}
with memory.taken(600, lambda text: None, "holder", threading.Event()):
    print("has it", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reservations of a test's own, and a machine of a known size."""
    monkeypatch.setattr(memory, "FOLDER", tmp_path)
    monkeypatch.setattr(memory, "_free", ROOM.copy)
    monkeypatch.setattr(memory, "_PATIENCE_S", 0.5)


class Taker(threading.Thread):
    """Takes memory in a thread and holds it until told to let go."""

    def __init__(self, mb: int) -> None:
        super().__init__()
        self.got, self.let_go = threading.Event(), threading.Event()
        self.ending = threading.Event()
        self.said: list[str] = []
        self.error = ""
        self._mb = mb
        self.start()

    def run(self) -> None:
        try:
            with memory.taken(self._mb, self.said.append, "g", self.ending):
                self.got.set()
                self.let_go.wait(20)
        except LabError as error:
            self.error = str(error)


@contextmanager
def _held(mb: int) -> Iterator[Path]:
    never = threading.Event()
    with memory.taken(mb, lambda text: None, "test", never) as place:
        yield place


def test_place() -> None:
    with _held(300) as first, _held(300) as second:
        # /dev/shm has the room once.
        assert (str(first), str(second)) == (SHM, DISK)
    with _held(500) as large:
        assert str(large) == DISK


def test_waits_for_others() -> None:
    with _held(600):
        second = Taker(500)
        assert not second.got.wait(1)
    assert second.got.wait(5)
    second.let_go.set()
    second.join()
    assert second.said[0] == "g: waits for 500 MB of memory"
    assert [path.name for path in memory.FOLDER.iterdir()] == ["turn"]


def test_killed_owner() -> None:
    repo = str(tree.REPO)
    command = [sys.executable, "-c", HOLDER, repo, str(memory.FOLDER)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "has it\n"
        second = Taker(500)
        assert not second.got.wait(0.5)
        holder.send_signal(signal.SIGKILL)
    assert second.got.wait(5)
    second.let_go.set()
    second.join()
