# SPDX-License-Identifier: GPL-2.0
"""The course of a transfer: what its samples say of rates over time.

A course is a list of pairs: seconds, and bytes moved by then.
"""

from __future__ import annotations

from typing import Any

# What the server's sockets count in a direction.
DIRECTIONS = {"write": "received_bytes", "read": "acked_bytes"}
# Of a cell's first client, which writes, and of its second.
ADDRESSES = {"write": "10.0.0.", "read": "10.0.1."}
# Bytes after which a transfer has begun; mounting moves less.
BEGUN_BYTES = 256 << 10
# How long a rate must last to count as reached.
WINDOW_S = 1.0

Row = dict[str, Any]
Course = list[tuple[float, int]]


def total(phase: Row, direction: str) -> Course:
    """What all connections of the direction's client have moved."""
    counter, prefix = DIRECTIONS[direction], ADDRESSES[direction]

    def count(sample: Row) -> int:
        sockets = sample["server_sockets"]
        return sum(sockets[peer][counter] for peer in sockets if peer.startswith(prefix))

    samples = phase["samples"]
    start = count(samples[0])
    return [(sample["t_s"], count(sample) - start) for sample in samples]


def windows(phase: Row, prefix: str) -> Row:
    """Of what the server sends to a peer: its window, and bytes in flight."""
    seen = [
        (sample["t_s"], [s for p, s in sample["server_sockets"].items() if p.startswith(prefix)])
        for sample in phase["samples"]
    ]
    return {
        "t_s": [t for t, _ in seen],
        "window_bytes": [sum(s["snd_wnd_bytes"] for s in all_) for _, all_ in seen],
        "flight_bytes": [
            sum(s["unacked_packets"] * s["mss_bytes"] for s in all_) for _, all_ in seen
        ],
    }


def begun(course: Course) -> Course:
    """The course from the transfer's first byte on."""
    begin = next(t for t, moved in course if moved > BEGUN_BYTES)
    return [(t - begin, moved) for t, moved in course if t >= begin]


def mean(course: Course, from_s: float, to_s: float) -> float:
    """Rate in MB/s between two instants."""
    inside = [one for one in course if from_s <= one[0] <= to_s]
    (t0, b0), (t1, b1) = inside[0], inside[-1]
    return (b1 - b0) / (t1 - t0) / 1e6


def reached(course: Course, rate: float) -> float | None:
    """Start of the first WINDOW_S at the rate (MB/s); None if there is none."""
    for index, (t0, b0) in enumerate(course):
        after = (one for one in course[index:] if one[0] >= t0 + WINDOW_S)
        t1, b1 = next(after, (t0, b0))
        if t1 > t0 and (b1 - b0) / (t1 - t0) / 1e6 >= rate:
            return t0
    return None
