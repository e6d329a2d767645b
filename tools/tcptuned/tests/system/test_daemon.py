# SPDX-License-Identifier: GPL-2.0
"""The daemon and its commands, in a network namespace, without root.

A path that an earlier run learned has it set net.ipv4.tcp_rmem and tcp_wmem,
which every namespace has and of which the kernel here knows nothing better.
"""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import namespaces
import pytest
from namespaces import TCPTUNED, Host, open_to_all, run

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
KILLS = 60
# A daemon is at work after some milliseconds; kills fall before and after.
KILL_AFTER_S = 0.04
TIMEOUT_S = 20


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
    ) -> list[str]:
        """A command line that runs the program as nobody."""
        line = [
            *("nsenter", f"--net=/run/netns/{self.host.name}"),
            *(("unshare", "-m", "sh", "-c") if mounts else ()),
            *((f'{mounts} && exec "$@"', "sh") if mounts else ()),
            *(*SETPRIV, *(CAPABLE if capable else POWERLESS)),
            *(self.program, "--runtime-dir", self.rundir),
            *("--state-dir", self.statedir, *words),
        ]
        return [str(word) for word in line]

    def call(
        self, *words: object, capable: bool = True, mounts: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self.command(*words, capable=capable, mounts=mounts),
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )

    def start(self, *words: object, mounts: str = "") -> "Daemon":
        """Start the service."""
        command = self.command(*words, mounts=mounts)
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
        """Change a file of the namespace, as somebody else."""
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


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, where everybody may run it."""
    if os.geteuid():
        pytest.skip("only root makes network namespaces")
    folder = tmp_path_factory.mktemp("build")
    open_to_all(folder)
    run("make", "-s", "-C", TCPTUNED, f"O={folder}", "all")
    return folder / "tcptuned"


@pytest.fixture
def world(program: Path, tmp_path: Path) -> Iterator[World]:
    """A namespace, with a path that was learned."""
    open_to_all(tmp_path)
    folders = [tmp_path / name for name in ("run", "state")]
    for folder in folders:
        folder.mkdir()
        os.chown(folder, NOBODY, NOBODY)
    with namespaces.hosts(tmp_path / "hosts", "alone") as (host,):
        world = World(host, program, *folders)
        learn(world)
        yield world


@pytest.fixture
def daemons() -> Iterator[list[Daemon]]:
    """Daemons that are put here do not outlive the test."""
    started: list[Daemon] = []
    yield started
    for daemon in started:
        if daemon.process.poll() is None:
            daemon.process.kill()
            daemon.process.wait()


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
        lambda: all(
            now != was for now, was in zip(world.values(), before, strict=True)
        )
    )
    return daemon


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
    assert "net.ipv4.tcp_rmem is back at" in daemon.log()


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


def test_takes_over(world: World, daemons: list[Daemon]) -> None:
    """A daemon that was killed is followed by one that is stopped."""
    before = world.values()
    at_work(world, daemons).end(signal.SIGKILL)
    assert world.values() != before
    daemon = world.start()
    daemons.append(daemon)
    daemon.wait_for((world.rundir / "status.json").exists)
    daemon.says("")
    time.sleep(0.5)
    assert daemon.end() == 0
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
    daemon = world.start(mounts=mount)
    daemons.append(daemon)
    daemon.says(reason)
    time.sleep(1)
    assert world.values() == before
    assert daemon.end() == 0
    assert world.values() == before
    assert daemon.log().count(reason) <= 2


def test_damaged_state(world: World, daemons: list[Daemon]) -> None:
    """Damaged files are set aside with a word and stop nothing."""
    (world.statedir / "paths.json").write_text('{"version": 1, "paths": [{')
    (world.rundir / "status.json").write_text("{}")
    world.call("restore")
    daemon = world.start()
    daemons.append(daemon)
    daemon.says("paths.json is damaged")
    daemon.wait_for(lambda: world.call("status").returncode == 0)
    assert (world.statedir / "paths.json.damaged").exists()
    ledger = next(world.rundir.glob("ledger-*"))
    assert daemon.end(signal.SIGKILL) == -signal.SIGKILL
    ledger.write_text("garbage\n")
    daemon = world.start()
    daemons.append(daemon)
    daemon.says("ledger")
    assert (world.rundir / f"{ledger.name}.damaged").exists()
    assert daemon.end() == 0


def test_unknown_version(world: World, daemons: list[Daemon]) -> None:
    """Learned paths of another version are set aside."""
    (world.statedir / "paths.json").write_text('{"version": 2}')
    daemon = world.start()
    daemons.append(daemon)
    daemon.says("paths.json is of a version that is not known")
    assert daemon.end() == 0
    assert (world.statedir / "paths.json.damaged").exists()


def test_foreign_change(world: World, daemons: list[Daemon]) -> None:
    """What somebody else changes is theirs, until resume, also at the end."""
    before = world.values()
    daemon = at_work(world, daemons)
    theirs = "4096\t131072\t7000000"
    world.set(RMEM, theirs)
    daemon.says("net.ipv4.tcp_rmem was changed by somebody else")
    time.sleep(1)
    assert world.value(RMEM) == theirs
    assert world.call("resume").returncode == 0
    daemon.wait_for(lambda: world.value(RMEM) != theirs)
    assert daemon.end() == 0
    assert world.values() == (theirs, before[1])
    assert daemon.log().count("was changed by somebody else") == 1


def test_foreign_change_and_kill(world: World, daemons: list[Daemon]) -> None:
    """What somebody else changed after a kill is not restored over."""
    before = world.values()
    at_work(world, daemons).end(signal.SIGKILL)
    theirs = "4096\t131072\t7000000"
    world.set(RMEM, theirs)
    done = world.call("restore")
    assert done.returncode == 0
    assert "tcp_rmem left at 7000000, which somebody else set" in done.stdout
    assert world.values() == (theirs, before[1])
    assert world.call("restore").stdout == "Nothing is to be put back.\n"


def test_second_instance(world: World, daemons: list[Daemon]) -> None:
    """Two daemons of one folder, or a restore beside one, are refused."""
    daemon = at_work(world, daemons)
    values = world.values()
    for command in ((), ("restore",)):
        done = world.call(*command)
        assert done.returncode == 4
        assert f"process {daemon.process.pid}" in done.stderr
    assert world.values() == values
    assert daemon.end() == 0


def test_status_and_explain(world: World, daemons: list[Daemon]) -> None:
    """What is known and was set, for people and for programs."""
    done = world.call("status")
    assert (done.returncode, done.stdout) == (3, "")
    assert "is not running" in done.stderr
    before = world.value(RMEM).split()[2]
    daemon = at_work(world, daemons)
    daemon.wait_for((world.rundir / "status.json").exists)
    # Whoever may not change anything may look.
    done = world.call("status", capable=False)
    assert done.returncode == 0, done.stderr
    assert PEER in done.stdout
    assert f"was {before}" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\033" not in done.stdout
    done = world.call("status", "--json")
    status = json.loads(done.stdout)
    assert status["pid"] == daemon.process.pid
    assert [path["peer"] for path in status["paths"]] == [PEER]
    settings = {item["name"]: item for item in status["settings"]}
    assert settings["net.ipv4.tcp_rmem"]["written"]
    assert settings["net.ipv4.tcp_rmem"]["original"] == int(before)
    assert settings["net.core.rmem_max"]["hands_off"] in ("absent", "denied")
    done = world.call("explain", PEER)
    assert done.returncode == 0, done.stderr
    assert "120ms" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert world.call("explain", "192.0.2.9").returncode == 1
    assert world.call("explain", "peer").returncode == 2
    daemon.end(signal.SIGKILL)
    done = world.call("status")
    assert done.returncode == 3
    assert "tcptuned restore" in done.stderr


def test_dry_run(world: World, daemons: list[Daemon]) -> None:
    """It needs no privilege, says what it would do and writes nothing."""
    before = world.values()
    done = world.call("--dry-run", "--once", capable=False)
    assert done.returncode == 0, done.stderr
    assert "would set net.ipv4.tcp_rmem" in done.stderr
    assert world.values() == before
    assert not list(world.rundir.iterdir())
    assert [file.name for file in world.statedir.iterdir()] == ["paths.json"]


def test_once(world: World) -> None:
    """It decides, writes, ends, and leaves it to restore."""
    before = world.values()
    assert world.call("--once").returncode == 0
    assert world.values() != before
    assert world.call("restore").returncode == 0
    assert world.values() == before


def test_reload(world: World, daemons: list[Daemon], tmp_path: Path) -> None:
    """SIGHUP reads the configuration; a bad one changes nothing."""
    conf = tmp_path / "conf"
    conf.write_text("memory = 20%\n")
    daemon = at_work(world, daemons, "--config", conf)
    conf.write_text("memory = lots\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.says(f'{conf}:1: memory: "lots" is not 1% to 90%')
    daemon.says("the configuration stays as it was")
    conf.write_text("memory = 30%\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.says("the configuration was read again")
    assert daemon.end() == 0


COMPUTE = ("compute", "--rtt", "120ms", "--bandwidth")


@pytest.mark.parametrize(
    ("words", "code", "out", "err"),
    [
        (("--help",), 0, "Usage: tcptuned", ""),
        (("--version",), 0, "tcptuned ", ""),
        (("--nonsense",), 2, "", "nonsense"),
        (("nonsense",), 2, "", "unknown command nonsense"),
        (("status", "x"), 2, "", "unexpected argument x"),
        (("status", "--once"), 2, "", "not an option of this command: once"),
        (("explain",), 2, "", "missing: PEER"),
        (("--interval", "1ms"), 2, "", "--interval takes 10ms to 10s"),
        ((*COMPUTE, "10gbit"), 0, "/proc/sys/sunrpc/tcp_rcvbuf", ""),
        ((*COMPUTE, "10gbit", "-j"), 0, '"sunrpc.tcp_rcvbuf":', ""),
        ((*COMPUTE, "10"), 2, "", "--bandwidth takes a rate"),
        (("compute",), 2, "", "compute needs"),
        (("resume",), 3, "", "is not running"),
        (("restore",), 0, "Nothing is to be put back.", ""),
        (("check-config",), 0, "memory = 25%", ""),
        (("check-config", "/none"), 2, "", "/none: No such file"),
        (("--config", "/none"), 2, "", "/none: No such file"),
    ],
)
def test_command_line(
    world: World, words: tuple[str, ...], code: int, out: str, err: str
) -> None:
    """Exit codes are those of the manual, errors go to stderr."""
    done = world.call(*words, capable=False)
    assert done.returncode == code, done.stderr
    assert out in done.stdout
    assert err in done.stderr
    assert not done.stdout if code else not done.stderr


def test_full_disk(world: World) -> None:
    """Output that cannot be written is an error, as `make` expects it."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            world.command("check-config"),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left" in done.stderr
