# SPDX-License-Identifier: GPL-2.0
"""Many peers of a daemon, to see what it costs then."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import namespaces
from namespaces import NFS_PORT
from world import World

# Some of them move data, so that the daemon looks as often as it ever does.
BUSY = 50
SERVER, PEERS = "10.0.1.1", "10.1"
# Where nfsd's list of ports is, if it ran here.
NFSD = (
    "mount -t tmpfs none /proc/fs && mkdir /proc/fs/nfsd"
    f" && echo tcp {NFS_PORT} >/proc/fs/nfsd/portlist"
)
# The clients, each with an address of its own: a path is what lies between two
# addresses. A process for them, because of the limit of open files.
CLIENTS = f"""
import socket, sys, time
socks = []
for number in range(int(sys.argv[1])):
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
import select, socket, sys
listener = socket.create_server(("{SERVER}", {NFS_PORT}), backlog=4096)
poll = select.epoll()
socks = {{}}
for number in range(int(sys.argv[1])):
    sock, _ = listener.accept()
    socks[sock.fileno()] = sock
    poll.register(sock, select.EPOLLIN)
while True:
    for number, _ in poll.poll():
        socks[number].recv(1 << 20)
"""


@contextlib.contextmanager
def _in(name: str, program: str, number: int) -> Iterator[subprocess.Popen[str]]:
    """Run a Python program in a namespace."""
    enter = ("nsenter", f"--net=/run/netns/{name}")
    process = subprocess.Popen(
        [*enter, sys.executable, "-c", program, str(number)], stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def connected(world: World, folder: Path, number: int) -> Iterator[None]:
    """Have the world serve so many peers."""
    with namespaces.hosts(folder, "clients") as (clients,):
        namespaces.join(world.host, clients)
        clients.ip(f"route add local {PEERS}.0.0/16 dev lo")
        world.host.ip(f"route add {PEERS}.0.0/16 via 10.0.1.2")
        with _in(world.host.name, SERVE, number):
            time.sleep(1)
            with _in(clients.name, CLIENTS, number) as process:
                assert process.stdout
                assert process.stdout.readline() == "there\n"
                yield
