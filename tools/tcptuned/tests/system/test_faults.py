# SPDX-License-Identifier: GPL-2.0
"""A short run of the campaign of faults; "make faults" is the long one."""

from pathlib import Path

import faults
import pytest

pytest_plugins = ("world_hosts",)

KILLS = 20


def test_faults(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Some of each kind of fault, and none loses a value."""
    made = faults.campaign(program, tmp_path, KILLS)
    assert not made.failed, capsys.readouterr().out
    assert made.tried > KILLS
    assert made.changed
