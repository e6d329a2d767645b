# SPDX-License-Identifier: GPL-2.0
"""A network namespace with the daemon in it, which runs without root.

A path that an earlier run learned has it set net.ipv4.tcp_rmem and tcp_wmem,
which every namespace has and of which the kernel here knows nothing better. It
is not connected, so the configuration has to ask for that.
"""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from namespaces import Host

NOBODY = 65534
SETPRIV = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    "--no-new-privs",
)
CAPABLE = (
    *("--bounding-set=-all,+net_admin", "--inh-caps=-all,+net_admin"),
    "--ambient-caps=-all,+net_admin",
)
POWERLESS = ("--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all")

RMEM = "/proc/sys/net/ipv4/tcp_rmem"
WMEM = "/proc/sys/net/ipv4/tcp_wmem"
PEER = "192.0.2.1"
TIMEOUT_S = 20
# Has learned paths set what every socket gets.
CONF = "tcp_limits = always\n"


@dataclass
class World:
    """A namespace, the program, and its folders."""

    host: Host
    program: Path
    rundir: Path
    statedir: Path

    def command(
        self,
        *words: object,
        capable: bool = True,
        mounts: str = "",
        before: tuple[object, ...] = (),
    ) -> list[str]:
        """A command line that runs the program as nobody."""
        conf = self.statedir.parent / "always.conf"
        conf.write_text(CONF)
        service = not words or str(words[0]).startswith("-")
        given = "--config" in words or "--help" in words
        line = [
            *("nsenter", f"--net=/run/netns/{self.host.name}"),
            *(("unshare", "-m", "sh", "-c") if mounts else ()),
            *((f'{mounts} && exec "$@"', "sh") if mounts else ()),
            *(*before, *SETPRIV, *(CAPABLE if capable else POWERLESS)),
            *(self.program, "--runtime-dir", self.rundir),
            *("--state-dir", self.statedir),
            *(("--config", conf) if service and not given else ()),
            *words,
        ]
        return [str(word) for word in line]

    def call(
        self,
        *words: object,
        capable: bool = True,
        mounts: str = "",
        before: tuple[object, ...] = (),
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self.command(*words, capable=capable, mounts=mounts, before=before),
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )

    def start(self, *words: object, mounts: str = "", before: tuple[object, ...] = ()) -> "Daemon":
        """Start the service."""
        command = self.command(*words, mounts=mounts, before=before)
        log = self.statedir.parent / "log"
        with log.open("a") as file:
            file.truncate(0)
            process = subprocess.Popen(command, stderr=file)
        return Daemon(process, log)

    def value(self, path: str) -> str:
        """What a file of the namespace says."""
        with self.host.inside():
            return Path(path).read_text().strip()

    def set(self, path: str, text: str) -> None:
        """Change a file of the namespace, as another program."""
        with self.host.inside():
            Path(path).write_text(text)

    def values(self) -> tuple[str, str]:
        """The two values that the daemon changes here."""
        return (self.value(RMEM), self.value(WMEM))


@dataclass
class Daemon:
    """A service that was started."""

    process: subprocess.Popen[bytes]
    log_file: Path

    def log(self) -> str:
        """What it said so far."""
        return self.log_file.read_text()

    def wait_for(self, what: Callable[[], bool]) -> None:
        """Wait until something is true."""
        end = time.monotonic() + TIMEOUT_S
        while not what():
            assert self.process.poll() is None, self.log()
            assert time.monotonic() < end, self.log()
            time.sleep(0.01)

    def says(self, text: str) -> None:
        """Wait for a line in the log."""
        self.wait_for(lambda: text in self.log())

    def end(self, signum: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal that ends it; its exit code."""
        self.process.send_signal(signum)
        return self.process.wait(TIMEOUT_S)


def learn(world: World) -> None:
    """Have an earlier run know a path of 10 Gbit/s and 120 ms."""
    path = {
        "role": "server",
        "peer": PEER,
        "rtt_us": 120_000,
        "out_bps": 9e9,
        "in_bps": 9e9,
        "seen": int(time.time()),
    }
    text = json.dumps({"version": 1, "paths": [path]})
    (world.statedir / "paths.json").write_text(text)


def at_work(world: World, daemons: list[Daemon], *words: object) -> Daemon:
    """A daemon that has changed both values."""
    before = world.values()
    daemon = world.start(*words)
    daemons.append(daemon)
    daemon.wait_for(
        lambda: all(now != was for now, was in zip(world.values(), before, strict=True))
    )
    return daemon
