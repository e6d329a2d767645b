# SPDX-License-Identifier: GPL-2.0
"""Fixtures that the tests of sense share: the programs and two hosts."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import namespaces
import pytest
from namespaces import NFS_PORT, Host


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs of these tests are, for everybody to run."""
    if os.geteuid():
        pytest.skip("only root makes network namespaces")
    folder = tmp_path_factory.mktemp("build")
    namespaces.open_to_all(folder)
    return namespaces.build(folder)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Host, Host]]:
    """A server and a client with a cable between them."""
    with namespaces.hosts(tmp_path, "server", "client") as (server, client):
        namespaces.join(server, client)
        server.serve(NFS_PORT)
        yield server, client


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What is put there is closed after the test."""
    with ExitStack() as stack:
        yield stack
