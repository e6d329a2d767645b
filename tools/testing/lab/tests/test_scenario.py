# SPDX-License-Identifier: GPL-2.0
"""Scenarios: every file loads, and what is wrong is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.kernel.errors import LabError
from tools.testing.lab import scenario

PLAIN = """\
title = "a test"
[clients.wan]
rate_mbit = 1000
delay_ms = 15
[[phases]]
name = "write"
jobs = [{ do = "write", host = "wan", size_mib = 5 }]
"""
SETUPS = """\
[setups.default]
[setups.tuned]
memory_mb = 9
[setups.tuned.server.sysctl]
"net.core.rmem_max" = 1
[setups.tuned.clients.wan]
delay_ms = 2.5
[setups.tuned.clients.lan]
rate_mbit = 1
delay_ms = 1
[[setups.tuned.phases]]
name = "other"
jobs = [{ do = "run", host = "server", command = "true" }]
"""


def _load(folder: Path, text: str, setup: str | None = None) -> scenario.Scenario:
    file = folder / "mine.toml"
    file.write_text(text)
    return scenario.load(str(file), setup)


def test_setup_is_laid_over(tmp_path: Path) -> None:
    plain = _load(tmp_path, PLAIN + SETUPS)
    assert plain == _load(tmp_path, PLAIN + SETUPS, "default")
    assert scenario.setups(str(tmp_path / "mine.toml")) == ["default", "tuned"]
    tuned = _load(tmp_path, PLAIN + SETUPS, "tuned")
    assert tuned.memory_mb == 9
    assert tuned.server.sysctl == {"net.core.rmem_max": 1}
    # Tables key by key, lists as a whole.
    assert tuned.clients == {
        "wan": scenario.Client(rate_mbit=1000, delay_ms=2.5),
        "lan": scenario.Client(rate_mbit=1, delay_ms=1),
    }
    assert [phase.name for phase in tuned.phases] == ["other"]


COUNTED = """\
title = "many"
[clients.far]
rate_mbit = 1
delay_ms = 50
[clients.near]
rate_mbit = 10
delay_ms = 1
count = 3
[[phases]]
name = "write"
jobs = [
    { do = "write", host = "near", file = "of-{host}", size_mib = 1 },
    { do = "read", host = "far", file = "{host}", size_mib = 1 },
]
events = [{ at_s = 1, host = "near", sysctl = { "a.b" = 1 } }]
"""


def test_count(tmp_path: Path) -> None:
    plan = _load(tmp_path, COUNTED)
    near = ["near-1", "near-2", "near-3"]
    client = scenario.Client(rate_mbit=10, delay_ms=1)
    assert list(plan.clients) == ["far", *near]
    assert [plan.clients[name] for name in near] == [client] * 3
    jobs = plan.phases[0].jobs
    assert [(job.host, job.file) for job in jobs] == [
        *((name, f"of-{name}") for name in near),
        ("far", "far"),
    ]
    assert [event.host for event in plan.phases[0].events] == near
    assert scenario.from_dict(scenario.to_dict(plan)) == plan
    assert scenario.alike(plan, "near") == near
    assert scenario.alike(plan, "far") == ["far"]


# What is replaced in PLAIN, by what, and what the error says.
WRONG = {
    "unknown key": ("delay_ms", "delay", ".clients.wan: unknown key delay"),
    "missing key": ("delay_ms = 15\n", "", "'delay_ms'"),
    "text for a number": ("15", '"15"', ".delay_ms: '15' is not float or int"),
    "fraction": ("size_mib = 5", "size_mib = 0.5", "0.5 is not int"),
    "unknown host": ('host = "wan"', 'host = "wam"', "no host 'wam'"),
    "no end": ('do = "write"', 'do = "stat"', "phase 'write' never ends"),
}


@pytest.mark.parametrize(("old", "new", "said"), WRONG.values(), ids=WRONG)
def test_error(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in PLAIN
    with pytest.raises(LabError, match=r"mine\.toml") as caught:
        _load(tmp_path, PLAIN.replace(old, new, 1))
    assert said in str(caught.value)


def test_files() -> None:
    for file in scenario.FOLDER.glob("*.toml"):
        for setup in [None, *scenario.setups(str(file))]:
            assert scenario.load(file.stem, setup).phases
