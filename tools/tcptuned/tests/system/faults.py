#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Whatever happens to the daemon, no value is lost.

faults PROGRAM [N] has N daemons killed at random, and N of a thousand of all
other faults happen to one: killed, or without room on the disk, at each system
call that writes; each byte of its ledger cut off or changed; clocks, devices,
peers, mounts, namespaces and versions that change; values that others write.
After each, a restore leaves every value at its original or at what another
program set, and a daemon starts. It serves a connection over which data flows
meanwhile.
"""

import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import namespaces
import vanish
from campaign import NFSD, THEIRS, THOUSAND, Campaign, Case, Values, end
from world import NOBODY, RMEM, World, learn

WRITES = "write,writev,?rename,renameat,fsync,?unlink,unlinkat,fchmod,fchown,?mkdir"
FOREVER = 1_000_000_000


def kills(campaign: Campaign) -> list[Case]:
    """SIGKILL at random moments; now and then another daemon follows."""

    def kill() -> None:
        for _ in range(campaign.rand.choice((1, 1, 2))):
            daemon = campaign.started()
            campaign.soon()
            end(daemon, signal.SIGKILL)

    return [kill] * campaign.count


def calls(campaign: Campaign, fault: str) -> list[Case]:
    """A fault at the first, second, ... call that writes, to the last one."""
    world = campaign.world
    strace = ("strace", "-D", "-qqq", "-e", f"trace={WRITES}", "-o")

    def inject(word: str, number: int) -> None:
        if word == "restore":
            end(campaign.at_work(), signal.SIGKILL)
        where = f"inject={WRITES}:{fault.format(number)}"
        before = (*strace, "/dev/null", "-e", where)
        done = world.call(word, mounts=NFSD, before=before)
        assert done.returncode in (0, 1, -signal.SIGKILL), done

    def count(word: str) -> int:
        with tempfile.NamedTemporaryFile() as trace:
            done = world.call(word, before=(*strace, trace.name))
            assert done.returncode == 0, done.stderr
            return len(Path(trace.name).read_text().splitlines())

    return [
        partial(inject, word, number)
        for word in ("--once", "restore")
        for number in range(1, count(word) + 1)
    ]


def ledgers(campaign: Campaign, *, versions: bool) -> list[Case]:
    """A ledger that is cut or changed, or of another version."""
    end(campaign.at_work(), signal.SIGKILL)
    world, ours = campaign.world, campaign.world.values()
    ledger = next(world.rundir.glob("ledger-*"))
    whole = ledger.read_bytes()
    campaign.reset()

    def damaged(data: bytes) -> None:
        campaign.set(ours)
        ledger.write_bytes(data)
        done = world.call("restore")
        assert done.returncode == 0, done.stderr
        lost = world.values()
        for now, was, set_ in zip(lost, campaign.before, ours, strict=True):
            assert now in (was, set_), f"{data!r}: {lost}"
        assert lost == campaign.before or (data != older and "the ledger" in done.stderr), (
            f"{data!r}: {done}"
        )
        # What no ledger knows any more is nobody's to restore.
        campaign.before, original = lost, campaign.before
        try:
            campaign.settle(None)
        finally:
            campaign.before = original
            campaign.reset()

    cut = [whole[:length] for length in range(len(whole))]
    flipped = [
        whole[:at] + bytes((whole[at] ^ 1 << campaign.rand.randrange(8),)) + whole[at + 1 :]
        for at in range(len(whole))
    ]
    others = [whole.replace(b"-ledger 2 ", b"-ledger %d " % version) for version in (0, 1, 3)]
    # The version before had neither hashes nor an end.
    lines = [line.rpartition(b" ")[0] for line in whole.splitlines()[:-1]]
    older = b"\n".join((*lines, b"")).replace(b"-ledger 2 ", b"-ledger 1 ")
    files = [*others, older] if versions else [*cut, *flipped]
    return [partial(damaged, data) for data in files]


def states(campaign: Campaign) -> list[Case]:
    """Learned paths and a status of other times and versions."""
    world = campaign.world

    def state(name: str, text: str) -> None:
        folder = world.rundir if name == "status.json" else world.statedir
        (folder / name).write_text(text)
        daemon = campaign.started()
        daemon.wait_for((world.rundir / "status.json").exists)
        campaign.soon()
        end(daemon)

    learned = json.loads((world.statedir / "paths.json").read_text())
    now = int(time.time())
    texts = [("status.json", text) for text in ("", "{}", '{"version": 9}')]
    texts += [("paths.json", text) for text in ("", "[]", '{"version": 0}')]
    for seen in (0, 1, now - 10**9, now + 10**9, 2**53, -1, 1e300):
        learned["paths"][0]["seen"] = seen
        texts.append(("paths.json", json.dumps(learned)))
    return [partial(state, name, text) for name, text in texts]


def clocks(campaign: Campaign) -> list[Case]:
    """A daemon is killed, and the next one has another clock."""

    def step(seconds: int) -> None:
        end(campaign.at_work(), signal.SIGKILL)
        daemon = campaign.started("unshare", "-T", f"--monotonic={seconds}")
        campaign.soon()
        end(daemon, campaign.rand.choice((signal.SIGTERM, signal.SIGKILL)))

    ages = (-1000, 1, 60, 3600, 86400, FOREVER)
    return [partial(step, age) for age in ages]


def foreign(campaign: Campaign) -> list[Case]:
    """Somebody else writes at random moments, and it stays."""
    world = campaign.world

    def write() -> Values:
        daemon = campaign.started()
        campaign.soon()
        world.set(RMEM, THEIRS)
        campaign.soon()
        end(daemon, campaign.rand.choice((signal.SIGTERM, signal.SIGKILL)))
        return (THEIRS, campaign.before[1])

    return [write] * max(campaign.count // 10, 1)


def campaign(program: Path, folder: Path, count: int) -> Campaign:
    """All of it; what came of it."""
    names = ("run", "state")
    for name in names:
        (folder / name).mkdir()
        shutil.chown(folder / name, NOBODY, NOBODY)
    namespaces.open_to_all(folder)
    seed = random.randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    with namespaces.hosts(folder / "hosts", "server", "client") as (server, client):
        namespaces.join(server, client)
        world = World(server, program, *(folder / name for name in names))
        learn(world)
        made = Campaign(world, client, count, random.Random(seed))
        with vanish.traffic(server, client, "10.0.1.1"):
            made.run("killed at random", kills(made))
            for name, fault in FAULTS.items():
                made.run(name, made.some(calls(made, fault)))
            for name, cases in OTHERS.items():
                made.run(name, made.some(cases(made)))
            made.run("ledger of versions", ledgers(made, versions=True))
            made.run("written by others", foreign(made))
    return made


FAULTS = {
    "killed at a write": "signal=KILL:when={}",
    "a write fails": "error=ENOSPC:when={}",
    "disk full from a write on": "error=ENOSPC:when={}+",
    "disk read-only from a write on": "error=EROFS:when={}+",
}
OTHERS: dict[str, Callable[[Campaign], list[Case]]] = {
    "ledger cut or changed": partial(ledgers, versions=False),
    "state of other times and versions": states,
    "clock steps": clocks,
    "vanishing": vanish.vanishing,
    "deleted": vanish.deleted,
}


def main(argv: list[str]) -> int:
    """Run the campaign; 0 if nothing failed."""
    if len(argv) not in (1, 2):
        print("usage: faults PROGRAM [N]", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        folder = Path(name)
        # Where everybody may run it.
        program = Path(shutil.copy(argv[0], folder))
        made = campaign(program, folder, int(argv[1]) if argv[1:] else THOUSAND)
    print(f"values were changed in {made.changed}")
    print(f"tried {made.tried}, failed {made.failed}")
    return 1 if made.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
