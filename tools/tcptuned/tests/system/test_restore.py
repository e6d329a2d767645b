# SPDX-License-Identifier: GPL-2.0
"""Originals come back, however the daemon ends."""

import random
import signal
import time

import pytest
from world import NOBODY, RMEM, Daemon, World, at_work

pytest_plugins = ("world_hosts",)

KILLS = 60
# A daemon is at work after some milliseconds; kills fall before and after.
KILL_AFTER_S = 0.04


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_stop_puts_back(
    world: World, daemons: list[Daemon], signum: signal.Signals
) -> None:
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


def test_kill_at_any_moment(world: World) -> None:
    """SIGKILL at random moments, then restore: all is as it was."""
    before = world.values()
    seed = random.randrange(1 << 32)
    rand = random.Random(seed)
    changed = 0
    for number in range(KILLS):
        daemon = world.start("--interval", "10ms")
        time.sleep(rand.uniform(0, KILL_AFTER_S))
        daemon.end(signal.SIGKILL)
        changed += world.values() != before
        # Now and then the next one takes over what this one left.
        if number % 3 == 2:
            continue
        done = world.call("restore")
        where = f"kill {number}, seed {seed}: {done.stdout}{done.stderr}"
        assert done.returncode == 0, where
        assert world.values() == before, where
    assert world.call("restore").returncode == 0
    assert world.values() == before
    assert 5 <= changed < KILLS, f"{changed} of {KILLS} kills fell after it"


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
    [
        ("size=4k", "No space left on device"),
        ("size=64k,ro", "Read-only file system"),
    ],
)
def test_no_room_for_the_ledger(
    world: World, daemons: list[Daemon], options: str, reason: str
) -> None:
    """A full or read-only /run: it says so and writes nothing."""
    before = world.values()
    mount = (
        f"mount -t tmpfs -o mode=755,uid={NOBODY},gid={NOBODY},{options}"
        f" none {world.rundir}"
    )
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
    """What somebody else changes is theirs, until resume, also at the end."""
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


def test_foreign_change_and_kill(world: World, daemons: list[Daemon]) -> None:
    """What somebody else changed after a kill is not restored over."""
    before = world.values()
    at_work(world, daemons).end(signal.SIGKILL)
    theirs = "4096\t131072\t7000000"
    world.set(RMEM, theirs)
    done = world.call("restore")
    assert done.returncode == 0
    assert "tcp_rmem left at 7000000, which something else set" in done.stdout
    assert world.values() == (theirs, before[1])
    assert world.call("restore").stdout == "Nothing to restore.\n"


def test_upgrade(world: World, daemons: list[Daemon]) -> None:
    """A ledger of another version is set aside with a word."""
    before = world.values()
    at_work(world, daemons).end(signal.SIGKILL)
    changed = world.values()
    ledger = next(world.rundir.glob("ledger-*"))
    text = ledger.read_text()
    ledger.write_text(text.replace("tcptuned-ledger 2 ", "tcptuned-ledger 0 "))
    daemons.append(daemon := world.start())
    daemon.says(f"{ledger.name} was written by another version of tcptuned")
    assert daemon.end() == 0
    aside = ledger.with_name(f"{ledger.name}.damaged")
    assert world.values() == changed
    # Whoever knows better brings it back.
    aside.rename(ledger).write_text(text)
    assert world.call("restore").returncode == 0
    assert world.values() == before
