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
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import callgrind
import crowd
import pytest
from callgrind import Profile
from namespaces import TCPTUNED
from world import NOBODY, Daemon, World

sys.path.insert(0, str(TCPTUNED.parent / "testing" / "lab"))

import compare
import overlay
import table
import tree

pytest_plugins = ("world_hosts",)

FILE = tree.REPO / "out" / "instructions.json"
PAGE = FILE.with_suffix(".rst")
CONNECTIONS = (0, 100, 1_000, 10_000)
# What the timer calls, and what of it is not done every time.
LOOK = "daemon_on_timer"
SELDOM = {
    "status": "status_write",
    "metrics": "metrics_write",
    "routes": "route_query",
}
# The first looks meet every path for the first time.
FIRST, LOOKS = 2, 5
SHOWN = 5
TIMEOUT_S = 900
# A connection may take so much more among 10,000 than among 1,000.
GROWTH = 1.5

Row = dict[str, Any]


def name(row: Row) -> tuple[Any, ...]:
    """What tells a row from others."""
    return (row["connections"],)


def figures(number: int, looks: Sequence[Profile]) -> Row:
    """The medians of some looks; the functions are those of all looks."""
    own: Counter[str] = sum((look.own for look in looks), Counter())
    seldom = {
        key: [look.called[function] for look in looks if look.called[function]]
        for key, function in SELDOM.items()
    }
    return {
        "connections": number,
        "look": statistics.median(
            look.own.total()
            - sum(look.called[function] for function in SELDOM.values())
            for look in looks
        ),
        **{key: statistics.median(of or [0]) for key, of in seldom.items()},
        "functions": [
            [function, count / own.total()]
            for function, count in own.most_common(SHOWN)
        ],
    }


def per_connection(row: Row, none: Row) -> float:
    """What a connection adds to a look."""
    added: float = (row["look"] - none["look"]) / row["connections"]
    return added


PAGE_HEAD = """\
.. SPDX-License-Identifier: GPL-2.0
.. Written by lab cost --daemon; lab.rst says how.
"""
HEAD = ("connections", "a look", "per connection", *SELDOM)


def page(there: Sequence[Row]) -> str:
    """The figures as a part of a page."""
    none, last = there[0], there[-1]
    lines = [
        [
            f"{row['connections']:,}",
            f"{row['look']:,.0f}",
            f"{per_connection(row, none):,.0f}"
            if row["connections"]
            else "none",
            *(f"{row[key]:,.0f}" for key in SELDOM),
        ]
        for row in there
    ]
    functions = [
        [f"``{function}``", f"{share:.1%}"]
        for function, share in last["functions"]
    ]
    words = f"What takes the most with {last['connections']:,} connections:\n"
    parts = [compare.list_table(HEAD, lines), words]
    parts.append(compare.list_table(("function", "of all"), functions))
    return "\n".join([PAGE_HEAD, *parts])


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
    table.merge([figures(number, looks)], FILE, name)


def test_page() -> None:
    """All of them are there; a connection costs the same among many."""
    there = table.read(FILE, name)
    assert [row["connections"] for row in there] == list(CONNECTIONS)
    overlay.replace(PAGE, page(there))
    few, many = (per_connection(row, there[0]) for row in there[2:])
    assert many < GROWTH * few
