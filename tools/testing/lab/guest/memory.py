# SPDX-License-Identifier: GPL-2.0
"""Memory for guests: all that run on the machine at a time fit into it.

What a guest may take is reserved while it runs, across the processes of a
user. A reservation is a file that its owner holds a lock on, so it goes with
the owner, however that ends. Whoever waits keeps later ones waiting too: a
large guest is not put off for ever by small ones.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tools.kernel.errors import LabError
from tools.kernel.progress import Say

FOLDER = Path(f"/var/tmp/lab-memory-{os.getuid()}")
# Where the file that is a guest's memory may lie: in memory if that has the
# room. /dev/shm is half of the machine's memory by default. On a disk the page
# cache holds the file, and a run takes longer; its figures are the same.
PLACES = ("/dev/shm", "/var/tmp")
_MEMORY = "memory"
_TURN = "turn"
_POLL_S = 0.2
# The memory of a guest that was killed is back after a moment, and other
# programs may give some back.
_PATIENCE_S = 30

# MB by what they are of: _MEMORY, and each of PLACES.
Room = dict[str, int]


@contextlib.contextmanager
def taken(need_mb: int, say: Say, name: str, ending: threading.Event) -> Iterator[Path]:
    """Wait until need_mb are free, and hold them.

    Yields the folder for the guest's memory. LabError when they are not free
    though no guest runs, or when `ending` is set.
    """
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    with (FOLDER / _TURN).open("a+") as turn:
        _await_turn(turn, say, name, ending)
        place = _await_place(turn, need_mb, say, name, ending)
        file = _reserve({_MEMORY: need_mb, place: need_mb})
    with file:
        try:
            yield Path(place)
        finally:
            os.unlink(file.name)


def _await_turn(turn: IO[str], say: Say, name: str, ending: threading.Event) -> None:
    while not _lock(turn):
        _sleep(say, f"{name}: waits behind another guest", ending)


def _await_place(turn: IO[str], need_mb: int, say: Say, name: str, ending: threading.Event) -> str:
    """Wait for a place that has room; which one."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        held = _held()
        free = _room(turn, held)
        left = {key: mb - sum(one.get(key, 0) for one in held) for key, mb in free.items()}
        for place in PLACES:
            if min(left[_MEMORY], left.get(place, 0)) >= need_mb:
                return place
        if held:
            deadline = time.monotonic() + _PATIENCE_S
        elif time.monotonic() > deadline:
            there = ", ".join(f"{mb} MB in {key}" for key, mb in free.items())
            raise LabError(
                f"no room for a guest of {need_mb} MB ({there}); make some, "
                f"or: mount -o remount,size={2 * need_mb}m /dev/shm"
            )
        _sleep(say, f"{name}: waits for {need_mb} MB of memory", ending)


def _sleep(say: Say, text: str, ending: threading.Event) -> None:
    say(text)
    if ending.wait(_POLL_S):
        raise LabError(f"{text}, and was told to end")


def _reserve(room: Room) -> IO[str]:
    """A reservation, made by whoever has the turn; the caller's to close."""
    file = tempfile.NamedTemporaryFile(  # noqa: SIM115
        "w", dir=FOLDER, delete=False
    )
    _lock(file)
    json.dump(room, file)
    file.flush()
    return file


def _lock(file: IO[str]) -> bool:
    """Take the lock of a file unless another process has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _held() -> list[Room]:
    """Reservations; those whose owner is gone are removed."""
    held = []
    for path in FOLDER.iterdir():
        if path.name == _TURN:
            continue
        with contextlib.suppress(FileNotFoundError), path.open("r+") as file:
            if _lock(file):
                path.unlink()
            else:
                held.append(_read(file))
    return held


def _room(turn: IO[str], held: list[Room]) -> Room:
    """What there was when no guest ran: kept in the file of the turn.

    What guests have taken so far says little of what they will take.
    """
    free = _read(turn) if held else {}
    if not free:
        free = _free()
        turn.truncate(0)
        json.dump(free, turn)
        turn.flush()
    return free


def _read(file: IO[str]) -> Room:
    """What a file says, nothing if its writer was killed over it."""
    file.seek(0)
    try:
        room: Room = json.load(file)
    except ValueError:
        return {}
    return room


def _free() -> Room:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            break
    else:
        raise LabError("/proc/meminfo names no MemAvailable")
    free = {_MEMORY: int(line.split()[1]) >> 10}
    for place in PLACES:
        if Path(place).is_dir():
            free[place] = shutil.disk_usage(place).free >> 20
    return free
