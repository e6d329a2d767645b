# SPDX-License-Identifier: GPL-2.0
"""Fixtures that the tests of the daemon share: the program and a world."""

import os
from collections.abc import Iterator
from pathlib import Path

import namespaces
import pytest
from namespaces import TCPTUNED, open_to_all, run
from world import NOBODY, Daemon, World, learn


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, where everybody may run it."""
    if os.geteuid():
        pytest.skip("only root makes network namespaces")
    folder = tmp_path_factory.mktemp("build")
    open_to_all(folder)
    run("make", "-s", "-C", TCPTUNED, f"O={folder}", "all")
    return folder / "tcptuned"


@pytest.fixture
def world(program: Path, tmp_path: Path) -> Iterator[World]:
    """A namespace, with a path that was learned."""
    open_to_all(tmp_path)
    folders = [tmp_path / name for name in ("run", "state")]
    for folder in folders:
        folder.mkdir()
        os.chown(folder, NOBODY, NOBODY)
    with namespaces.hosts(tmp_path / "hosts", "alone") as (host,):
        world = World(host, program, *folders)
        learn(world)
        yield world


@pytest.fixture
def daemons() -> Iterator[list[Daemon]]:
    """Daemons that are put here do not outlive the test."""
    started: list[Daemon] = []
    yield started
    for daemon in started:
        if daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()
