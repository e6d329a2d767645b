# SPDX-License-Identifier: GPL-2.0
"""What the tests share: kernels, trees, the figures that they keep.

BASE and KSRC of the environment say what kernel the guests run, as they do
for make.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.kernel import lock, tree
from tools.testing.lab import figures, image
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.synthetic import Lab

# Keeps a figure: scenario, setup, metric, value.
Keep = Callable[[str, str, str, float], None]
DAEMON = tree.REPO / "tools" / "tcptuned"


@dataclass(frozen=True)
class Images:
    """Both kernels of the lab, built, and the trees that they are of."""

    trees: tree.Trees
    stock: Path
    patched: Path


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A lab in a path with a space."""
    folder = tmp_path / "a path"
    folder.mkdir()
    lab = Lab(folder)
    yield lab
    # What the command builds lies outside such a path, see tree.folder().
    build = lab.repo / "build"
    if build.is_symlink():
        shutil.rmtree(build.resolve())


@pytest.fixture(scope="session")
def trees() -> tree.Trees:
    """The trees of the repository itself, for BASE and KSRC."""
    ksrc = os.environ.get("KSRC")
    base = os.environ.get("BASE")
    return tree.make(base or None, Path(ksrc) if ksrc else None)


@pytest.fixture(scope="session")
def images(trees: tree.Trees) -> Images:
    """Images to boot; built by the first test that asks."""
    return Images(
        trees,
        stock=image.build(trees.stock, trees.stock_key, tree.quiet),
        patched=image.build(trees.patched, trees.patched_key, tree.quiet),
    )


@pytest.fixture(scope="session")
def program() -> None:
    """The daemon, where scenarios look for it."""
    build = tree.folder()
    # Relative, because make splits a path with a space.
    folder = os.path.relpath(build / "tcptuned", DAEMON)
    with lock.held(build / ".tcptuned.lock", tree.quiet):
        subprocess.run(["make", "-s", "-C", DAEMON, f"O={folder}"], check=True)


@pytest.fixture(scope="session", autouse=True)
def _runs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Have the processes of a test run share what guests measured."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    measured.folder = folder / "runs"
    measured.folder.mkdir(exist_ok=True)


@pytest.fixture
def keep(trees: tree.Trees) -> Keep:
    """Puts a figure that the test measured into out/figures.csv."""

    def one(scenario: str, setup: str, metric: str, value: float) -> None:
        figures.keep(scenario, trees.base, setup, metric, value)

    return one
