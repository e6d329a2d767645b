# SPDX-License-Identifier: GPL-2.0
"""What the daemon costs, with 10,000 connections and with none."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import namespaces
from namespaces import NFS_PORT, TCPTUNED
from world import World

sys.path.insert(0, str(TCPTUNED.parent / "testing" / "lab"))

import tcptuned_json

pytest_plugins = ("world_hosts",)

CONNECTIONS = 10_000
# Some of them move data, so that the daemon looks as often as it ever does.
BUSY = 50
SERVER, PEERS = "10.0.1.1", "10.1"
# Where nfsd's list of ports is, if it ran here.
NFSD = (
    "mount -t tmpfs none /proc/fs && mkdir /proc/fs/nfsd"
    f" && echo tcp {NFS_PORT} >/proc/fs/nfsd/portlist"
)
MEASURE_S = 20
# Of looks when nothing moves: 8 x 250 ms.
IDLE_LOOK_S = 2
# The clients, each with an address of its own: a path is what lies between two
# addresses. A process for them, because of the limit of open files.
CLIENTS = f"""
import socket, sys, time
socks = []
for number in range({CONNECTIONS}):
    sock = socket.socket()
    sock.bind((f"{PEERS}.{{number >> 8}}.{{number & 255}}", 0))
    sock.connect(("{SERVER}", {NFS_PORT}))
    socks.append(sock)
print("there", flush=True)
while True:
    for sock in socks[:{BUSY}]:
        sock.send(bytes(10000))
    time.sleep(0.05)
"""
SERVE = f"""
import select, socket
listener = socket.create_server(("{SERVER}", {NFS_PORT}), backlog=4096)
poll = select.epoll()
socks = {{}}
for number in range({CONNECTIONS}):
    sock, _ = listener.accept()
    socks[sock.fileno()] = sock
    poll.register(sock, select.EPOLLIN)
while True:
    for number, _ in poll.poll():
        socks[number].recv(1 << 20)
"""


def _processor_s(pid: int) -> float:
    """Processor time that a process took."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def _status(pid: int, key: str) -> int:
    """A number of a process' status."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1])
    raise AssertionError(f"no {key}")


def _keep(setup: str, metric: str, value: float) -> None:
    kernel = os.uname().release
    row = tcptuned_json.figure("cost", kernel, setup, metric, value)
    tcptuned_json.merge([row])


@contextlib.contextmanager
def _in(name: str, program: str) -> Iterator[subprocess.Popen[str]]:
    """Run a Python program in a namespace."""
    enter = ("nsenter", f"--net=/run/netns/{name}")
    process = subprocess.Popen(
        [*enter, sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def _connections(world: World, folder: Path) -> Iterator[None]:
    """Have the world serve so many peers."""
    with namespaces.hosts(folder, "clients") as (clients,):
        namespaces.join(world.host, clients)
        clients.ip(f"route add local {PEERS}.0.0/16 dev lo")
        world.host.ip(f"route add {PEERS}.0.0/16 via 10.0.1.2")
        with _in(world.host.name, SERVE):
            time.sleep(1)
            with _in(clients.name, CLIENTS) as process:
                assert process.stdout
                assert process.stdout.readline() == "there\n"
                yield


def test_10000_connections(world: World, tmp_path: Path) -> None:
    with _connections(world, tmp_path / "clients"):
        daemon = world.start(mounts=NFSD)
        pid = daemon.process.pid
        try:
            daemon.wait_for((world.rundir / "status.json").exists)
            time.sleep(3)
            status = json.loads(world.call("status", "--json").stdout)
            start = _processor_s(pid)
            time.sleep(MEASURE_S)
            share = (_processor_s(pid) - start) / MEASURE_S
            peak_kib = _status(pid, "VmHWM")
        finally:
            assert daemon.end() == 0, daemon.log()
    _keep("10,000 connections", "processor_percent", 100 * share)
    _keep("10,000 connections", "resident_mib", peak_kib / 1024)
    paths = len(status["paths"]) + status["paths_left_out"]
    assert paths >= CONNECTIONS, paths
    # 0.9 % on a machine that does nothing else, 1.2 % beside guests.
    assert share < 0.02, f"{share:.2%} of a core"
    assert peak_kib < 16 << 10, f"{peak_kib} KiB"


def test_idle(world: World) -> None:
    """One wake-up a look, and nothing between them."""
    daemon = world.start(mounts=NFSD)
    pid = daemon.process.pid
    try:
        daemon.wait_for((world.rundir / "status.json").exists)
        time.sleep(3)
        before, start = (
            _status(pid, "voluntary_ctxt_switches"),
            _processor_s(pid),
        )
        time.sleep(MEASURE_S)
        wakes = _status(pid, "voluntary_ctxt_switches") - before
        share = (_processor_s(pid) - start) / MEASURE_S
        resident_kib = _status(pid, "VmRSS")
    finally:
        assert daemon.end() == 0, daemon.log()
    _keep("idle", "wakeups_per_s", wakes / MEASURE_S)
    _keep("idle", "processor_percent", 100 * share)
    _keep("idle", "resident_mib", resident_kib / 1024)
    assert wakes <= MEASURE_S / IDLE_LOOK_S + 1, f"{wakes} in {MEASURE_S} s"
