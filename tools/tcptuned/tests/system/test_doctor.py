# SPDX-License-Identifier: GPL-2.0
"""tcptuned doctor, without a daemon and without root."""

import contextlib
import re
import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import namespaces
from namespaces import NFS_PORT, TCPTUNED, Host
from world import POWERLESS, SETPRIV

pytest_plugins = ("sense_hosts",)


def _doctor(host: Host, programs: Path, *bandwidth: str) -> str:
    namespaces.open_to_all(host.root)
    enter = ("nsenter", f"--net=/run/netns/{host.name}")
    program = (programs / "doctor_at", host.root, *bandwidth)
    return namespaces.run(*enter, *SETPRIV, *POWERLESS, *program)


def _send(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            sock.sendall(bytes(65536))


def _receive(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while sock.recv(65536):
            time.sleep(0.005)


def test_at_rest(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    """Bounds show without data, the lowest first, and nothing is changed."""
    server, client = pair
    assert "any NFS connection" in _doctor(client, programs)
    ours, theirs = namespaces.connect(stack, server, client, "10.0.1.1", NFS_PORT)
    for one, other in ((ours, theirs), (theirs, ours)):
        one.sendall(b"x" * 1000)
        namespaces.receive(other, 1000)
    dev = client.mount("10.0.1.1")
    client.put(f"/sys/class/bdi/{dev}/read_ahead_kb", "128\n")
    client.put("/sys/module/nfs/parameters/max_session_slots", "1\n")
    # The round trip is short, so the link has to be fast and requests small.
    lines = client.mounts[0].replace("rsize=1048576", "rsize=4096")
    client.put("/proc/self/mountinfo", lines)
    text = _doctor(client, programs, "1tbit")
    assert "paths: 1, findings: " in text
    causes = re.findall(r"^10.0.1.1, client: (.*?):", text, re.MULTILINE)
    assert causes[:2] == ["session slots", "read-ahead"]
    assert f">/sys/class/bdi/{dev}/read_ahead_kb" in text
    assert "nothing moved" in text
    assert (client.root / f"sys/class/bdi/{dev}/read_ahead_kb").read_text() == ("128\n")


def test_window_of_the_peer(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    """While data moves, what holds it shows with the end that it is at."""
    server, client = pair
    listener = stack.enter_context(server.listen("10.0.1.1"))
    theirs = stack.enter_context(client.connect("10.0.1.1"))
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 100_000)
    ours = stack.enter_context(listener.accept()[0])
    threads = [
        threading.Thread(target=_send, args=(ours,)),
        threading.Thread(target=_receive, args=(theirs,)),
    ]
    for thread in threads:
        thread.start()
    try:
        text = _doctor(server, programs)
    finally:
        for sock in (ours, theirs):
            sock.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()
    assert "10.0.1.2, server: window at that end: " in text
    assert "systemctl enable --now tcptuned\t# on 10.0.1.2" in text
    assert "nothing moved" not in text


def test_every_cause_is_explained() -> None:
    """The manual page knows what doctor can find."""
    manual = (TCPTUNED / "tcptuned.8").read_text()
    code = (TCPTUNED / "diagnose.c").read_text()
    causes = re.findall(r"\{ \"(.+)\", diagnose_\w+ \}", code)
    listed = re.findall(r"^\.It Cause : (.+)$", manual, re.MULTILINE)
    assert causes
    assert sorted(listed) == sorted(causes)
