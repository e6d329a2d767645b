# SPDX-License-Identifier: GPL-2.0
"""out/kernel.json: new figures take the place of old ones, others stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.kernel.errors import LabError
from tools.testing.lab.bench.figures import Figure, merge

OLD = Figure("gate", "7.2", "patched gate", "lan_p99_ms", 0.5)
NEW = Figure("gate", "7.2", "patched gate", "lan_p99_ms", 0.4)
OTHER = Figure("gate", "6.1", "patched gate", "lan_p99_ms", 0.6)


def test_merge(tmp_path: Path) -> None:
    file = tmp_path / "out" / "kernel.json"
    merge(file, [OLD])
    merge(file, [OTHER])
    merge(file, [NEW])
    rows = json.loads(file.read_text())
    keys = ["scenario", "base", "setup", "metric", "value"]
    assert [list(row) for row in rows] == [keys, keys]
    assert [Figure(**row) for row in rows] == [OTHER, NEW]


@pytest.mark.parametrize("text", ["[", "3", '[{"a": 1}]'])
def test_damaged_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "kernel.json"
    file.write_text(text)
    with pytest.raises(LabError, match=r"kernel\.json: .*; delete it"):
        merge(file, [NEW])
    assert file.read_text() == text
