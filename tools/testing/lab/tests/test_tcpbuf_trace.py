# SPDX-License-Identifier: GPL-2.0
"""The trace events: what a person sees of growth and of the gate."""

from __future__ import annotations

import json
import re
from typing import Any

from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images

TRACING = "/sys/kernel/tracing"
START = (
    f"mount -t tracefs tracefs {TRACING} && cd {TRACING} && "
    "echo 16384 >buffer_size_kb && echo 1 >events/sunrpc_tcpbuf/enable"
)
SHOW = f"cat {TRACING}/trace"
EVENT = re.compile(r": (rpc_tcpbuf_\w+): (.*)")

Event = tuple[str, dict[str, int]]


def _run(command: str) -> dict[str, Any]:
    return {"do": "run", "host": "server", "command": command}


def _events(images: Images, setup: str = "gate") -> list[Event]:
    """Events of a WAN client's read beside a LAN client's stat()."""
    table = scenario.to_dict(scenario.load("gate", setup))
    table["phases"].insert(1, {"name": "trace", "jobs": [_run(START)]})
    table["phases"].append({"name": "show", "jobs": [_run(SHOW)]})
    plan = scenario.from_dict(json.loads(json.dumps(table)))
    run = measured.run(images.patched, plan)
    run["trace"].output()
    return [
        (name, {k: int(v) for k, v in re.findall(r"(\w+)=(-?\d+)", fields)})
        for name, fields in EVENT.findall(run["show"].output())
    ]


def test_gate(images: Images) -> None:
    """It closes and opens in turns, on the reader's connection alone."""
    turns = [e for e in _events(images) if e[0].startswith("rpc_tcpbuf_gate")]
    # 600 MiB in replies of 1 MiB, several of them at a time.
    assert 100 < len(turns) < 2 * 600 + 100
    assert len({fields["dport"] for _, fields in turns}) == 1
    for number, (name, fields) in enumerate(turns):
        closed = number % 2 == 0
        assert name == f"rpc_tcpbuf_gate_{'closed' if closed else 'opened'}"
        assert closed or fields["unsent"] < fields["lowat"]
        assert fields["lowat"] == 131072
        assert fields["sport"] == 2049
    unsent = [f for _, f in turns if f["unsent"] >= f["lowat"]]
    assert len(unsent) > 100


def test_gate_of_a_full_buffer(images: Images) -> None:
    """It closes with nothing unsent, when a reply might find no room."""
    turns = [
        event
        for event in _events(images, "default")
        if event[0] == "rpc_tcpbuf_gate_closed"
        and event[1]["unsent"] < event[1]["lowat"]
    ]
    assert len(turns) > 100
    # Half of 4 MiB, to which TCP lets a buffer grow.
    assert all(fields["free"] < 2 << 20 for _, fields in turns)


def test_growth(images: Images) -> None:
    """Each step says what was wanted, what was given, and the bound."""
    steps = [f for name, f in _events(images) if "grow" in name]
    sizes = [fields["got"] for fields in steps]
    assert 5 < len(sizes) < 50
    assert sizes == sorted(set(sizes))
    for fields in steps:
        assert fields["ceiling"] == 2 * 67108864
        assert fields["wanted"] <= fields["got"] <= fields["ceiling"]
