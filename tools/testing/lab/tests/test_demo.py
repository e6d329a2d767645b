# SPDX-License-Identifier: GPL-2.0
"""The demo's arithmetic, on results that no guest measured."""

from __future__ import annotations

from typing import Any

import pytest

from tools.testing.lab import demo


def _live() -> dict[str, Any]:
    """100 MB/s for 2 s, 500 for one second, then 1,000."""
    samples, moved = [], 0.0
    for index in range(21):
        time_s = index * 0.25
        samples.append({"t_s": time_s, "moved_bytes": {"read": moved}})
        rate = 100e6 if time_s < 2 else 500e6 if time_s < 3 else 1000e6
        moved += rate * 0.25
    phase = {"samples": samples, "server_sockets": {"10.0.0.2:1": {}}}
    return {"phases": [{"samples": []}, phase]}


def test_rows() -> None:
    passes = [{"mb_per_s": 10}, {"mb_per_s": 20}]
    result = {"phases": [{"name": "write", "jobs": [{"passes": passes}]}]}
    run = demo.Run("ibm-2008", "default", "stock")
    (row,) = demo._rows(run, result, "7.2.13")
    assert (row["cold_mb_per_s"], row["mb_per_s"]) == (10, 20)
    assert (row["rate_mbit"], row["rtt_ms"]) == (1000, 30)
    assert row["limit_mb_per_s"] == pytest.approx(119.5, abs=0.1)


def test_live_rows() -> None:
    run = demo.Run("live", None, "patched")
    default, tuned = demo._rows(run, _live(), "7.2.13")
    assert (default["setup"], tuned["setup"]) == ("default", "tuned")
    assert default["mb_per_s"] == pytest.approx(100)
    # Steady is what comes a second after the echo.
    assert tuned["cold_mb_per_s"] == pytest.approx(500)
    assert tuned["mb_per_s"] == pytest.approx(1000)
