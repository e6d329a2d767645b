# SPDX-License-Identifier: GPL-2.0
"""Boots an image, has a scenario run in it, and brings the figures back.

The image is a process here; qemu.py boots others, with what this has for both.

A guest that panics, hangs, or says BUG or WARNING has failed, whatever its
figures: its run is a LabError with the end of its console.
"""

import contextlib
import json
import os
import re
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from tools.kernel import tree
from tools.kernel.errors import LabError
from tools.kernel.progress import Say
from tools.testing.lab import scenario
from tools.testing.lab.guest import memory

HERE = Path(__file__).parent
INIT = HERE / "init.py"
# Where a guest sees the repository: every Debian has the folder, empty or not.
SEEN = Path("/media")
SHOW_REPO = ("-t", "hostfs", "-o", f"ro,{tree.REPO}", "repo")
# The first of January 2026, UTC: simulated time begins there.
START_NS = 1_767_225_600 * 10**9
PROGRESS = "lab: "
CONSOLE_END_LINES = 25
# What UML says of consoles that nobody gave it, in every run.
NOISE = ("setup_one_line failed", "Using a channel type", "epollctl add err")

# Guests that run now, so that one failure or Ctrl-C can end all of them.
_running: dict[subprocess.Popen[str], str] = {}
_ending = threading.Event()

# What no guest may say, on its console or in its kernel log.
ALARM = re.compile(
    r"Kernel panic|BUG[: ]|WARNING: CPU|WARNING: .* at |Oops|Call Trace"
    r"|INFO: task .* blocked|possible (?:circular|recursive) locking"
    r"|rcu: INFO"
)


def run(
    image: Path, plan: scenario.Scenario, say: Say, *, realtime: bool = False, seed: int = 0
) -> dict[str, Any]:
    """Run a scenario on an image; what the guest measured.

    realtime: let the guest's clock be the host's instead of simulating it.
    seed: what the guest makes its random numbers of; with the same one, a
    simulated run repeats to the last bit. Bounded by the scenario's timeout_s
    of wall-clock time.
    """
    simulated = ("time-travel=inf-cpu", f"time-travel-start={START_NS}")
    with job_folder() as job:
        prepare(job, INIT, scenario.to_dict(plan), SHOW_REPO)
        console = boot(
            image,
            [
                # The folder's name is not the same twice, the command line is.
                "init=/proc/self/cwd/init",
                f"lab.seed={seed}",
                *(() if realtime else simulated),
            ],
            plan.memory_mb,
            plan.timeout_s,
            say,
            plan.name,
            job,
        )
        check(plan.name, console, console)
        measured = result(job, console, plan.name)
        check(plan.name, (job / "dmesg").read_text(), console)
        return measured


def prepare(job: Path, agent: Path, table: dict[str, Any], show_repo: Sequence[str]) -> Path:
    """Write what the agent is to do into its folder; the guest's init.

    show_repo: arguments by which mount(8) shows the guest the repository. The
    agent is run from there: with the number of folders above it go the guest's
    random numbers, and they must not depend on where somebody keeps the
    repository.
    """
    (job / "job.json").write_text(json.dumps(table))
    init = job / "init"
    seen = SEEN / agent.relative_to(tree.REPO)
    mount = shlex.join(["mount", *show_repo, str(SEEN)])
    agent_words = shlex.join(["/usr/bin/python3", "-u", str(seen), str(job)])
    init.write_text(f"#!/bin/sh\n{mount} &&\nexec {agent_words}\n")
    init.chmod(0o755)
    return init


def boot(
    image: Path,
    parameters: list[str],
    memory_mb: int,
    timeout_s: float,
    say: Say,
    name: str,
    folder: Path = HERE,
) -> str:
    """Run an image to its power-off, from a folder; its console output.

    Waits for the memory first; LabError when the time after that is over.
    What the console says is the caller's to judge, see check().
    """
    command = [
        *(str(HERE / "repeatable.py"), str(image), f"mem={memory_mb}M", "root=/dev/root", "ro"),
        *("rootfstype=hostfs", "rootflags=/", "con=null", "con0=fd:0,fd:1"),
        *("loglevel=5", *parameters),
    ]
    with memory.taken(memory_mb, say, name, _ending) as place:
        environment = {**os.environ, "TMPDIR": str(place)}
        return watch(command, timeout_s, say, name, folder, environment)


def watch(
    command: list[str],
    timeout_s: float,
    say: Say,
    name: str,
    folder: Path = HERE,
    environment: dict[str, str] | None = None,
) -> str:
    """Run the program that is a guest to its end; its console output.

    LabError when the time is over.
    """
    guest = subprocess.Popen(
        # A guest must not outlive whoever is to end it in time.
        [str(HERE / "leash.py"), str(os.getpid()), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=folder,
        env=environment,
        # Ctrl-C is for whoever is to end it.
        start_new_session=True,
    )
    _running[guest] = name
    late = threading.Event()

    def end() -> None:
        late.set()
        _kill(guest)

    alarm = threading.Timer(timeout_s, end)
    alarm.start()
    assert guest.stdout is not None
    try:
        console = _listen(guest.stdout, say, name)
        guest.wait()
    finally:
        alarm.cancel()
        _kill(guest)
        _running.pop(guest, None)
    if late.is_set():
        raise failure(name, f"still ran after {timeout_s:g} s", console)
    return console


def check(name: str, text: str, console: str) -> None:
    """Raise LabError if text holds what no guest may say."""
    found = ALARM.search(text)
    if found:
        start = text.rfind("\n", 0, found.start()) + 1
        line = text[start:].splitlines()[0]
        raise failure(name, f"said: {line}", console)


def _listen(pipe: IO[str], say: Say, name: str) -> str:
    lines = []
    for line in pipe:
        lines.append(line)
        if line.startswith(PROGRESS):
            say(f"{name}: {line.removeprefix(PROGRESS).strip()}")
    return "".join(lines)


def _kill(guest: subprocess.Popen[str]) -> None:
    """End a guest and the processes that stand for its own."""
    guest.terminate()
    guest.wait()


def process(name: str) -> int:
    """The process that is the kernel of a guest that runs now."""
    (pid,) = (one.pid for one, its in _running.copy().items() if its == name)
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text())


def kill_all() -> None:
    """End every guest that this process runs or waits to run."""
    _ending.set()
    for guest in list(_running):
        _kill(guest)


class GuestError(LabError):
    """A guest that failed; console is all that it said."""

    def __init__(self, text: str, console: str) -> None:
        super().__init__(text)
        self.console = console


def failure(name: str, what: str, console: str) -> GuestError:
    """The error for a guest: what it did, and its console's end."""
    lines = [line for line in console.splitlines() if line and not line.startswith(NOISE)]
    end = "\n".join(lines[-CONSOLE_END_LINES:])
    text = f"guest {name} {what}\nThe end of its console:\n{end}"
    return GuestError(text, console)


def result(job: Path, console: str, name: str) -> dict[str, Any]:
    """What a guest's agent left in its folder; LabError if it failed."""
    try:
        left: dict[str, Any] = json.loads((job / "result.json").read_text())
    except (OSError, ValueError):
        raise failure(name, "ended without a result", console) from None
    if "error" in left:
        raise failure(name, f"failed: {left['error']}", console)
    return left


@contextlib.contextmanager
def job_folder() -> Iterator[Path]:
    """A folder that host and guest share.

    Its path goes into the guest's command line and must have no space; the
    guest mounts over /tmp.
    """
    with tempfile.TemporaryDirectory(prefix="lab-", dir="/var/tmp") as name:
        yield Path(name)
