# SPDX-License-Identifier: GPL-2.0
"""What the series costs: pairs, their spread, and what fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.kernel import tree
from tools.kernel.errors import LabError
from tools.testing.lab.bench import cost


def test_failed_guest(tmp_path: Path) -> None:
    """One that fails ends those that wait for it, and is named."""
    programs = {"stock": "echo 'lab: getattr'; sleep 60", "patched": "exit 1"}
    images = {}
    for kernel, program in programs.items():
        image = tmp_path / kernel
        image.write_text(f"#!/bin/sh\n{program}\n")
        image.chmod(0o755)
        images["", kernel] = ("7.2", image)
    with pytest.raises(LabError, match="guest patched ended without a result"):
        cost.block(images, [cost.BASE, cost.OTHERS[0]], tree.quiet)


def _block(stock: float, patched: float) -> dict[str, cost.Costs]:
    block = {
        kind.name: dict.fromkeys(cost.MEASURED, stock) for kind in cost.KINDS
    }
    block["patched"]["getattr"] = patched
    return block


def test_figures() -> None:
    """Ratios of the pairs of a block, never of two blocks."""
    blocks = [_block(10, 11), _block(20, 24), _block(10, 10)]
    rows = cost.figures("7.2.13", "1234", blocks)
    assert len(rows) == len(cost.MEASURED) * len(cost.OTHERS)
    first, *rest = rows
    assert (first["calls"], first["kind"]) == ("getattr", "patched")
    assert (first["median"], first["low"], first["high"]) == (1.1, 1, 1.2)
    assert (first["pairs"], first["confidence"]) == (3, 0.75)
    assert all(row["low"] == row["high"] == 1 for row in rest)
    text = cost.text(rows)
    assert "1.100 (1.000 to 1.200)" in text
    assert "median of 3 pairs and its 75% interval" in text
