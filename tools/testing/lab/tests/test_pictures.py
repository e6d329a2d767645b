# SPDX-License-Identifier: GPL-2.0
"""The bench's pictures: the same rows make the same files."""

from __future__ import annotations

from pathlib import Path

from tools.testing.lab.bench import bench, pictures

MOST_BYTES = 60_000


def test_committed(tmp_path: Path) -> None:
    """The pictures are of the rows that stand beside them."""
    made = pictures.draw(bench.STORE.read(), bench.COURSES.read(), tmp_path)
    for path in made:
        committed = (bench.FOLDER / path.name).read_text()
        assert path.read_text() == committed, "make pictures"
        assert len(committed) < MOST_BYTES
