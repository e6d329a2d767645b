# SPDX-License-Identifier: GPL-2.0
"""The daemon and its commands."""

import json
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from world import CONF, PEER, RMEM, Daemon, World, at_work

pytest_plugins = ("world_hosts",)


def test_damaged_state(world: World, daemons: list[Daemon]) -> None:
    """Damaged files are set aside with a word and stop nothing."""
    file = world.statedir / "paths.json"
    learned = file.read_text()
    file.write_text('{"version": 1, "paths": [{')
    (world.rundir / "status.json").write_text("{}")
    world.call("restore")
    daemons.append(daemon := world.start())
    daemon.says("paths.json is damaged")
    daemon.wait_for(lambda: world.call("status").returncode == 0)
    assert (world.statedir / "paths.json.damaged").exists()
    assert daemon.end() == 0
    file.write_text(learned)
    daemon = at_work(world, daemons)
    ledger = next(world.rundir.glob("ledger-*"))
    assert daemon.end(signal.SIGKILL) == -signal.SIGKILL
    ledger.write_text("garbage\n")
    daemons.append(daemon := world.start())
    daemon.says("ledger")
    assert (world.rundir / f"{ledger.name}.damaged").exists()
    assert daemon.end() == 0


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
    assert world.call("explain", "peer.invalid").returncode == 2
    assert world.call("explain", "localhost").returncode == 1
    assert world.call("explain", "/mnt/none").returncode == 1
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
    conf.write_text(CONF + "memory = 20%\n")
    daemon = at_work(world, daemons, "--config", conf)
    conf.write_text("memory = lots\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.says(f'{conf}:1: memory: "lots" is not 1% to 90%')
    daemon.says("keeping the previous configuration")
    conf.write_text(CONF + "memory = 30%\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.says("configuration reloaded")
    assert daemon.end() == 0


COMPUTE = ("compute", "--rtt", "120ms", "--bandwidth")


@pytest.mark.parametrize(
    ("words", "code", "out", "err"),
    [
        (("--help",), 0, "Usage: tcptuned", ""),
        (("--version",), 0, "tcptuned ", ""),
        (("--nonsense",), 2, "", "nonsense"),
        (("nonsense",), 2, "", "unknown command nonsense"),
        (("",), 2, "", "unknown command"),
        (("status", "x"), 2, "", "unexpected argument x"),
        (("status", "--once"), 2, "", "not an option of this command: once"),
        (("explain",), 2, "", "missing: PEER"),
        (("--interval", "1ms"), 2, "", "--interval takes 10ms to 10s"),
        ((*COMPUTE, "10gbit"), 0, "/proc/sys/sunrpc/tcp_rcvbuf", ""),
        ((*COMPUTE, "10gbit", "-j"), 0, '"sunrpc.tcp_rcvbuf":', ""),
        ((*COMPUTE, "10"), 2, "", "--bandwidth takes a rate"),
        (("compute",), 2, "", "compute needs"),
        (("resume",), 3, "", "is not running"),
        (("restore",), 0, "Nothing to restore.", ""),
        (("check-config",), 0, "memory = 25%", ""),
        (("check-config", "/none"), 2, "", "/none: No such file"),
        (("--config", "/none"), 2, "", "/none: No such file"),
    ],
)
def test_command_line(world: World, words: tuple[str, ...], code: int, out: str, err: str) -> None:
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


def test_service_manager(
    world: World, daemons: list[Daemon], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What systemd hears: ready, alive as often as it wants, stopping."""
    path, watchdog_s = tmp_path / "notify", 6
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(path))
        path.chmod(0o666)
        manager.settimeout(watchdog_s / 2)
        monkeypatch.setenv("NOTIFY_SOCKET", str(path))
        monkeypatch.setenv("WATCHDOG_USEC", str(watchdog_s * 1_000_000))
        daemons.append(daemon := world.start())
        heard = ""
        end = time.monotonic() + watchdog_s
        while time.monotonic() < end:
            # Times out when nothing comes for half of the watchdog's time.
            heard += manager.recv(4096).decode() + "\n"
        assert "READY=1" in heard.splitlines()
        assert heard.count("WATCHDOG=1") >= 2
        assert daemon.end() == 0
        while "STOPPING=1" not in heard:
            heard += manager.recv(4096).decode()
