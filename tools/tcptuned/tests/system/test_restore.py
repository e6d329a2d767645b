# SPDX-License-Identifier: GPL-2.0
"""Originals come back, however the daemon ends; faults.py kills it."""

import signal
import time

import pytest
from world import NOBODY, RMEM, Daemon, World, at_work

pytest_plugins = ("world_hosts",)


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_stop_puts_back(world: World, daemons: list[Daemon], signum: signal.Signals) -> None:
    """It is stopped, or Ctrl-C is pressed: all is as it was."""
    before = world.values()
    daemon = at_work(world, daemons)
    after = world.values()
    for was, now in zip(before, after, strict=True):
        assert was.split()[:2] == now.split()[:2]
        assert int(now.split()[2]) > int(was.split()[2])
    assert daemon.end(signum) == 0
    assert world.values() == before
    assert not (world.rundir / "status.json").exists()
    assert "net.ipv4.tcp_rmem restored to" in daemon.log()


def test_hands_over(world: World, daemons: list[Daemon]) -> None:
    """A restart leaves the values to the next daemon, and a stop does not."""
    before = world.values()
    daemon = at_work(world, daemons)
    assert daemon.end(signal.SIGUSR2) == 5
    after = world.values()
    assert after != before
    daemons.append(daemon := world.start())
    daemon.wait_for((world.rundir / "status.json").exists)
    assert world.values() == after
    assert daemon.end() == 0, daemon.log()
    assert world.values() == before


@pytest.mark.parametrize(
    ("options", "reason"),
    [("size=4k", "No space left on device"), ("size=64k,ro", "Read-only file system")],
)
def test_no_room_for_the_ledger(
    world: World, daemons: list[Daemon], options: str, reason: str
) -> None:
    """A full or read-only /run: it says so and writes nothing."""
    before = world.values()
    mount = f"mount -t tmpfs -o mode=755,uid={NOBODY},gid={NOBODY},{options} none {world.rundir}"
    if "ro" not in options:
        mount += f" && cat /dev/zero >{world.rundir}/junk 2>/dev/null; true"
    daemons.append(daemon := world.start(mounts=mount))
    daemon.says(reason)
    time.sleep(1)
    assert world.values() == before
    assert daemon.end() == 0
    assert world.values() == before
    # Ledger, status and metrics, a line each.
    assert daemon.log().count(reason) <= 3


def test_foreign_change(world: World, daemons: list[Daemon]) -> None:
    """What another program changes is its own, until resume, also at the end."""
    before = world.values()
    daemon = at_work(world, daemons)
    theirs = "4096\t131072\t7000000"
    world.set(RMEM, theirs)
    daemon.says("net.ipv4.tcp_rmem was changed by something else")
    time.sleep(1)
    assert world.value(RMEM) == theirs
    assert world.call("resume").returncode == 0
    daemon.wait_for(lambda: world.value(RMEM) != theirs)
    assert daemon.end() == 0
    assert world.values() == (theirs, before[1])
    assert daemon.log().count("was changed by something else") == 1
