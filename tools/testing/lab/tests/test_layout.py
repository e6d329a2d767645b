# SPDX-License-Identifier: GPL-2.0
"""What a guest lays out: paths, mounts, jobs, events, as the plan says."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tools.kernel import tree
from tools.testing.lab.guest import guest
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.tests.wan import PATH, plan, rates, shell

# Of a client, and what its mount then has in /proc/mounts.
MOUNTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "NFSv4.2": ({}, ["vers=4.2", "proto=tcp"]),
    "NFSv3 over IPv6": (
        {"family": 6, "nfs": "3"},
        ["vers=3", "proto=tcp6", "mountproto=tcp6"],
    ),
    "options": ({"options": "noac,nconnect=2"}, ["noac", "nconnect=2"]),
}


@pytest.mark.parametrize("case", MOUNTS.values(), ids=MOUNTS)
def test_mount(images: Images, case: tuple[dict[str, Any], list[str]]) -> None:
    client, options = case
    phases = [
        {"name": "write", "jobs": [{"do": "write", **FILE}]},
        {"name": "read", "jobs": [{"do": "read", **FILE}]},
        {"name": "look", "jobs": [shell("cat /proc/mounts; sum /srv/nfs/*")]},
    ]
    clients = {"wan": {**PATH, **client}}
    result = guest.run(
        images.patched, plan(clients=clients, phases=phases), tree.quiet
    )
    assert all(rate > 50 for rate in rates(result))
    mounts = result["phases"][2]["jobs"][0]["output"].splitlines()
    found = next(line for line in mounts if " /mnt/wan nfs" in line)
    given = found.split()[3].replace("fd00::1", "fd00:0::1").split(",")
    assert set(options) <= set(given)
    assert {"rsize=1048576", "wsize=1048576"} <= set(given)


FILE = {"host": "wan", "size_mib": 16}


def test_paths_of_their_own(images: Images) -> None:
    clients: dict[str, dict[str, Any]] = {
        "near": {"rate_mbit": 1000, "delay_ms": 0.1},
        "far": {"rate_mbit": 100, "delay_ms": 50, "mtu": 9000},
        "old": {"rate_mbit": 400, "delay_ms": 5, "nfs": "3", "family": 6},
    }
    writes = [
        {"do": "write", "host": name, "file": name, "size_mib": 10}
        for name in clients
    ]
    looks = [shell("ss -tinO dport = :2049", host=name) for name in clients]
    phases = [
        {"name": "write", "jobs": writes},
        {"name": "look", "jobs": looks},
    ]
    result = guest.run(
        images.patched, plan(clients=clients, phases=phases), tree.quiet
    )
    for client, rate in zip(clients.values(), rates(result), strict=True):
        assert 1 < rate < client["rate_mbit"] / 8
    for client, job in zip(
        clients.values(), result["phases"][1]["jobs"], strict=True
    ):
        assert _field(job, "minrtt") == pytest.approx(
            2 * client["delay_ms"], rel=0.2
        )
        assert _field(job, "mss") == client.get("mtu", 1500) - (
            72 if client.get("family") == 6 else 52
        )
    # One connection each, seen by the address of its own path.
    peers = sorted(result["phases"][0]["server_sockets"])
    assert [peer.rpartition(":")[0] for peer in peers] == [
        "10.0.0.2",
        "10.0.1.2",
        "[fd00:2::2]",
    ]


def _field(job: dict[str, Any], name: str) -> float:
    """A number that ss prints of the only connection of a job's host."""
    found = re.findall(rf" {name}:([\d.]+)", job["output"])
    assert len(found) == 1
    return float(found[0])


def test_loss(images: Images) -> None:
    clients = {
        name: {"rate_mbit": 100, "delay_ms": 1, "loss_percent": percent}
        for name, percent in (("clean", 0), ("lossy", 2))
    }
    writes = [
        {"do": "write", "host": name, "file": name, "size_mib": 20}
        for name in clients
    ]
    drops = [
        shell("tc -s qdisc show dev eth0 | grep -o 'dropped [0-9]*'", name)
        for name in clients
    ]
    phases = [
        {"name": "write", "jobs": writes},
        {"name": "look", "jobs": drops},
    ]
    result = guest.run(
        images.patched, plan(clients=clients, phases=phases), tree.quiet
    )
    clean, lossy = (
        int(job["output"].split()[1]) for job in result["phases"][1]["jobs"]
    )
    # The client sends 20 MiB in packets of up to 64 KiB (GSO), about 330.
    assert clean == 0
    assert lossy > 0
    fast, slow = rates(result)
    assert slow < fast


def test_event(images: Images) -> None:
    host = "wan"
    name = "net.ipv4.tcp_keepalive_probes"
    file = f"/proc/sys/{name.replace('.', '/')}"
    look = f"cat {file}; sleep 0.8; cat {file}; sleep 0.4; cat {file}"
    hosts = ["server", "wan", "other"]
    result = guest.run(
        images.patched,
        plan(
            *[shell(look, host=one) for one in hosts],
            clients={"wan": PATH, "other": PATH},
            events=[{"at_s": 1, "host": host, "sysctl": {name: 7}}],
            sample_ms=50,
        ),
        tree.quiet,
    )
    seen = [
        list(map(int, job["output"].split()))
        for job in result["phases"][0]["jobs"]
    ]
    assert [values[:2] for values in seen] == [[9, 9]] * 3
    assert [values[2] for values in seen] == [
        7 if one == host else 9 for one in hosts
    ]


def test_count_and_queue(images: Images) -> None:
    """Alike clients have paths of their own; a short queue drops."""
    client = {"rate_mbit": 20, "delay_ms": 5, "count": 3, "queue_packets": 9}
    write = {"do": "write", "host": "far", "file": "{host}", "size_mib": 5}
    look = "hostname -I; tc -s qdisc show dev eth0 | grep dropped"
    phases = [
        {"name": "write", "jobs": [write]},
        {"name": "look", "jobs": [shell(look, "far"), shell("ls /srv/nfs")]},
    ]
    result = guest.run(
        images.patched, plan(clients={"far": client}, phases=phases), tree.quiet
    )
    *far, server = result["phases"][1]["jobs"]
    assert server["output"].split() == ["far-1", "far-2", "far-3"]
    for index, job in enumerate(far):
        assert job["output"].split()[0] == f"10.0.{index}.2"
        dropped = re.search(r"dropped (\d+)", job["output"])
        assert dropped
        assert int(dropped[1]) > 0
    assert len(rates(result)) == 3
