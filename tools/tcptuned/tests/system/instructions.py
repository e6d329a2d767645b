# SPDX-License-Identifier: GPL-2.0
"""How many instructions a look of the daemon takes; `lab cost --daemon` runs it.

Time says what a machine did, instructions what the program is. They are those of
the daemon and its libraries; what the kernel does for its system calls is not
among them. It is no test of `make check`, because it takes minutes.

Under valgrind a look takes so long that the next one comes 10 s later. So what
is not done in every look is done in many of them: the status is written once a
second at most, the metrics every 10 s, and every 30 s the kernel is asked for all
routes. These are figures of their own.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import callgrind
import crowd
import pytest
from callgrind import Profile
from namespaces import TCPTUNED
from world import NOBODY, Daemon, World

sys.path.insert(0, str(TCPTUNED.parents[1]))

from tools.kernel import tree
from tools.testing.lab import digests, rows
from tools.testing.lab.rows import Row, Store

pytest_plugins = ("world_hosts",)

CONNECTIONS = (0, 100, 1_000, 10_000)
# What the timer calls, and what of it is not done every time.
LOOK = "on_timer"
SELDOM = {"status": "status_write", "metrics": "metrics_write", "routes": "ask"}
STORE = Store(
    tree.REPO / "Documentation" / "bench" / "instructions.csv",
    ("connections",),
    ("poll", *SELDOM, "date", "daemon"),
    frozenset(("date", "daemon")),
)
# The first looks meet every path for the first time.
FIRST, LOOKS = 2, 5
TIMEOUT_S = 900
# A connection may take so much more among 10,000 than among 1,000.
GROWTH = 1.5


def figures(number: int, looks: Sequence[Profile]) -> Row:
    """The medians of some looks."""
    seldom = {
        key: [look.called[function] for look in looks if look.called[function]]
        for key, function in SELDOM.items()
    }
    return {
        "connections": number,
        "poll": statistics.median(
            look.own.total()
            - sum(look.called[function] for function in SELDOM.values())
            for look in looks
        ),
        **{key: statistics.median(of or [0]) for key, of in seldom.items()},
        "date": rows.today(),
        "daemon": digests.daemon(),
    }


def per_connection(row: Row, none: Row) -> float:
    """What a connection adds to a poll."""
    added: float = (row["poll"] - none["poll"]) / row["connections"]
    return added


@pytest.fixture
def out(world: World, tmp_path: Path) -> Path:
    """Where profiles go; the world's program is one that writes them."""
    folder = tmp_path / "profiles"
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    words = [*callgrind.command(LOOK, folder / "look"), str(world.program)]
    world.program = folder / "tcptuned"
    world.program.write_text(f'#!/bin/sh\nexec {" ".join(words)} "$@"\n')
    world.program.chmod(0o755)
    return folder / "look"


@pytest.mark.parametrize("number", CONNECTIONS)
def test_look(
    world: World,
    tmp_path: Path,
    out: Path,
    daemons: list[Daemon],
    number: int,
) -> None:
    with crowd.connected(world, tmp_path / "clients", number):
        daemon = world.start(mounts=crowd.NFSD)
        daemons.append(daemon)
        deadline = time.monotonic() + TIMEOUT_S
        while len(callgrind.files(out)) <= FIRST + LOOKS:
            assert daemon.process.poll() is None, daemon.log()
            assert time.monotonic() < deadline, daemon.log()
            time.sleep(1)
    files = callgrind.files(out)[FIRST : FIRST + LOOKS]
    looks = [callgrind.read(file.read_text()) for file in files]
    STORE.merge([figures(number, looks)])


def test_growth() -> None:
    """All of them are there; a connection costs the same among many."""
    there = STORE.read()
    assert [row["connections"] for row in there] == list(CONNECTIONS)
    assert {row["daemon"] for row in there} == {digests.daemon()}
    few, many = (per_connection(row, there[0]) for row in there[2:])
    assert many < GROWTH * few
