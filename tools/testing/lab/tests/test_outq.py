# SPDX-License-Identifier: GPL-2.0
"""The output queue: no nfsd thread waits for a client."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest

from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images, Keep
from tools.testing.lab.tests.measured import Phase

WAN, LAN = 0, 1  # the jobs of the phase "read" of scenarios/burst.toml
OUTQ = "/proc/net/rpc/outq"

Table = dict[str, Any]


def _plan(table: Table) -> scenario.Scenario:
    return scenario.from_dict(json.loads(json.dumps(table)))


def _shell(command: str, host: str = "server", **more: Any) -> Table:
    return {"do": "run", "host": host, "command": command, **more}


def _keep(keep: Keep, setup: str, phase: Phase) -> None:
    stat = phase.report["jobs"][LAN]
    for name in ("p99_ms", "longest_ms", "blocked_share"):
        keep("burst", setup, f"lan_{name}", stat[name])
    keep("burst", setup, "wan_read_mb_per_s", phase.mb_per_s(WAN))


# The longest wait is for a thread, and each waits for the disk alone: it opens
# the file there, asks for its attributes and reads, 5 ms each.
@pytest.mark.parametrize(
    ("setup", "longest_ms"),
    [("tmpfs", 0.5), ("tmpfs-1", 0.5), ("disk", 15.5), ("disk-1", 15.5), ("disk-64", 0.5)],
)
def test_burst(images: Images, keep: Keep, setup: str, longest_ms: float) -> None:
    """64 READs at once of a client 120 ms away beside stat() on a LAN."""
    plan = scenario.load("burst", setup)
    stock = measured.run(images.stock, plan)["read"]
    patched = measured.run(images.patched, plan)["read"]
    _keep(keep, f"stock {setup}", stock)
    _keep(keep, f"patched {setup}", patched)
    assert patched.report["jobs"][LAN]["longest_ms"] <= longest_ms
    assert patched.report["jobs"][LAN]["blocked_share"] == 0
    assert patched.mb_per_s(WAN) >= 0.99 * stock.mb_per_s(WAN)
    if setup != "disk-64":
        assert stock.report["jobs"][LAN]["longest_ms"] > 200


def _lan_read(rate_mbit: float, rtt_ms: float, **more: Any) -> Table:
    """A LAN client reads 600 MB, through nothing or from a disk."""
    disk = more.get("server", {}).get("disk_ms", 0)
    folder = "disk" if disk else "nfs"
    return {
        "name": "lan",
        "title": "a read on a LAN",
        "memory_mb": 4000,
        "clients": {"lan": {"rate_mbit": rate_mbit, "delay_ms": rtt_ms / 2}},
        "phases": [
            {
                "name": "make the file",
                "jobs": [
                    _shell(f"dd if=/dev/zero of=/srv/{folder}/far bs=1M count=600 status=none")
                ],
            },
            {
                "name": "read",
                "jobs": [
                    {
                        "do": "read",
                        "host": "lan",
                        "file": "disk/far" if disk else "far",
                        "size_mib": 600,
                        "record_kib": 8192,
                        "direct": True,
                    }
                ],
            },
        ],
        **more,
    }


@pytest.mark.parametrize("rtt_ms", [0.2, 2])
@pytest.mark.parametrize("rate_mbit", [1000, 10_000, 25_000])
@pytest.mark.parametrize("disk_ms", [0, 5])
def test_lan_is_as_fast(
    images: Images, keep: Keep, rate_mbit: int, rtt_ms: float, disk_ms: int
) -> None:
    """Eight READs at a time, from memory and from a disk."""
    table = _lan_read(rate_mbit, rtt_ms, server={"disk_ms": disk_ms})
    rates = [
        measured.run(image, _plan(table))["read"].mb_per_s()
        for image in (images.stock, images.patched)
    ]
    what = f"{rate_mbit} Mbit/s x {rtt_ms} ms, disk {disk_ms} ms"
    for kernel, rate in zip(("stock", "patched"), rates, strict=True):
        keep("lan", f"{kernel} {what}", "read_mb_per_s", rate)
    stock, patched = rates
    assert patched >= 0.99 * stock


# Another client opens what the first has delegations of; the time that each recall
# takes, to 5 ms.
RECALLS = """\
for file in one two; do
    sleep 2.5
    (nsenter --net=/run/netns/lan sh -c ": >>/mnt/lan/$file" &)
    until grep -q 'DELEG.*BREAKING' /proc/locks; do sleep 0.005; done
    ms=0
    while grep -q 'DELEG.*BREAKING' /proc/locks; do sleep 0.005; ms=$((ms + 5)); done
    echo recall=$ms
done
"""


def test_recalls(images: Images, keep: Keep) -> None:
    """Two recalls of delegations of a client that reads: not later than stock."""
    table = scenario.to_dict(scenario.load("burst", "tmpfs"))
    make, read = table["phases"]
    make["jobs"][0]["command"] += "; for file in one two; do echo x >/srv/nfs/$file; done"
    hold = "exec 3</mnt/wan/one 4</mnt/wan/two; cat <&3 <&4 >/dev/null; sleep 20"
    read["jobs"] = [{**read["jobs"][0], "size_mib": 600}, _shell(hold, "wan"), _shell(RECALLS)]
    longest = {}
    for name, image in (("stock", images.stock), ("patched", images.patched)):
        run = measured.run(image, _plan(table))["read"]
        recalls = [int(ms) for ms in re.findall(r"recall=(\d+)", run.output(2))]
        assert len(recalls) == 2, run.output(2)
        longest[name] = max(recalls)
        keep("recall", name, "longest_ms", longest[name])
    assert longest["patched"] <= longest["stock"]


def test_vanished_client(images: Images) -> None:
    """It is disconnected after 30 s, and what waited for it is freed."""
    table = scenario.to_dict(scenario.load("gate", "default"))
    table["phases"][1]["jobs"] = [
        _shell(
            "sleep 3; tc qdisc change dev s-wan root netem loss 100%;"
            f"for i in $(seq 45); do echo at=$i $(tail -n +3 {OUTQ} | wc -l)"
            " $(ss -Htn state established sport = :2049 dst 10.0.0.2 | wc -l)"
            " $(sed -n 's/^TCP:.*mem //p' /proc/net/sockstat); sleep 1; done"
        ),
        _shell("timeout -s KILL 4 dd if=/mnt/wan/far of=/dev/null bs=1M status=none; true", "wan"),
    ]
    run = measured.run(images.patched, _plan(table))
    rows = re.findall(r"at=(\d+) (\d+) (\d+) (\d+)", run["read"].output())
    seen = {int(at): tuple(map(int, row)) for at, *row in rows}
    assert seen[20][0] == 1, "replies wait for the client"
    assert seen[28][1] == 1, "it is connected for 30 s"
    assert seen[36][:2] == (0, 0), "and not for 36"
    assert seen[45][2] < seen[20][2] / 5, "its memory is freed"


def _honest(table: Table) -> None:
    """600 MB over 1 Gbit/s x 30 ms, NFSv3, from a server of 2 GiB."""
    table["memory_mb"] = 2048
    table["server"]["threads"] = 64
    table["clients"]["wan"] |= {"delay_ms": 15, "nfs": "3"}
    table["phases"][0]["jobs"][0]["command"] = (
        "dd if=/dev/zero of=/srv/nfs/far bs=1M count=300 status=none;touch /srv/nfs/near"
    )
    table["phases"][1]["jobs"] = [
        {"do": "read", "host": "wan", "file": "far", "size_mib": 250, "seconds": 60}
    ]


def _attack(connections: int) -> Table:
    """1,000 connections ask for 16 MiB each and read nothing."""
    return _shell(
        "handle=$(printf '* /srv/nfs/far 64\\n' >/tmp/ask; "
        "exec 3<>/proc/fs/nfsd/filehandle; cat /tmp/ask >&3; cat <&3);"
        "nsenter --net=/run/netns/lan python3 "
        "$LAB_REPO/tools/testing/lab/guest/strangers.py 10.0.1.1 "
        f"$(echo $handle | tr -d '\\\\x') {connections} 40 & sleep 20;"
        f"head -1 {OUTQ}; sleep 35; head -1 {OUTQ};"
        "ss -Htn state established sport = :2049 dst 10.0.1.2 | wc -l; wait",
        start_s=2,
    )


def test_silent_clients(images: Images, keep: Keep) -> None:
    """They hold no more than the bound, and an honest client keeps its rate."""
    table = scenario.to_dict(scenario.load("gate", "default"))
    _honest(table)
    alone = measured.run(images.patched, _plan(table))["read"]
    table["phases"][1]["jobs"].append(_attack(1000))
    both = measured.run(images.patched, _plan(table))["read"]
    keep("silent", "alone", "read_mb_per_s", alone.mb_per_s(0))
    keep("silent", "beside 1,000", "read_mb_per_s", both.mb_per_s(0))
    output = both.output(1)
    held = re.findall(r"# host: (\d+) of (\d+) bytes", output)
    assert int(held[0][0]) <= int(held[0][1]), output
    assert int(held[1][0]) < 8 << 20, output
    assert both.mb_per_s(0) >= 0.9 * alone.mb_per_s(0)


# Random reads and writes per client; pieces have 2 MiB on average. The variable
# is for a longer run by hand.
ROUNDS = int(os.environ.get("ROUNDS", "100"))
CHECK = "python3 $LAB_REPO/tools/testing/lab/guest/verify.py /srv/nfs/{0} {1} {2}"

# While the clients' checks run: connections end, and so does the server. A client
# may need all of the grace period, and 15 s more, to go on.
TURMOIL = """\
for i in 1 2 3; do sleep 2; ss -HtnK sport = :2049 | wc -l; done
while pgrep -f '[v]erify.py' >/dev/null; do
    rpc.nfsd 0; sleep 1; rpc.nfsd --grace-time 10 --lease-time 10 8
    for i in 1 2 3 4 5 6; do sleep 10; ss -HtnK sport = :2049 | wc -l; done
done
"""


def test_data_is_right(images: Images) -> None:
    """Over loss, with small buffers, reconnects and restarts."""
    table = scenario.to_dict(scenario.load("gate", "default"))
    table["server"]["sysctl"] = {"net.ipv4.tcp_wmem": "4096 16384 131072"}
    path = {"delay_ms": 2, "loss_percent": 0.1, "gso": False}
    versions = {"v3": "3", "v40": "4.0", "v41": "4.1", "v42": "4.2"}
    table["clients"] = {
        name: {**table["clients"]["wan"], **path, "nfs": nfs} for name, nfs in versions.items()
    }
    table["phases"][0]["jobs"][0]["command"] = (
        "cd /srv/nfs; for i in v3 v40 v41 v42; do dd if=/dev/urandom of=$i "
        "bs=1M count=24 status=none; done"
    )
    table["phases"][1]["jobs"] = [
        _shell(CHECK.format(name, f"/mnt/{name}/{name}", ROUNDS), name) for name in versions
    ]
    table["phases"][1]["jobs"].append(_shell(TURMOIL))
    run = measured.run(images.patched, _plan(table))["read"]
    for job in range(len(versions)):
        assert f"{ROUNDS} rounds, 0 wrong" in run.output(job)
    assert sum(map(int, run.output(len(versions)).split())) > len(versions)
