# SPDX-License-Identifier: GPL-2.0
"""The bench's pictures, of rows made up here: what is in them, and whether the
same rows make the same files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.testing.lab import course
from tools.testing.lab.bench import cells, compare, pictures

RTTS = cells.RTTS_MS[:3]
COURSE = {
    "cell": "10000 Mbit/s x 30 ms NFSv4.2",
    "t_s": [0, 1, 2],
    "window_bytes": [65536, 10**6, 10**7],
    "flight_bytes": [0, 10**6, 10**7],
}


def _rows(peer: str, rate_mbit: int) -> list[dict[str, Any]]:
    return [
        {
            "kernel": "7.2 stock",
            "peer": peer,
            "rate_mbit": rate_mbit,
            "rtt_ms": rtt,
            "nfs": "4.2",
            **compare.USUAL,
            "direction": direction,
            "mb_per_s": 10,
            "cold_mb_per_s": 5,
            "limit_mb_per_s": 12,
            "t90_s": 0.5,
            "tcp_mem_bytes": 10**6,
            "lan_p99_ms": 0.2,
        }
        for rtt in RTTS
        for direction in course.DIRECTIONS
    ]


def _draw(folder: Path) -> dict[str, str]:
    rows = _rows("stock", 100) + _rows(compare.OURS, 1000)
    courses = [{**COURSE, "peer": peer} for peer in ("stock", compare.OURS)]
    return {
        path.name: path.read_text()
        for path in pictures.draw(rows, courses, folder)
    }


def test_pictures(tmp_path: Path) -> None:
    """Every peer is in the legend, also one that has few of the axes."""
    drawn = _draw(tmp_path / "bench")
    pages = {name for name in drawn if name.endswith(".svg")}
    assert len(pages) == 5
    for name in pages:
        for peer in ("stock", compare.OURS):
            assert cells.peers()[peer].title in drawn[name]
    throughput = drawn["throughput.svg"]
    assert "write, 100 Mbit/s" in throughput
    assert "read, 1 Gbit/s" in throughput
    assert "RTT in ms" in throughput
    assert cells.peers()["tuned"].title not in throughput


def test_same_rows_same_files(tmp_path: Path) -> None:
    assert _draw(tmp_path / "one") == _draw(tmp_path / "two")


def test_nothing_measured(tmp_path: Path) -> None:
    """No picture without figures; the tables say that there is nothing."""
    names = [path.name for path in pictures.draw([], [], tmp_path)]
    assert not [name for name in names if name.endswith(".svg")]


def test_every_peer_has_its_look() -> None:
    looks = [pictures.style(peer) for peer in cells.peers()]
    for key in ("color", "marker"):
        assert len({look[key] for look in looks}) == len(looks)
