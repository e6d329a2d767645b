# SPDX-License-Identifier: GPL-2.0
"""What is said of cells of the grid that are below their limit."""

from __future__ import annotations

from typing import Any

import pytest

from tools.testing.lab import bounds

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
