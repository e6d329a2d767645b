# SPDX-License-Identifier: GPL-2.0
"""CONFIG_SUNRPC_TCPBUF=n leaves the output queue and nothing else."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tools.kernel import tree
from tools.testing.lab import image, scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.tests.measured import RCVBUF, SNDBUF, Run

OFF = (
    "# CONFIG_SUNRPC_TCPBUF is not set",
    "# CONFIG_SUNRPC_TCPBUF_KUNIT_TEST is not set",
)
LIST = "ls /proc/sys/sunrpc"


def _run(image: Path) -> Run:
    """Both directions over a WAN on defaults, and a look at the files."""
    plan = scenario.load("ibm-2008", "default")
    job = scenario.Job(do="run", host="server", command=LIST)
    phases = [*plan.phases, scenario.Phase(name="list", jobs=[job])]
    return measured.run(image, dataclasses.replace(plan, phases=phases))


def test_off(images: Images) -> None:
    off = image.build(
        images.trees.patched,
        images.trees.patched_key,
        tree.quiet,
        variant="off",
        options=OFF,
    )
    ours, stock = _run(off), _run(images.stock)
    assert ours["list"].output() == stock["list"].output()
    for phase in ("write", "read"):
        # TCP sizes a send buffer by its congestion window, which is another one
        # when no thread sleeps.
        for size, room in ((RCVBUF, 0.01), (SNDBUF, 0.1)):
            peak = stock[phase].peak(size)
            assert ours[phase].peak(size) == pytest.approx(peak, rel=room)
        for index in (0, 1):
            rate = stock[phase].mb_per_s(index=index)
            assert ours[phase].mb_per_s(index=index) >= 0.99 * rate
