# SPDX-License-Identifier: GPL-2.0
"""The trace events: what a person sees of growth and of the gate."""

from __future__ import annotations

import re
from typing import Any

from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images

TRACING = "/sys/kernel/tracing"
START = (
    f"mount -t tracefs tracefs {TRACING} && cd {TRACING} && "
    "echo 16384 >buffer_size_kb && echo 1 >events/sunrpc_tcpbuf/enable && "
    "echo 1 >events/svc_outq/enable"
)
SHOW = f"cat {TRACING}/trace"
EVENT = re.compile(r": (rpc_tcpbuf_\w+): (.*)")

ENDS = re.compile(r"src=(\S+) dest=(\S+) netns=\d+ ")
OUTQ = re.compile(r": svc_outq_(\w+): client=(\S+) netns=\d+ queued=(\d+)")

# Name, client's address and port, numbers.
Event = tuple[str, str, dict[str, int]]


def _run(command: str) -> dict[str, Any]:
    return {"do": "run", "host": "server", "command": command}


def _trace(images: Images, setup: str) -> str:
    """The trace of a WAN client's read beside a LAN client's stat()."""
    table = scenario.to_dict(scenario.load("gate", setup))
    table["phases"].insert(1, {"name": "trace", "jobs": [_run(START)]})
    table["phases"].append({"name": "show", "jobs": [_run(SHOW)]})
    plan = scenario.from_dict(table)
    run = measured.run(images.patched, plan)
    run["trace"].output()
    return run["show"].output()


def _events(images: Images) -> list[Event]:
    """Events of the buffers, each of a connection to the server's port."""
    found = []
    for name, text in EVENT.findall(_trace(images, "gate")):
        ends = ENDS.match(text)
        assert ends and ends[1] == "10.0.0.1:2049", text
        numbers = re.findall(r"(\w+)=(-?\d+)", text[ends.end() :])
        found.append((name, ends[2], {k: int(v) for k, v in numbers}))
    return found


def test_gate(images: Images) -> None:
    """It closes and opens in turns, on the reader's connection alone."""
    turns = [e for e in _events(images) if e[0].startswith("rpc_tcpbuf_gate")]
    # 600 MiB in replies of 1 MiB, several of them at a time.
    assert 100 < len(turns) < 2 * 600 + 100
    assert len({client for _, client, _ in turns}) == 1
    for number, (name, _, fields) in enumerate(turns):
        closed = number % 2 == 0
        assert name == f"rpc_tcpbuf_gate_{'closed' if closed else 'opened'}"
        assert not closed or fields["unsent"] >= fields["lowat"]
        assert fields["lowat"] == 131072


def test_queue(images: Images) -> None:
    """Replies that find no room are queued, and the queue drains each time."""
    events = OUTQ.findall(_trace(images, "default"))
    assert {name for name, _, _ in events} == {"queued", "drained"}
    assert len({client for _, client, _ in events}) == 1
    assert len([name for name, _, _ in events if name == "drained"]) > 50
    assert events[-1][0] == "drained"


def test_growth(images: Images) -> None:
    """Each step says what was wanted, what was given, and the bound."""
    steps = [f for name, _, f in _events(images) if "grow" in name]
    sizes = [fields["got"] for fields in steps]
    assert 5 < len(sizes) < 50
    assert sizes == sorted(set(sizes))
    for fields in steps:
        assert fields["ceiling"] == 2 * 67108864
        assert fields["wanted"] <= fields["got"] <= fields["ceiling"]
