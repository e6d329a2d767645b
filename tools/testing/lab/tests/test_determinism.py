# SPDX-License-Identifier: GPL-2.0
"""A run is the same to the last bit, wherever and beside whatever it runs."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.kernel import tree
from tools.testing.lab import scenario
from tools.testing.lab.guest import guest
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.tests.wan import plan, rates

WAN = {"wan": {"rate_mbit": 1000, "delay_ms": 15}}
FILE = {"host": "wan", "size_mib": 100, "passes": 2}
PHASES = [
    {"name": "write", "jobs": [{"do": "write", **FILE}]},
    {"name": "read", "jobs": [{"do": "read", **FILE}]},
]
PLAN = plan(clients=WAN, phases=PHASES, memory_mb=1000)
# Runs a scenario by the lab of the repository in the working folder.
ELSEWHERE = """
import json, pathlib, sys
sys.path.insert(0, "")
from tools.kernel import tree
from tools.testing.lab import scenario
from tools.testing.lab.guest import guest
plan = scenario.from_dict(json.load(sys.stdin))
print(json.dumps(guest.run(pathlib.Path(sys.argv[1]), plan, tree.quiet)))
"""


@contextlib.contextmanager
def _busy(processes: int) -> Iterator[None]:
    """Keep so many processors from doing anything else."""
    loop = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(loop) for _ in range(processes)]
    try:
        yield
        assert all(process.poll() is None for process in running)
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def once(images: Images) -> dict[str, Any]:
    """All that a run measured."""
    return guest.run(images.patched, PLAN, tree.quiet)


def test_runs_repeat(images: Images, once: dict[str, Any]) -> None:
    """To the last bit, each time, each size, each port, on a busy machine."""
    assert len(rates(once)) == 4
    with _busy(2):
        assert guest.run(images.patched, PLAN, tree.quiet) == once


def test_place_does_not_matter(images: Images, once: dict[str, Any], tmp_path: Path) -> None:
    """A repository further down, with spaces in its path, gives the same."""
    repo = tmp_path / "a" / "b b" / "c"
    shutil.copytree(tree.REPO / "tools", repo / "tools")
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, images.patched],
        input=json.dumps(scenario.to_dict(PLAN)),
        stdout=subprocess.PIPE,
        text=True,
        cwd=repo,
        check=True,
    )
    assert json.loads(done.stdout) == once


def test_seed_matters(images: Images, once: dict[str, Any]) -> None:
    """Another one gives other ports, and much the same figures."""
    other = guest.run(images.patched, PLAN, tree.quiet, seed=1)
    ports = [run["phases"][0]["server_sockets"].keys() for run in (once, other)]
    assert ports[0] != ports[1]
    assert rates(other) == pytest.approx(rates(once), rel=0.02)
