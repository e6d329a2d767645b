# SPDX-License-Identifier: GPL-2.0
"""A campaign of faults: what they happen to, and what must come of them."""

import contextlib
import random
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import namespaces
from world import RMEM, WMEM, Daemon, World, learn

THOUSAND = 1000
THEIRS = "4096\t131072\t7000000"
# A daemon is at work after some milliseconds; faults fall before and after.
AFTER_S = 0.1
# What says that nfsd serves; sunrpc itself need not be there.
NFSD = (
    "mount -t tmpfs none /proc/fs && mkdir /proc/fs/nfsd && echo tcp 2049 >/proc/fs/nfsd/portlist"
)

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
