# SPDX-License-Identifier: GPL-2.0
"""Hosts that are network namespaces of the running kernel, and NFS in them.

No NFS is run: a host serves or mounts it when the files that say so in /proc
are put below its root, and its connections are plain sockets.
"""

import contextlib
import ctypes
import itertools
import json
import os
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NFS_PORT = 2049
CLONE_NEWNET = 0x40000000
TCPTUNED = Path(__file__).resolve().parents[2]

_libc = ctypes.CDLL(None, use_errno=True)
_numbers = itertools.count()


def run(*command: object) -> str:
    """Run a command; its output, or a failed test that shows it."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert not done.returncode, f"{' '.join(words)}: {done.stdout}"
    return done.stdout


def open_to_all(folder: Path) -> None:
    """Let users other than root come as far as a folder of pytest's."""
    for above in (folder, *folder.parents):
        if above == Path(tempfile.gettempdir()):
            return
        above.chmod(above.stat().st_mode | stat.S_IXGRP | stat.S_IXOTH)


def build(folder: Path) -> Path:
    """Make the programs of these tests; where they are."""
    run("make", "-s", "-C", TCPTUNED, f"O={folder}", "programs")
    return folder / "tests" / "system"


@dataclass
class Host:
    """A namespace with what /proc and /sys say of NFS below root."""

    name: str
    root: Path
    mounts: list[str] = field(default_factory=list)

    def ip(self, command: str) -> None:
        """Run a command of ip."""
        run("ip", "-n", self.name, *command.split())

    def tc(self, command: str) -> None:
        """Run a command of tc."""
        run("tc", "-n", self.name, *command.split())

    def try_ip(self, command: str) -> None:
        """Run a command of ip, or skip: not every kernel has each device."""
        _attempt("ip", "-n", self.name, *command.split())

    def try_tc(self, command: str) -> None:
        """Run a command of tc, or skip: not every kernel has each qdisc."""
        _attempt("tc", "-n", self.name, *command.split())

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Sockets that are made meanwhile are this host's."""
        home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        there = os.open(f"/run/netns/{self.name}", os.O_RDONLY)
        try:
            assert not _libc.setns(there, CLONE_NEWNET)
            yield
        finally:
            assert not _libc.setns(home, CLONE_NEWNET)
            os.close(home)
            os.close(there)

    def put(self, path: str, text: str) -> None:
        """Have a file below root say something."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def serve(self, *ports: int) -> None:
        """Be an NFS server as far as /proc says."""
        lines = (f"tcp {port}\nudp {port}\n" for port in ports)
        self.put("/proc/fs/nfsd/portlist", "".join(lines))

    def mount(self, server: str, port: int = NFS_PORT) -> str:
        """Mount NFS as far as /proc says; the mount's device."""
        number = 40 + len(self.mounts)
        self.mounts.append(
            f"{number} 22 0:{number} / /mnt/{number} rw,relatime shared:1 - "
            f"nfs4 server:/ rw,vers=4.2,rsize=1048576,proto=tcp,port={port},"
            f"addr={server}\n"
        )
        self.put("/proc/self/mountinfo", "".join(self.mounts))
        return f"0:{number}"

    def listen(self, address: str, port: int = NFS_PORT, *, dual: bool = False) -> socket.socket:
        """Listen on a port."""
        with self.inside():
            return socket.create_server(
                (address, port), family=_family(address), backlog=1024, dualstack_ipv6=dual
            )

    def connect(self, address: str, port: int = NFS_PORT) -> socket.socket:
        """Connect to a port."""
        with self.inside():
            sock = socket.socket(_family(address), socket.SOCK_STREAM)
        sock.settimeout(10)
        sock.connect((address, port))
        return sock

    def look(self, programs: Path, *options: object, before: tuple[str, ...] = ()) -> Any:
        """A snapshot, as snapshot_dump prints it."""
        command = [programs / "snapshot_dump", "--root", self.root, *options]
        enter = ("nsenter", f"--net=/run/netns/{self.name}")
        return json.loads(run(*enter, *before, *command))


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def _attempt(*command: str) -> None:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    # Not every user of this module is a test.
    import pytest

    if "nknown" in done.stdout or "not supported" in done.stdout:
        pytest.skip(f"this kernel has it not: {' '.join(command)}")
    assert not done.returncode, f"{' '.join(command)}: {done.stdout}"


@contextlib.contextmanager
def hosts(folder: Path, *names: str) -> Iterator[list[Host]]:
    """Namespaces with nothing in them, gone afterwards."""
    made: list[Host] = []
    try:
        for name in names:
            number = next(_numbers)
            host = Host(f"tt{os.getpid()}-{number}-{name}", folder / name)
            run("ip", "netns", "add", host.name)
            made.append(host)
            host.ip("link set lo up")
            host.put("/proc/self/mountinfo", "")
            # What the tests do not pretend is as it is.
            (host.root / "proc" / "sys").symlink_to("/proc/sys")
            (host.root / "proc" / "net").symlink_to("/proc/net")
        yield made
    finally:
        for host in made:
            run("ip", "netns", "del", host.name)


def join(left: Host, right: Host, subnet: int = 1) -> None:
    """Lay a cable: left is 10.0.SUBNET.1 and fd00:SUBNET::1, right is 2."""
    left.ip(f"link add veth{subnet} type veth peer name veth{subnet} netns {right.name}")
    for number, host in enumerate((left, right), 1):
        host.ip(f"link set veth{subnet} up")
        host.ip(f"addr add 10.0.{subnet}.{number}/24 dev veth{subnet}")
        host.ip(f"addr add fd00:{subnet}::{number}/64 dev veth{subnet} nodad")


def connect(
    stack: contextlib.ExitStack, server: Host, client: Host, address: str, port: int
) -> tuple[socket.socket, socket.socket]:
    """A connection; both of its ends, the server's first."""
    listener = stack.enter_context(server.listen(address, port))
    theirs = stack.enter_context(client.connect(address, port))
    ours = stack.enter_context(listener.accept()[0])
    return ours, theirs


def receive(sock: socket.socket, count: int) -> None:
    """Receive that many bytes."""
    while count:
        count -= len(sock.recv(min(count, 65536)))


def only(snapshot: Any) -> Any:
    """The one connection of a snapshot without a problem."""
    assert snapshot["problem"] == ""
    (conn,) = snapshot["conns"]
    return conn
