# SPDX-License-Identifier: GPL-2.0
"""Commands and files of the guest, each failure with its reason."""

from collections.abc import Sequence
from pathlib import Path

from tools.kernel.command import must

NETNS = Path("/run/netns")


def run(*argv: str, netns: str | None = None) -> str:
    """Run a command, in a network namespace if named; its output.

    LabError carries the command and what it said.
    """
    return must(entered(argv, netns), " ".join(argv))


def entered(argv: Sequence[str], netns: str | None) -> list[str]:
    """The command that runs another in a network namespace, if named."""
    enter = [] if netns is None else ["nsenter", f"--net={NETNS / netns}"]
    return [*enter, *argv]


def sysctl(name: str, value: int | str, netns: str | None = None) -> None:
    """Write a sysctl as an administrator does: with echo."""
    file = Path("/proc/sys", *name.split("."))
    command = 'echo "$1" >"$2"'
    run("sh", "-c", command, "sh", str(value), str(file), netns=netns)


def netns_of(host: str) -> str | None:
    """Network namespace of a scenario's host; the server is in the first."""
    return None if host == "server" else host
