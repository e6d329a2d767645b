# SPDX-License-Identifier: GPL-2.0
"""What a guest lays out: paths, mounts, jobs, events, as the plan says."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.tests.measured import Run
from tools.testing.lab.tests.wan import PATH, plan, rates, shell

# By the name of the host that one of each is on. The queue of "far" drops.
CLIENTS: dict[str, dict[str, Any]] = {
    "near": {"rate_mbit": 1000, "delay_ms": 0.1},
    "wide": {"rate_mbit": 100, "delay_ms": 50, "mtu": 9000},
    "old": {"rate_mbit": 400, "delay_ms": 5, "nfs": "3", "family": 6},
    "two": {**PATH, "options": "noac,nconnect=2"},
    "lossy": {"rate_mbit": 100, "delay_ms": 1, "loss_percent": 5},
    "far": {"rate_mbit": 20, "delay_ms": 5, "count": 2, "queue_packets": 9},
    "behind": {"rate_mbit": 1000, "delay_ms": 50, "router": True},
}
HOSTS = ("near", "wide", "old", "two", "lossy", "far-1", "far-2", "behind")
# What their mounts then have in /proc/mounts.
MOUNTS = {
    "near": {"vers=4.2", "proto=tcp"},
    "old": {"vers=3", "proto=tcp6", "mountproto=tcp6"},
    "two": {"noac", "nconnect=2"},
}
KEEPALIVE = "/proc/sys/net/ipv4/tcp_keepalive_probes"
LOOK = "ss -tinO dport = :2049; tc -s qdisc show dev eth0"
WATCH = f"cat {KEEPALIVE}; sleep 0.8; cat {KEEPALIVE}; sleep 0.4; cat {KEEPALIVE}"


@pytest.fixture(scope="module")
def run(images: Images) -> Run:
    """Every kind of client writes 5 MiB; then each host is looked at."""
    write = {"do": "write", "file": "{host}", "size_mib": 5}
    event = {"net.ipv4.tcp_keepalive_probes": 7}
    phases = [
        {"name": "write", "jobs": [{**write, "host": name} for name in CLIENTS]},
        {"name": "look", "jobs": [shell(LOOK, host=name) for name in CLIENTS]},
        {"name": "server", "jobs": [shell("cat /proc/mounts"), shell("ls /srv/nfs")]},
        {
            "name": "event",
            "jobs": [shell(WATCH, host=name) for name in ("near", "wide")],
            "events": [{"at_s": 1, "host": "near", "sysctl": event}],
        },
    ]
    made = plan(clients=CLIENTS, phases=phases, sample_ms=50)
    return measured.run(images.patched, made)


def _looked(run: Run) -> dict[str, str]:
    return {host: run["look"].output(n) for n, host in enumerate(HOSTS)}


def test_paths_of_their_own(run: Run) -> None:
    """Each with its delay and MTU; a router hides what makes the delay."""
    for host, said in _looked(run).items():
        path = CLIENTS[host.rstrip("-12")]
        rtts = re.findall(r" minrtt:([\d.]+)", said)
        assert len(rtts) == (2 if host == "two" else 1)
        assert float(rtts[0]) == pytest.approx(2 * path["delay_ms"], rel=0.2)
        mss = path.get("mtu", 1500) - (72 if path.get("family") == 6 else 52)
        assert f" mss:{mss} " in said
        assert ("netem" in said) == (host != "behind")
    for host, rate in zip(HOSTS, rates(run.report), strict=True):
        assert rate < CLIENTS[host.rstrip("-12")]["rate_mbit"] / 8
    assert run["server"].output(1).split() == sorted(HOSTS)
    # Seen by the address of its own path.
    assert len(run["write"].peers("10.0.5.2")) == 1
    assert len(run["write"].peers("[fd00:2::2]")) == 1


def test_what_drops(run: Run) -> None:
    dropped = {
        host: int(found[1])
        for host, said in _looked(run).items()
        if (found := re.search(r"dropped (\d+)", said))
    }
    assert {host for host, number in dropped.items() if number} == {*("lossy", "far-1", "far-2")}


def test_mounts(run: Run) -> None:
    lines = run["server"].output(0).splitlines()
    for host, options in MOUNTS.items():
        mount = next(line for line in lines if f" /mnt/{host} nfs" in line)
        given = set(mount.split()[3].split(","))
        assert options | {"rsize=1048576", "wsize=1048576"} <= given


def test_event(run: Run) -> None:
    """It comes in time, on its host alone."""
    seen = [run["event"].output(job).split() for job in (0, 1)]
    assert seen == [["9", "9", "7"], ["9", "9", "9"]]
