# SPDX-License-Identifier: GPL-2.0
"""Many connections on one server: what they take together."""

from __future__ import annotations

import pytest

from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images, Keep
from tools.testing.lab.tests.measured import RCVBUF, SNDBUF, Phase


def _run(images: Images, kernel: str, name: str, setup: str) -> measured.Run:
    image = images.stock if kernel == "stock" else images.patched
    return measured.run(image, scenario.load(name, setup))


def _buffers(phase: Phase, run: measured.Run, client: str) -> int:
    """The peaks of both buffers of the connections of alike clients, summed."""
    index = {name: f"10.0.{n}." for n, name in enumerate(run.plan.clients)}
    return sum(
        phase.peak(size, index[name])
        for name in scenario.alike(run.plan, client)
        for size in (RCVBUF, SNDBUF)
    )


# From all readers being at speed to the first being done.
STEADY_S = (2.5, 4.25)
CONNECTIONS = 200
PAGE_BYTES = 4096


def test_readers(images: Images, keep: Keep) -> None:
    """The gate saves memory, as TCP_NOTSENT_LOWAT did for 200 netperfs.

    How 200 connections share a link is chaotic: by default it is 55 to 60 %
    of what the server's send buffers hold, which is what netperf's host saw.
    """
    pages, rate = {}, {}
    for who in ("stock default", "patched default", "patched low"):
        kernel, setup = who.split()
        phase = _run(images, kernel, "readers", setup)["read"]
        # The mount of /mnt/far is one, too.
        assert len(phase.peers()) >= CONNECTIONS
        pages[who] = measured.mean(
            [
                held / PAGE_BYTES
                for at_s, held in _sums(phase, "queued_bytes")
                if STEADY_S[0] <= at_s <= STEADY_S[1]
            ]
        )
        rate[who] = _rate(phase, "acked_bytes", *STEADY_S)
        keep("readers", who, "server_sndbuf_mean_pages", pages[who])
        both = phase.tcp_mem_pages(*STEADY_S)
        keep("readers", who, "both_ends_tcp_mem_mean_pages", both)
        keep("readers", who, "read_mb_per_s", rate[who])
    assert min(rate.values()) >= 0.99 * rate["stock default"]
    assert pages["patched default"] <= 0.5 * pages["stock default"]
    assert pages["patched low"] <= 0.45 * pages["stock default"]


def _sums(phase: Phase, name: str) -> list[tuple[float, int]]:
    """A size or counter over all connections, and when it was seen."""
    return [
        (
            sample["t_s"],
            sum(one[name] for one in sample["server_sockets"].values()),
        )
        for sample in phase.report["samples"]
    ]


def _rate(phase: Phase, counter: str, from_s: float, to_s: float) -> float:
    """What all connections together moved in an interval, in MB/s."""
    seen = [
        (at_s, moved)
        for at_s, moved in _sums(phase, counter)
        if from_s - 0.01 <= at_s <= to_s + 0.01
    ]
    (start, before), (end, moved) = seen[0], seen[-1]
    rate: float = (moved - before) / (end - start) / 1e6
    return rate


@pytest.mark.parametrize("name", ["read", "write"])
def test_crowd(images: Images, keep: Keep, name: str) -> None:
    """Far clients fill their paths, near ones take what they always took."""
    near = {}
    for kernel, setup in (("stock", "default"), ("patched", "tuned")):
        run = _run(images, kernel, "crowd", setup)
        phase = run[name]
        near[kernel] = _buffers(phase, run, "near")
        who = f"{kernel} {setup}"
        keep("crowd", who, f"near_{name}_buffer_bytes", near[kernel])
        far = min(_best(phase, n, name) for n in range(5))
        keep("crowd", who, f"far_{name}_mb_per_s", far)
    assert far >= 0.95 * run.limit("far-1")
    assert near["patched"] <= 2 * near["stock"]


def _best(phase: Phase, index: int, way: str) -> float:
    """The largest rate that a connection held for a second, in MB/s."""
    counter = "acked_bytes" if way == "read" else "received_bytes"
    (peer,) = phase.peers(f"10.0.{index}.")
    seen = [
        (sample["t_s"], sample["server_sockets"][peer][counter])
        for sample in phase.report["samples"]
    ]
    best: float = max(
        (moved - before) / (end - start) / 1e6
        for (start, before), (end, moved) in zip(seen, seen[4:], strict=False)
    )
    return best


def test_slow_disk(images: Images, keep: Keep) -> None:
    """What a disk cannot take is not pinned in receive buffers either."""
    pages, unread = {}, {}
    for kernel, setup in (("stock", "default"), ("patched", "tuned")):
        run = _run(images, kernel, "slow-disk", setup)
        phase = run["write"]
        pages[kernel] = phase.report["tcp_mem_pages"]
        keep("slow-disk", f"{kernel} {setup}", "tcp_mem_pages", pages[kernel])
        # Of those, what the server has received and not taken.
        held = max(held for _, held in _sums(phase, "unread_bytes"))
        unread[kernel] = held / PAGE_BYTES
        who = f"{kernel} {setup}"
        keep("slow-disk", who, "server_rcvbuf_pages", unread[kernel])
        # The disk is what bounds the writers, in either case.
        rate, limit = phase.total_mb_per_s(), run.limit("disk")
        keep("slow-disk", f"{kernel} {setup}", "write_mb_per_s", rate)
        assert 0.8 * limit <= rate <= limit
    assert pages["patched"] <= 2 * pages["stock"]
    assert unread["patched"] <= 2 * unread["stock"]
