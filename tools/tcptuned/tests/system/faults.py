#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Whatever happens to the daemon, no value is lost.

faults PROGRAM [N] has N daemons killed at random, and N of a thousand of all
other faults happen to one: killed, or without room on the disk, at each system
call that writes; each byte of its ledger cut off or changed; clocks, devices,
peers, mounts and versions that change; values that others write. After each, a
restore leaves every value at its original or at what another program set, and a
daemon starts. It serves a connection over which data flows meanwhile.
"""

import contextlib
import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import namespaces
from world import NOBODY, RMEM, WMEM, Daemon, World, learn

THOUSAND = 1000
# A daemon is at work after some milliseconds; faults fall before and after.
AFTER_S = 0.1
THEIRS = "4096\t131072\t7000000"
# What says that nfsd serves; sunrpc itself need not be there.
NFSD = (
    "mount -t tmpfs none /proc/fs && mkdir /proc/fs/nfsd && echo tcp 2049 >/proc/fs/nfsd/portlist"
)
WRITES = "write,writev,?rename,renameat,fsync,?unlink,unlinkat,fchmod,fchown,?mkdir"
FOREVER = 1_000_000_000

Values = tuple[str, str]
# What is done, and what another program has set meanwhile.
Case = Callable[[], Values | None]


@dataclass
class Campaign:
    """A host that serves a client, and what was tried on it."""

    world: World
    client: namespaces.Host
    count: int
    rand: random.Random
    before: Values = field(init=False)
    tried: int = 0
    failed: int = 0
    changed: int = 0

    def __post_init__(self) -> None:
        self.before = self.world.values()

    def run(self, name: str, cases: list[Case]) -> None:
        """Have faults of one kind happen, and say what came of them."""
        start, failed = time.monotonic(), self.failed
        for case in cases:
            self.tried += 1
            try:
                self.settle(case())
            except (AssertionError, OSError, subprocess.SubprocessError) as why:
                self.failed += 1
                print(f"{name}: {why!r}", flush=True)
                self.reset()
        seconds = time.monotonic() - start
        print(
            f"{name}: tried {len(cases)}, failed {self.failed - failed} in {seconds:.0f} s",
            flush=True,
        )

    def some(self, cases: list[Case]) -> list[Case]:
        """Of a thousand as many as were asked for, one at least."""
        wanted = max(len(cases) * self.count // THOUSAND, 1)
        if wanted >= len(cases):
            return cases
        return self.rand.sample(cases, wanted)

    def settle(self, theirs: Values | None) -> None:
        """Restore: values are the originals or theirs; a daemon starts."""
        self.changed += self.world.values() != self.before
        done = self.world.call("restore")
        after = self.world.values()
        assert done.returncode == 0, f"restore: {done.stdout}{done.stderr}"
        assert after in (self.before, theirs), f"{after}: {done}"
        done = self.world.call("--once")
        assert done.returncode == 0, f"start: {done.stderr}"
        done = self.world.call("restore")
        assert done.returncode == 0, done
        assert self.world.values() == after, done
        self.reset()

    def reset(self) -> None:
        """As it was before, also when something failed."""
        self.set(self.before)
        for folder in (self.world.rundir, self.world.statedir):
            for path in folder.iterdir():
                path.unlink()
        learn(self.world)

    def set(self, values: Values) -> None:
        """Set both values, as another program."""
        for path, text in zip((RMEM, WMEM), values, strict=True):
            self.world.set(path, text)

    def at_work(self) -> Daemon:
        """A daemon that has changed the values."""
        daemon = self.started()
        daemon.wait_for(lambda: all(map(str.__ne__, self.world.values(), self.before)))
        return daemon

    def soon(self) -> None:
        """Wait until some moment before, while or after values change."""
        time.sleep(self.rand.uniform(0, AFTER_S))

    def started(self, *before: object) -> Daemon:
        """A daemon that starts, with what it is run by."""
        return self.world.start("--interval", "10ms", mounts=NFSD, before=before)


def end(daemon: Daemon, signum: signal.Signals = signal.SIGTERM) -> None:
    """End a daemon that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        daemon.end(signum)


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


def vanishing(campaign: Campaign) -> list[Case]:
    """The device, the namespace's name, the peer and nfsd's files go away."""
    server, client = campaign.world.host, campaign.client

    def device() -> None:
        namespaces.join(server, client, 2)
        daemon = campaign.started()
        campaign.soon()
        server.ip("link del veth2")
        campaign.soon()
        end(daemon)

    def peer() -> None:
        with traffic(server, client, "fd00:1::1"):
            daemon = campaign.started()
            campaign.soon()
        campaign.soon()
        end(daemon)

    def mount() -> None:
        gone = f"{NFSD} && {{ (sleep 0.05; umount /proc/fs) & }}"
        daemon = campaign.world.start("--interval", "10ms", mounts=gone)
        campaign.soon()
        end(daemon)

    return [device, peer, mount] * 10


@contextlib.contextmanager
def traffic(server: namespaces.Host, client: namespaces.Host, address: str) -> Iterator[None]:
    """Data flows to a client all the time."""
    done = threading.Event()

    def send(sock: socket.socket) -> None:
        while not done.wait(0.01):
            sock.sendall(bytes(16384))

    def receive(sock: socket.socket) -> None:
        while sock.recv(65536):
            pass

    with contextlib.ExitStack() as stack:
        ours, theirs = namespaces.connect(stack, server, client, address, namespaces.NFS_PORT)
        threads = [
            threading.Thread(target=send, args=(ours,)),
            threading.Thread(target=receive, args=(theirs,)),
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            done.set()
            threads[0].join()
            ours.shutdown(socket.SHUT_RDWR)
            threads[1].join()


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
        with traffic(server, client, "10.0.1.1"):
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
    "vanishing": vanishing,
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
