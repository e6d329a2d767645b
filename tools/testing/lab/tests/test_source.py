# SPDX-License-Identifier: GPL-2.0
"""Packages: which one is taken, and what happens when it is damaged."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools.kernel import apt, source
from tools.kernel.errors import LabError, Unavailable
from tools.testing.lab.tests import synthetic
from tools.testing.lab.tests.synthetic import Archive, Key, Machine

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("apt-get", "dpkg-deb", "gpg", "xz"))),
    reason="needs apt, dpkg-deb, gpg and xz to make a signed archive",
)


@pytest.fixture(scope="session")
def keys() -> Iterator[tuple[Key, Key]]:
    """The archive's key and a stranger's."""
    # Not below tmp_path: an agent's socket needs a short path.
    with tempfile.TemporaryDirectory() as folder:
        made = Key(Path(folder) / "a"), Key(Path(folder) / "b")
        yield made
        for key in made:
            key.close()


class World:
    """An archive, a machine that reads it, and the project's folders."""

    def __init__(self, folder: Path, key: Key) -> None:
        self.archive = Archive(folder / "archive", key)
        self.archive.suite("bookworm", "6.12.5")
        self.archive.suite("unstable", "7.2.13")
        self.machine = Machine(folder / "machine", self.archive, "bookworm")
        self.machine.update()
        (self.machine.folder / "hook").unlink()
        repo = synthetic.repo(folder / "repo", ("6.12", "7.2"))
        self.patches = repo / "patches"
        self.build = repo / "build"
        self.said: list[str] = []

    def fetch(self, base: str) -> Path:
        """Fetch a base's package."""
        return source.fetch(base, self.build, self.said.append)

    def choose(self, *ready: str) -> source.Choice:
        """Choose a base when trees of others are there."""
        self.build.mkdir(exist_ok=True)
        return source.choose(
            self.patches, self.build, ready.__contains__, self.said.append
        )

    def kept(self) -> list[str]:
        """What a later run would trust."""
        found = (self.build / "download").glob("*")
        return sorted(path.name for path in found if path.is_file())


@pytest.fixture
def world(
    tmp_path: Path, keys: tuple[Key, Key], monkeypatch: pytest.MonkeyPatch
) -> World:
    """A world in a path with a space."""
    folder = tmp_path / "a path"
    folder.mkdir()
    made = World(folder, keys[0])
    monkeypatch.setenv("APT_CONFIG", str(made.machine.config))
    monkeypatch.setattr(apt, "KEYRING", keys[0].public)
    return made


@pytest.mark.parametrize(
    ("base", "version"), [("6.12", "6.12.5"), ("7.2", "7.2.13")]
)
def test_fetch_own_and_other_suite(
    world: World, base: str, version: str
) -> None:
    package = world.fetch(base)
    assert source.origin(package) == f"linux-source-{base} {version}-1"
    assert world.kept() == [package.name, package.name + ".sha256"]


def test_machine_is_left_alone(world: World) -> None:
    before = synthetic.snapshot(world.machine.folder)
    world.fetch("7.2")
    after = synthetic.snapshot(world.machine.folder)
    caches = {"cache/pkgcache.bin", "cache/srcpkgcache.bin"}
    assert {n: after[n] for n in after if n not in caches} == {
        n: before[n] for n in before if n not in caches
    }


def test_kept_package(world: World) -> None:
    package = world.fetch("7.2")
    whole = package.read_bytes()
    package.write_bytes(whole[:-1])
    assert world.fetch("7.2").read_bytes() == whole
    assert any("damaged" in line for line in world.said)
    shutil.rmtree(world.archive.folder)
    assert world.fetch("7.2") == package


def _changed(world: World, stranger: Key) -> None:
    deb = world.archive.deb("7.2.13")
    data = bytearray(deb.read_bytes())
    data[-1] ^= 1
    deb.write_bytes(data)


def _forged_index(world: World, stranger: Key) -> None:
    index = world.archive.index("unstable")
    index.write_text(index.read_text().replace("test", "evil"))


def _strange_key(world: World, stranger: Key) -> None:
    world.archive.release("unstable", stranger)


@pytest.mark.parametrize("harm", [_changed, _forged_index, _strange_key])
def test_damage_stops_and_leaves_nothing(
    world: World, keys: tuple[Key, Key], harm: Callable[[World, Key], None]
) -> None:
    harm(world, keys[1])
    with pytest.raises(LabError, match="signature or checksum") as caught:
        world.choose()
    assert not isinstance(caught.value, Unavailable)
    assert "KSRC=" in str(caught.value)
    assert world.kept() == []


def test_choose_older_with_reason(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(world.archive.folder / "dists/unstable")
    choice = world.choose()
    assert choice.base == "6.12"
    assert choice.package is not None
    assert "7.2 cannot be had" in choice.note
    # The next run asks nobody, and says the same.
    monkeypatch.delattr(source, "_fetch")
    again = world.choose("6.12")
    assert (again.base, again.note) == ("6.12", choice.note)
