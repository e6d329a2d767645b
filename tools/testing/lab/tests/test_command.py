# SPDX-License-Identifier: GPL-2.0
"""The command line: several at once, errors, interrupts."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.kernel import tree
from tools.testing.lab.tests import synthetic
from tools.testing.lab.tests.laboratory import Lab

KERNEL = Path(tree.__file__).parent


def _command(lab: Lab) -> list[str]:
    """The command line of a copy of tools/kernel in the test's repository."""
    copy = lab.repo / "tools/kernel"
    if not copy.exists():
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(KERNEL, copy, ignore=skip)
    program = str(copy / "kernel")
    return [sys.executable, program, "tree", f"--ksrc={lab.ksrc}"]


def _instead(folder: Path, name: str, script: str) -> dict[str, str]:
    """An environment in which a shell script stands for a program."""
    program = folder / "bin" / name
    synthetic.write(folder, {f"bin/{name}": f"#!/bin/sh\n{script}\n"})
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path}


def test_two_at_once(lab: Lab, tmp_path: Path) -> None:
    slow = f'sleep 0.3; exec {shutil.which("cp")} "$@"'
    environment = _instead(tmp_path, "cp", slow)
    runs = [
        subprocess.Popen(
            _command(lab), env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    outputs = {run.communicate()[0] for run in runs}
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert len(outputs) == 1
    assert "patched: " in outputs.pop()


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_interrupt(
    lab: Lab, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    archive = tmp_path / "linux.tar.gz"
    synthetic.run("tar", "-C", lab.ksrc.parent, "-czf", archive, "linux")
    lab.ksrc = archive
    environment = _instead(tmp_path, "tar", "exec sleep 30")
    with subprocess.Popen(
        _command(lab), env=environment, stderr=subprocess.PIPE
    ) as run:
        deadline = time.monotonic() + 60
        while not list(lab.build.glob(".tmp/*/stock/tree")):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        run.send_signal(number)
        assert run.wait(timeout=60) == status
    assert [path.name for path in lab.build.iterdir()] == [".lock"]
