# SPDX-License-Identifier: GPL-2.0
"""Paths that lose at random: another congestion control, and fairness."""

from __future__ import annotations

import dataclasses
import re

import pytest

from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images, Keep
from tools.testing.lab.tests.measured import Run

SYSCTL = "sunrpc.tcp_lossy_congestion_control"
EVENT = re.compile(r" ([\d.]+): rpc_tcpbuf_lossy_(\w+): .* ca=(\w+) ")
NFS, STRANGER = 0, 2

FILES = "/proc/sys/sunrpc/tcp_{}lossy_congestion_control"
ROLES = pytest.mark.parametrize("role", ["", "clnt_"])


def _events(run: Run) -> list[tuple[str, str]]:
    """What happened, and the congestion control after it."""
    found = EVENT.findall(run["show"].output())
    return [(name, ca) for _, name, ca in found]


def _with(plan: scenario.Scenario, name: str) -> scenario.Scenario:
    sysctl = {**plan.server.sysctl, SYSCTL: name}
    server = dataclasses.replace(plan.server, sysctl=sysctl)
    return dataclasses.replace(plan, server=server)


def test_rate(images: Images, keep: Keep) -> None:
    off = measured.run(images.patched, scenario.load("lossy", "off"))
    bbr = measured.run(images.patched, scenario.load("lossy", "bbr"))
    for setup, run in (("off", off), ("bbr", bbr)):
        keep("lossy", f"patched {setup}", "mb_per_s", run["read"].mb_per_s())
    assert not _events(off)
    assert _events(bbr) == [("changed", "bbr")]
    assert bbr["read"].mb_per_s() >= 90
    # CUBIC's slow start may last for seconds until it meets a loss.
    assert bbr["read"].mb_per_s() >= 2 * off["read"].mb_per_s()


@measured.long
def test_stranger_keeps_its_share(images: Images, keep: Keep) -> None:
    plan = scenario.load("lossy", "stranger")
    cubic = measured.run(images.patched, plan)
    bbr = measured.run(images.patched, _with(plan, "bbr"))
    assert _events(bbr) == [("changed", "bbr"), ("restored", "cubic")]
    beside_cubic = int(cubic["read"].output(STRANGER)) / 60e6
    beside_bbr = int(bbr["read"].output(STRANGER)) / 60e6
    keep("lossy", "beside cubic", "stranger_mb_per_s", beside_cubic)
    keep("lossy", "beside bbr", "stranger_mb_per_s", beside_bbr)
    # The aim is 0.8. It depends on which packets are lost: 0.75 was seen.
    assert beside_bbr >= 0.65 * beside_cubic


def test_queue_is_no_random_loss(images: Images) -> None:
    """Loss of a router's queue alone changes nothing."""
    plan = _with(scenario.load("lossy", "stranger"), "bbr")
    wan = dataclasses.replace(plan.clients["wan"], loss_percent=0)
    plan = dataclasses.replace(plan, clients={"wan": wan})
    jobs = plan.phases[1].jobs
    jobs[NFS] = dataclasses.replace(jobs[NFS], seconds=26)
    command = jobs[STRANGER].command.replace("+ 60", "+ 15")
    jobs[STRANGER] = dataclasses.replace(jobs[STRANGER], command=command)
    run = measured.run(images.patched, plan)
    assert not _events(run)
    assert int(run["read"].output(STRANGER)) > 0


@ROLES
def test_names(images: Images, role: str) -> None:
    """What the file takes and refuses, and that namespaces differ."""
    file = FILES.format(role)
    commands = [
        f"cat {file}",
        f"echo bbr >{file}; cat {file}; ip netns add other; ip netns exec other cat {file}",
        f'python3 -c \'with open("{file}", "w") as f: f.write("nosuch")\' 2>&1; cat {file}',
        f"echo >{file}; cat {file}; ip netns del other",
    ]
    run = measured.run(images.patched, measured.commands(*commands))
    first, set_, refused, cleared = (run[str(n)].output() for n in range(4))
    assert first == cleared == "\n"
    assert set_ == "bbr\n\n"
    assert "FileNotFoundError" in refused
    assert refused.endswith("bbr\n")
