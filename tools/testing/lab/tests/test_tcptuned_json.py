# SPDX-License-Identifier: GPL-2.0
"""out/tcptuned.json, and what it says of cells below their limit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import bounds
import tcptuned_json
from errors import LabError
from tcptuned_json import figure, merge, printed, read

CELL = {
    "rate_mbit": 10000,
    "rtt_ms": 60,
    "direction": "read",
    "nfs": "3",
    "kernel": "7.2 patched",
    "setup": "tcptuned",
    "mb_per_s": 1117.0,
    "limit_mb_per_s": 1195.5,
    "settle_s": None,
    "deadline_s": 6.2,
    "tcp_mem_bytes": 70 << 20,
    "tcp_mem_pressure_bytes": 600 << 20,
    "window_max_bytes": 65535 << 10,
}
OTHER = figure("cost", "6.18", "idle", "wakeups_per_s", 0.5)


def test_rows_of_both_kinds(tmp_path: Path) -> None:
    file = tmp_path / "out" / "tcptuned.json"
    merge([CELL], file)
    merge([OTHER, {**CELL, "direction": "write"}], file)
    merge([{**OTHER, "value": 0.4}], file)
    found = {tcptuned_json.name(row): row for row in read(file)}
    assert len(found) == 3
    assert found[tcptuned_json.name(OTHER)]["value"] == 0.4


def test_at_the_same_time(tmp_path: Path) -> None:
    """An interrupted or crowded grid loses no cell that it measured."""
    file = tmp_path / "tcptuned.json"
    cells = [[{**CELL, "rtt_ms": number}] for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda rows: merge(rows, file), cells))
    assert len(read(file)) == 40


@pytest.mark.parametrize("text", ["[", "3", '[{"a": 1}]'])
def test_damaged_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tcptuned.json"
    file.write_text(text)
    with pytest.raises(LabError, match=r"tcptuned\.json: .*; delete it"):
        merge([OTHER], file)
    assert file.read_text() == text


def test_printed() -> None:
    text = "ok 1 a\n# figure: 1,000 peers, reserved_bytes 2047000\n# figure\n"
    (row,) = printed(text)
    assert (row["scenario"], row["value"]) == ("1,000 peers", 2047000)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "67,107,840 bytes / 60 ms = 1118 MB/s"),
        ({"mb_per_s": 1190.0, "settle_s": 2.0}, None),
        ({"mb_per_s": 1190.0, "settle_s": 7.0}, ""),
        ({"mb_per_s": 700.0}, ""),
        ({"kernel": "7.2 stock"}, None),
        ({"window_max_bytes": 65535 << 12, "rtt_ms": 200}, "956 MB of buffers"),
        (
            {
                "window_max_bytes": 65535 << 12,
                "rtt_ms": 200,
                "direction": "write",
            },
            "",
        ),
    ],
)
def test_why(change: dict[str, Any], said: str | None) -> None:
    """said is None: it reaches its limit; "": nobody knows why not."""
    row = {**CELL, **change}
    text, explained = bounds.text([row])
    assert bounds.reaches(row) == (said is None)
    assert explained == (said != "")
    assert (said or "") in text
