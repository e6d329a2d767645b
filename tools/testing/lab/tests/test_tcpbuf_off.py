# SPDX-License-Identifier: GPL-2.0
"""Without the option, and without a value, sizes are the stock kernel's."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tools.kernel import tree
from tools.testing.lab import image, scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.tests.measured import RCVBUF, SNDBUF, Run

OFF = ("# CONFIG_SUNRPC_TCPBUF is not set", "# CONFIG_SUNRPC_TCPBUF_KUNIT_TEST is not set")
LIST = "ls /proc/sys/sunrpc"


def _run(image: Path) -> Run:
    """Both directions over a WAN on defaults, and a look at the files."""
    plan = scenario.load("ibm-2008", "default")
    job = scenario.Job(do="run", host="server", command=LIST)
    phases = [*plan.phases, scenario.Phase(name="list", jobs=[job])]
    return measured.run(image, dataclasses.replace(plan, phases=phases))


def _off(images: Images) -> Path:
    return image.build(
        images.trees.patched, images.trees.patched_key, tree.quiet, variant="off", options=OFF
    )


def _is_like_stock(images: Images, ours: Run) -> None:
    """Rates are no less, and buffers the same."""
    stock = _run(images.stock)
    for phase in ("write", "read"):
        # TCP sizes a send buffer by its congestion window, which is another one
        # when no thread sleeps: 6 % more were seen.
        for size, room in ((RCVBUF, 0.02), (SNDBUF, 0.1)):
            peak = stock[phase].peak(size)
            assert ours[phase].peak(size) == pytest.approx(peak, rel=room)
        for index in (0, 1):
            rate = stock[phase].mb_per_s(index=index)
            assert ours[phase].mb_per_s(index=index) >= 0.98 * rate


def test_off(images: Images) -> None:
    """CONFIG_SUNRPC_TCPBUF=n leaves the output queue and nothing else."""
    ours = _run(_off(images))
    assert ours["list"].output() == _run(images.stock)["list"].output()
    _is_like_stock(images, ours)


def test_defaults(images: Images) -> None:
    _is_like_stock(images, _run(images.patched))
