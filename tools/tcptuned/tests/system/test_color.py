# SPDX-License-Identifier: GPL-2.0
"""When the status has colour."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Iterator

from world import Daemon, World, at_work

pytest_plugins = ("world_hosts",)

# Options, environment, whether the output is a terminal: colour or not.
CASES: list[tuple[str, dict[str, str], bool, bool]] = [
    ("", {}, True, True),
    ("", {}, False, False),
    ("", {"NO_COLOR": "1"}, True, False),
    ("", {"NO_COLOR": ""}, True, True),
    ("", {"TERM": "dumb"}, True, False),
    ("--color=auto", {}, True, True),
    ("--color=never", {}, True, False),
    ("--color=always", {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
]


def _output(command: list[str], env: dict[str, str], terminal: bool) -> bytes:
    """What a program says to a terminal or to a pipe."""
    env = {"PATH": os.environ["PATH"], "TERM": "xterm", **env}
    if not terminal:
        return subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True).stdout
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, env=env, stdout=theirs) as process:
        os.close(theirs)
        output = b"".join(_chunks(ours))
    os.close(ours)
    assert process.returncode == 0
    return output


def _chunks(terminal: int) -> Iterator[bytes]:
    """What comes out of a terminal until nobody writes to it."""
    while True:
        try:
            chunk = os.read(terminal, 4096)
        except OSError:
            return
        yield chunk


def _watch(command: list[str]) -> None:
    """It is drawn over the one before, and no higher than the terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 5, 80, 0, 0))
    with subprocess.Popen(command, stdout=theirs) as process:
        os.close(theirs)
        output = b""
        while output.count(b"\x1b[H") < 3:
            output += os.read(ours, 4096)
        process.kill()
    os.close(ours)
    screens = output.split(b"\x1b[H")[1:3]
    assert all(screen.count(b"\n") == 4 for screen in screens), output
    assert all(screen.endswith(b"\x1b[J") for screen in screens), output


def test_color(world: World, daemons: list[Daemon]) -> None:
    daemon = at_work(world, daemons)
    daemon.wait_for((world.rundir / "status.json").exists)
    for option, env, terminal, colored in CASES:
        command = world.command("status", *option.split(), capable=False)
        output = _output(command, env, terminal)
        assert (b"\x1b[" in output) == colored, (option, env, terminal)
    _watch(world.command("status", "--watch", capable=False))
    done = world.call("status", "--color=blue")
    assert done.returncode == 2
    assert "auto, always or never" in done.stderr
    assert world.call("explain", "--color=never", "::1").returncode == 2
    assert daemon.end() == 0
