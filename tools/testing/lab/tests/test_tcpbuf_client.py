# SPDX-License-Identifier: GPL-2.0
"""The client's own limits: tcp_clnt_rcvbuf; test_live() has the other."""

from __future__ import annotations

import json
from typing import Any

from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images

CEILING = 134217728


def _read(**client_sysctl: Any) -> scenario.Scenario:
    """A read whose window is small but for what the client's file gives."""
    table = scenario.to_dict(scenario.load("live"))
    table["clients"]["wan"]["sysctl"] = {
        "net.ipv4.tcp_rmem": "4096 131072 6291456",
        **client_sysctl,
    }
    table["server"]["sysctl"] = {
        "net.core.rmem_max": CEILING,
        "net.core.wmem_max": CEILING,
        "sunrpc.tcp_sndbuf": CEILING,
    }
    table["phases"][-1]["events"] = []
    return scenario.from_dict(json.loads(json.dumps(table)))


def test_receive_buffer(images: Images) -> None:
    bounded = measured.run(images.patched, _read())["read"]
    plan = _read(**{"sunrpc.tcp_clnt_rcvbuf": CEILING})
    run = measured.run(images.patched, plan)
    limit = measured.reachable(images.trees.base, run.limit("wan"), 0.03)
    assert bounded.mb_per_s() < 250
    assert max(p.out for p in run["read"].points()) >= 0.95 * limit


def test_server_values_are_not_the_clients(images: Images) -> None:
    """Each role has its own: a client's namespace may hold a server too."""
    plan = _read(**{"sunrpc.tcp_rcvbuf": CEILING})
    bounded = measured.run(images.patched, _read())["read"]
    other = measured.run(images.patched, plan)["read"]
    assert other.mb_per_s() < 1.01 * bounded.mb_per_s()
