# SPDX-License-Identifier: GPL-2.0
"""The bench's pictures, of rows made up here: what is in them, and whether the
same rows make the same files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.testing.lab import course
from tools.testing.lab.bench import bench, cells, compare, pictures

RTTS = (0.2, 30, 120)
MOST_BYTES = 60_000


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
            "seed": 0,
            "draws": 1,
            "mb_per_s": 10,
            "cold_mb_per_s": 5,
            "t90_s": 0.5,
            "tcp_mem_mb": 1,
            "lan_p99_ms": 0.2,
        }
        for rtt in RTTS
        for direction in course.DIRECTIONS
    ]


def _draw(folder: Path) -> dict[str, str]:
    rows = _rows("stock", 1000) + _rows(compare.OURS, 10000)
    rows += [{**row, "loss": 1e-5} for row in rows]
    courses = [
        {"peer": peer, "t_s": t_s, "window_mb": 1, "flight_mb": t_s}
        for peer in ("stock", compare.OURS)
        for t_s in range(3)
    ]
    return {
        path.name: path.read_text()
        for path in pictures.draw(rows, courses, folder)
    }


def test_pictures(tmp_path: Path) -> None:
    """Every peer is in the legend, also one that has few of the axes."""
    drawn = _draw(tmp_path / "bench")
    assert len(drawn) == 5
    for text in drawn.values():
        for peer in ("stock", compare.OURS):
            assert cells.peers()[peer].title in text
        assert len(text) < MOST_BYTES
    steady = drawn["steady.svg"]
    assert ">write, 1 Gbit/s<" in steady
    assert ">read, 10 Gbit/s<" in steady
    assert ">0.2<" in steady
    assert cells.peers()["tuned"].title not in steady


def test_same_rows_same_files(tmp_path: Path) -> None:
    assert _draw(tmp_path / "one") == _draw(tmp_path / "two")


def test_committed(tmp_path: Path) -> None:
    """The pictures are of the rows that stand beside them."""
    made = pictures.draw(bench.STORE.read(), bench.COURSES.read(), tmp_path)
    for path in made:
        committed = (bench.FOLDER / path.name).read_text()
        assert path.read_text() == committed, "make pictures"
        assert len(committed) < MOST_BYTES


def test_nothing_measured(tmp_path: Path) -> None:
    """No picture without figures."""
    assert pictures.draw([], [], tmp_path) == []


def test_every_peer_has_its_look() -> None:
    looks = [pictures.style(peer) for peer in cells.peers()]
    for key in ("color", "marker"):
        assert len({look[key] for look in looks}) == len(looks)
