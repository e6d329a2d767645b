# SPDX-License-Identifier: GPL-2.0
"""The metrics as Prometheus takes them, and disks that do not."""

import signal
import subprocess
from pathlib import Path

import pytest
from world import CONF, NOBODY, Daemon, World, at_work

pytest_plugins = ("world_hosts",)

NAME = "metrics.prom"


def metrics_of(world: World, daemon: Daemon) -> Path:
    """The file, once it is there."""
    file = world.rundir / NAME
    daemon.wait_for(file.exists)
    return file


def test_promtool(world: World, daemons: list[Daemon]) -> None:
    """The file is as Prometheus wants it, and goes with the daemon."""
    daemon = at_work(world, daemons)
    file = metrics_of(world, daemon)
    text = file.read_text()
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert 'tunable="net.ipv4.tcp_rmem"' in text
    assert f'daemon="{world.rundir.name}"' in text
    assert daemon.end() == 0
    assert not file.exists()


def test_configured(world: World, daemons: list[Daemon], tmp_path: Path) -> None:
    """A configured file takes the place of the other, at once."""
    conf = tmp_path / "conf"
    conf.write_text(CONF)
    daemon = at_work(world, daemons, "--config", conf)
    file = metrics_of(world, daemon)
    other = world.statedir / "nfs.prom"
    conf.write_text(f"{CONF}metrics = {other}\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for(other.exists)
    assert not file.exists()
    conf.write_text(CONF + "metrics = no\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for(lambda: not other.exists())
    assert daemon.end() == 0


# What is wrong with the folder, and what the one line about it says.
TMPFS = f"mount -t tmpfs -o mode=755,uid={NOBODY},size=4k"
TROUBLES = {
    "missing": ("rmdir {}", "No such file or directory"),
    "full": (f"{TMPFS},nr_inodes=1 x {{}}", "No space left"),
    "short": (f"{TMPFS} x {{}}", "No space left"),
    "read-only": (f"{TMPFS},ro x {{}}", "Read-only file system"),
    "not ours": ("chmod 755 {}", "Permission denied"),
    "everybody's": ("chmod 777 {}", "Operation not permitted"),
}


@pytest.mark.parametrize("case", TROUBLES.values(), ids=TROUBLES)
def test_problems(
    world: World, daemons: list[Daemon], tmp_path: Path, case: tuple[str, str]
) -> None:
    """One line, and the daemon does its work."""
    command, words = case
    folder = tmp_path / "collector"
    folder.mkdir()
    conf = tmp_path / "conf"
    conf.write_text(f"{CONF}metrics = {folder}/nfs.prom\n")
    before = world.values()
    daemon = world.start(*("--config", conf, "--interval", "50ms"), mounts=command.format(folder))
    daemons.append(daemon)
    daemon.says(f"cannot write metrics to {folder}/nfs.prom: {words}")
    daemon.wait_for(lambda: world.values() != before)
    assert daemon.log().count("cannot write metrics") == 1
    assert daemon.end() == 0
    assert world.values() == before
