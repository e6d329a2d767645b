# SPDX-License-Identifier: GPL-2.0
"""What the tests share: kernels, trees, the figures that they keep.

BASE and KSRC of the environment say what kernel the guests run, as they do
for make.
"""

import dataclasses
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.kernel import lock, tree
from tools.testing.lab import image
from tools.testing.lab.bench import figures
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.laboratory import Lab

# Keeps a figure: scenario, setup, metric, value.
Keep = Callable[[str, str, str, float], None]
DAEMON = tree.REPO / "tools" / "tcptuned"
FIGURE = "figure"
KERNEL_JSON = tree.REPO / "out" / "kernel.json"
_figures: list[figures.Figure] = []


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
def keep(request: pytest.FixtureRequest, trees: tree.Trees) -> Keep:
    """Puts a figure that the test measured into out/kernel.json."""

    def one(scenario: str, setup: str, metric: str, value: float) -> None:
        row = figures.Figure(scenario, trees.base, setup, metric, value)
        # A property of the test, because its process is not the one that
        # writes the file.
        request.node.user_properties.append((FIGURE, dataclasses.asdict(row)))

    return one


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect the figures of a test, whichever process it ran in."""
    if report.when == "call":
        _figures.extend(
            figures.Figure(**row)
            for name, row in report.user_properties
            if name == FIGURE and isinstance(row, dict)
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the figures of all processes."""
    if _figures and not hasattr(session.config, "workerinput"):
        figures.merge(KERNEL_JSON, _figures)
