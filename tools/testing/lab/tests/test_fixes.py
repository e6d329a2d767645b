# SPDX-License-Identifier: GPL-2.0
"""The series "fixes": connections added to a mount, and taken from it.

Each bug is seen on the stock kernel first. The export is "secure", as exports
are by default: it refuses what comes from a port that anybody may use.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools.kernel import plan, tree
from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.tests.measured import Phase, Run
from tools.testing.lab.tests.wan import PATH, shell

SIZE_MIB = 64
TRACING = "/sys/kernel/tracing"
SWITCH = "/sys/kernel/sunrpc/xprt-switches/switch-*"
EXPORT = (
    'exportfs -i -o secure,fsid=0,no_subtree_check "*:/srv/nfs" && '
    f"dd if=/dev/zero of=/srv/nfs/data bs=1M count={SIZE_MIB} status=none"
)
READ = "dd if=/mnt/wan/data of=/dev/null bs=1M iflag=direct status=none"
ADD = "echo 1 >add_xprt"
DELETE_MAIN = (
    f"mount -t tracefs tracefs {TRACING} && "
    f"echo 1 >{TRACING}/events/sunrpc/xprt_release_xprt/enable && "
    "! echo 1 | tee $(grep -l main_xprt=1 */xprt_info | xargs dirname)/del_xprt"
    f" && sed /^#/d {TRACING}/trace"
)
DELETE = "echo 1 >$(grep -L main_xprt=1 */xprt_info | xargs dirname)/del_xprt"


@pytest.fixture(autouse=True)
def _has_fixes(trees: tree.Trees) -> None:
    """Pass over a base that the series is not for."""
    series = plan.of_base(tree.REPO / "patches", trees.base)
    if "fixes" not in [one.name for one in series]:
        pytest.skip(f"the fixes are not for {trees.base}")


def _in_switch(command: str) -> str:
    """A command in the folder of the mount's transports.

    sysfs has those of the network namespace that it is mounted in.
    """
    return f"ip netns exec wan sh -c 'cd {SWITCH} && {command}'"


def _run(image: Path, options: str = "") -> Run:
    commands = {
        "export": EXPORT,
        "add": _in_switch(ADD),
        "read": READ,
        "delete main": _in_switch(DELETE_MAIN),
        "delete": _in_switch(DELETE),
        "read again": READ,
    }
    table: dict[str, Any] = {
        "name": "fixes",
        "title": "a connection is added",
        "memory_mb": 600,
        "clients": {"wan": {**PATH, "options": options}},
        "phases": [{"name": name, "jobs": [shell(command)]} for name, command in commands.items()],
    }
    return measured.run(image, scenario.from_dict(table))


def _ports(phase: Phase) -> list[int]:
    return [int(peer.rpartition(":")[2]) for peer in phase.peers()]


def test_an_added_connection_is_used(images: Images) -> None:
    stock, ours = _run(images.stock), _run(images.patched)
    for run in (stock, ours):
        run["read"].output()
    assert len(_ports(stock["read"])) == 1
    assert len(_ports(ours["read"])) == 2
    for peer in ours["read"].peers():
        share = ours["read"].peak("acked_bytes", peer) / (SIZE_MIB << 20)
        # The last sample is taken before the end.
        assert 0.3 < share < 0.6


def test_an_added_connection_has_a_reserved_port(images: Images) -> None:
    """With nconnect, the stock kernel uses it, and the export refuses it."""
    stock = _run(images.stock, "nconnect=2")["read"].report["jobs"][0]
    assert stock["exit"] and "Operation not permitted" in stock["output"]
    ours = _run(images.patched, "nconnect=2")["read"]
    assert not ours.output()
    assert len(_ports(ours)) == 3
    assert max(_ports(ours)) < 1024


def test_an_added_connection_can_be_deleted(images: Images) -> None:
    ours = _run(images.patched)
    ours["delete"].output()
    assert len(_ports(ours["read"])) == 2
    assert not ours["read again"].output()
    assert len(_ports(ours["read again"])) == 1


def test_the_main_connection_keeps_its_lock(images: Images) -> None:
    """It cannot be deleted. Nobody took the lock, so nobody may release it."""
    stock = _run(images.stock)["delete main"].output()
    ours = _run(images.patched)["delete main"].output()
    for said in (stock, ours):
        assert "Invalid argument" in said
    assert "xprt_release_xprt" in stock
    assert "xprt_release_xprt" not in ours
