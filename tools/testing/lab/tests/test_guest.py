# SPDX-License-Identifier: GPL-2.0
"""Guests: what fails is said, with the console, and nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from tools.kernel import tree
from tools.kernel.errors import LabError
from tools.testing.lab.guest import guest
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.tests.wan import no_process_stays, plan, shell

TRUE = shell("true")


def _fails(images: Images, plan: Any) -> str:
    """What the LabError of a run says."""
    with no_process_stays(), pytest.raises(LabError) as caught:
        guest.run(images.patched, plan, tree.quiet)
    assert not guest._running
    return str(caught.value)


# The guest's program instead of the agent, and what must be said.
BROKEN = {
    "init exits": ("raise SystemExit(3)", "Attempted to kill init"),
    "init spins": ("while True: pass", "still ran after 5 s"),
    "no result": ("import ctypes; ctypes.CDLL(None).reboot(0x4321FEDC)", "ended without a result"),
}


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_broken_guest(
    images: Images,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, str],
) -> None:
    program, said = case
    init = tmp_path_factory.mktemp("init") / "init.py"
    init.write_text(f"print('init was here', flush=True)\n{program}\n")
    # The guest takes its folder for the repository.
    show = ("-t", "hostfs", "-o", f"ro,{init.parent}", "repo")
    monkeypatch.setattr(guest, "SHOW_REPO", show)
    monkeypatch.setattr(guest, "INIT", tree.REPO / init.name)
    message = _fails(images, plan(TRUE, timeout_s=5))
    assert message.startswith("guest test ")
    assert said in message.splitlines()[0]
    assert "init was here" in message.partition("end of its console:")[2]
    assert "setup_one_line" not in message


# What a guest may not say at all; KERN_WARNING and above reach the console.
ALARMS = [
    "<4>WARNING: CPU: 0 PID: 1 at net/sunrpc/tcpbuf.c:1 f+0x1/0x2",
    "<6>BUG: unable to handle page fault",
]


@pytest.mark.parametrize("line", ALARMS)
def test_alarm(images: Images, line: str) -> None:
    message = _fails(images, plan(shell(f"echo '{line}' >/dev/kmsg")))
    assert "guest test said:" in message
    assert line[3:] in message.splitlines()[0]


# A scenario that cannot be laid out, and the reason that must be given.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no such sysctl": ({"server": {"sysctl": {"net.nonsense": 1}}}, "/proc/sys/net/nonsense"),
    "event after the end": (
        {"events": [{"at_s": 9, "host": "wan", "sysctl": {}}]},
        "before its event at 9 s",
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refused(images: Images, case: tuple[dict[str, Any], str]) -> None:
    more, reason = case
    message = _fails(images, plan(TRUE, **more))
    assert message.startswith("guest test failed: ")
    assert reason in message


# Python takes no Ctrl-C if it is started where Ctrl-C is ignored, as a shell's
# background jobs are.
HOLDER = """\
import contextlib, signal, sys; sys.path.insert(0, sys.argv[1])
signal.signal(signal.SIGINT, signal.default_int_handler)
from tools.testing.lab.guest import guest
from tools.testing.lab.tests import wan
from pathlib import Path
plan = wan.plan(wan.shell("while :; do :; done"))
guest.job_folder = lambda: contextlib.nullcontext(Path(sys.argv[3]))
say = lambda text: print(text, flush=True)
guest.run(Path(sys.argv[2]), plan, say)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_killed_run_leaves_no_guest(
    images: Images, tmp_path_factory: pytest.TempPathFactory, number: int
) -> None:
    job = tmp_path_factory.mktemp("job")
    with no_process_stays():
        command = [sys.executable, "-c", HOLDER, str(tree.REPO)]
        with subprocess.Popen(
            [*command, str(images.patched), str(job)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as run:
            assert run.stdout is not None
            run.stdout.readline()
            os.kill(run.pid, number)
    assert run.returncode
