# SPDX-License-Identifier: GPL-2.0
"""Files of rows: what takes the place of what, and what is no such file."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.testing.lab.rows import Store

NAMES = frozenset(("kernel", "nfs"))
ROW = {"kernel": "7.2", "nfs": "3", "loss": 1e-5, "rate": 119.5, "t90_s": None}


def _store(folder: Path) -> Store:
    name = ("kernel", "nfs", "loss")
    return Store(folder / "a" / "rows.csv", name, ("rate", "t90_s"), NAMES)


def test_merge(tmp_path: Path) -> None:
    """A row is read as it was written, and goes when a newer one comes."""
    store = _store(tmp_path)
    store.merge([ROW])
    assert store.read() == [ROW]
    other = {**ROW, "loss": 0.0}
    store.merge([{**ROW, "rate": 3.0}, other])
    assert store.read() == [other, {**ROW, "rate": 3.0}]
    assert store.file.read_text().splitlines()[1:] == ["7.2,3,0,119.5,", "7.2,3,1e-05,3,"]


def test_at_the_same_time(tmp_path: Path) -> None:
    """An interrupted or crowded run loses nothing that it measured."""
    store = _store(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.merge([{**ROW, "loss": n}]), range(40)))
    assert len(store.read()) == 40
