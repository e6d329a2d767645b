# SPDX-License-Identifier: GPL-2.0
"""What tcptuned sees of NFS in a network namespace."""

import os
import re
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import namespaces
import pytest
from namespaces import NFS_PORT, Host, connect, only, receive

pytest_plugins = ("sense_hosts",)

NOBODY = 65534
KERNEL = tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))

# Addresses of the server and the client, see namespaces.join().
FAMILIES = pytest.mark.parametrize(
    ("server", "client"),
    [("10.0.1.1", "10.0.1.2"), ("fd00:1::1", "fd00:1::2")],
    ids=["ipv4", "ipv6"],
)

# Neither root nor any capability but that of the daemon.
SETPRIV = (
    *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
    *("--no-new-privs", "--bounding-set=-all,+net_admin"),
    *("--inh-caps=-all,+net_admin", "--ambient-caps=-all,+net_admin"),
)


@FAMILIES
def test_both_ends(
    programs: Path, pair: tuple[Host, Host], stack: ExitStack, server: str, client: str
) -> None:
    left, right = pair
    ours, theirs = connect(stack, left, right, server, NFS_PORT)
    theirs.sendall(b"w" * 100_000)
    receive(ours, 100_000)
    ours.sendall(b"r" * 5_000)
    receive(theirs, 5_000)
    time.sleep(0.1)  # the last ACK may be delayed by 40 ms
    device = right.mount(server)
    # The same device once more: the first folder names it.
    again = right.mounts[0].replace(" /mnt/40 ", " /mnt/a ")
    right.put("/proc/self/mountinfo", right.mounts[0] + again)
    right.put(f"/sys/class/bdi/{device}/read_ahead_kb", "15380\n")

    seen = only(left.look(programs))
    snapshot = right.look(programs)
    peer = only(snapshot)

    assert (seen["role"], peer["role"]) == ("server", "client")
    assert (seen["local"], seen["peer"]) == (server, client)
    assert (peer["local"], peer["peer"]) == (client, server)
    port = theirs.getsockname()[1]
    assert (seen["local_port"], seen["peer_port"]) == (NFS_PORT, port)
    assert (peer["local_port"], peer["peer_port"]) == (port, NFS_PORT)
    assert seen["cookie"] != peer["cookie"]

    # The kernel counts the SYN as an acknowledged byte.
    assert seen["bytes[TT_IN]"] == 100_000
    assert 100_000 <= peer["bytes[TT_OUT]"] <= 100_001
    assert 5_000 <= seen["bytes[TT_OUT]"] <= 5_001
    assert peer["bytes[TT_IN]"] == 5_000

    if KERNEL >= (6, 2):
        assert peer["rcv_wnd_bytes"] > 0
    else:
        assert peer["rcv_wnd_bytes"] == 0
    for conn, sock in ((seen, ours), (peer, theirs)):
        for name, option in (
            ("rcvbuf_bytes", socket.SO_RCVBUF),
            ("sndbuf_bytes", socket.SO_SNDBUF),
        ):
            assert conn[name] == sock.getsockopt(socket.SOL_SOCKET, option)
        assert 0 < conn["min_rtt_us"] <= conn["rtt_us"] < 1_000_000
        assert conn["delivery_bps"] > 0
        # tcp_info: 6 bytes of states, then 4 bits for each scale.
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 24)
        scales = (info[6] & 15, info[6] >> 4)
        assert (conn["wscale[TT_OUT]"], conn["wscale[TT_IN]"]) == scales
        assert conn["mss_bytes"] == int.from_bytes(info[16:20], sys.byteorder)
        assert conn["backoff"] == 0
    assert peer["sent_bytes"] >= 100_000
    assert peer["resent_bytes"] == 0

    (mount,) = snapshot["mounts"]
    assert mount == {
        "dev": device,
        "dir": "/mnt/40",
        "server": server,
        "port": NFS_PORT,
        "rsize_bytes": 1_048_576,
        "read_ahead_kb": 15_380,
    }


def test_ordinary_user(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    """A user's own connection to the port of a mount is no NFS."""
    left, right = pair
    right.mount("10.0.1.1")
    listener = stack.enter_context(left.listen("10.0.1.1", NFS_PORT))
    with right.inside():
        os.setresuid(-1, NOBODY, 0)
        try:
            theirs = stack.enter_context(socket.socket())
        finally:
            os.setresuid(-1, 0, 0)
    theirs.connect(("10.0.1.1", NFS_PORT))
    stack.enter_context(listener.accept()[0])
    assert right.look(programs)["conns"] == []
    assert len(left.look(programs)["conns"]) == 1


def test_what_is_queued(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    left, right = pair
    ours, theirs = connect(stack, left, right, "10.0.1.1", NFS_PORT)
    theirs.setblocking(False)
    sent = 0
    while True:
        try:
            sent += theirs.send(b"x" * 65_536)
        except BlockingIOError:
            break
    time.sleep(0.1)  # until nothing is on the way
    right.mount("10.0.1.1")

    seen, peer = only(left.look(programs)), only(right.look(programs))

    assert 0 < seen["bytes[TT_IN]"] < sent
    assert seen["rcv_wnd_bytes"] < seen["bytes[TT_IN]"]
    assert peer["rwnd_limited_us"] > 0
    assert peer["busy_us"] >= peer["rwnd_limited_us"]
    del ours


def test_ipv4_client_of_an_ipv6_socket(
    programs: Path, pair: tuple[Host, Host], stack: ExitStack
) -> None:
    left, right = pair
    stack.enter_context(left.listen("::", dual=True))
    stack.enter_context(right.connect("10.0.1.1"))
    seen = only(left.look(programs))
    assert (seen["local"], seen["peer"]) == ("10.0.1.1", "10.0.1.2")
    assert seen["link"]["name"] == "veth1"


def test_loopback_mount_is_two_roles(
    programs: Path, pair: tuple[Host, Host], stack: ExitStack
) -> None:
    left, _ = pair
    connect(stack, left, left, "10.0.1.1", NFS_PORT)
    left.mount("10.0.1.1")
    conns = left.look(programs)["conns"]
    assert sorted(conn["role"] for conn in conns) == ["client", "server"]
    assert {conn["link"]["name"] for conn in conns} == {"lo"}
    assert {conn["link"]["source"] for conn in conns} == {"unknown"}


def test_roles_that_are_not_asked_for(
    programs: Path, pair: tuple[Host, Host], stack: ExitStack
) -> None:
    left, _ = pair
    connect(stack, left, left, "10.0.1.1", NFS_PORT)
    left.mount("10.0.1.1")
    for role in ("server", "client"):
        snapshot = left.look(programs, f"--{role}")
        assert only(snapshot)["role"] == role
        assert len(snapshot["mounts"]) == (role == "client")


def test_other_ports(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    left, right = pair
    left.serve(NFS_PORT, 20490)
    for port in (NFS_PORT - 1, NFS_PORT + 1, 20490, 22):
        connect(stack, left, right, "10.0.1.1", port)
    right.mount("10.0.1.1", 20490)
    assert only(left.look(programs))["local_port"] == 20490
    assert only(right.look(programs))["peer_port"] == 20490


def test_other_peers(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    """A program may connect to port 2049 of what is not mounted."""
    left, right = pair
    connect(stack, left, right, "10.0.1.1", NFS_PORT)
    right.mount("10.0.1.7")
    snapshot = right.look(programs)
    assert snapshot["conns"] == snapshot["mounts"] == []


def test_only_this_namespace(programs: Path, tmp_path: Path, stack: ExitStack) -> None:
    with namespaces.hosts(tmp_path, "a", "b", "c") as (server, one, other):
        namespaces.join(server, one, 1)
        namespaces.join(server, other, 2)
        server.serve(NFS_PORT)
        for subnet, client in enumerate((one, other), 1):
            connect(stack, server, client, f"10.0.{subnet}.1", NFS_PORT)
        # Mounts are seen everywhere, and so is nfsd's list of ports.
        for client in (one, other):
            client.serve(NFS_PORT)
            client.mount("10.0.1.1")
            client.mount("10.0.2.1")

        assert len(server.look(programs)["conns"]) == 2
        for subnet, client in enumerate((one, other), 1):
            snapshot = client.look(programs)
            assert only(snapshot)["peer"] == f"10.0.{subnet}.1"
            (mount,) = snapshot["mounts"]
            assert mount["server"] == f"10.0.{subnet}.1"


def test_500_connections(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    left, right = pair
    listener = stack.enter_context(left.listen("10.0.1.1"))
    for _ in range(500):
        stack.enter_context(right.connect("10.0.1.1"))
        stack.enter_context(listener.accept()[0])
    right.mount("10.0.1.1")
    for host in pair:
        snapshot = host.look(programs)
        assert snapshot["problem"] == ""
        assert len({conn["cookie"] for conn in snapshot["conns"]}) == 500
        assert len(snapshot["conns"]) == 500
        assert {conn["link"]["name"] for conn in snapshot["conns"]} == {"veth1"}


def test_closed(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    left, right = pair
    ours, theirs = connect(stack, left, right, "10.0.1.1", NFS_PORT)
    theirs.close()
    time.sleep(0.1)
    assert left.look(programs)["conns"] == []
    ours.close()


def test_not_root(
    programs: Path, pair: tuple[Host, Host], stack: ExitStack, tmp_path: Path
) -> None:
    left, right = pair
    left.tc("qdisc add dev veth1 root tbf rate 1gbit burst 1m latency 10ms")
    connect(stack, left, right, "10.0.1.1", NFS_PORT)
    right.mount("10.0.1.1")
    namespaces.open_to_all(tmp_path)
    for host in pair:
        root = host.look(programs)
        nobody = host.look(programs, before=SETPRIV)
        for snapshot in (root, nobody):
            del snapshot["now_us"], snapshot["host"]["tcp_used_bytes"]
        assert only(nobody)["link"]["rate_bps"] > 0
        assert nobody == root


def test_host(programs: Path, pair: tuple[Host, Host]) -> None:
    left, _ = pair
    page = os.sysconf("SC_PAGE_SIZE")
    host = left.look(programs)["host"]
    assert host["ram_bytes"] == os.sysconf("SC_PHYS_PAGES") * page
    assert host["tcp_used_bytes"] % page == 0
    # Only the first namespace shows it, and none here has the series' files.
    assert host["tcp_mem_bytes[2]"] == host["has_sunrpc_tcpbuf"] == 0

    limits = Path("/proc/sys/net/ipv4/tcp_mem").read_text().split()
    text = namespaces.run(programs / "snapshot_dump", "--server")
    for i, pages in enumerate(limits):
        assert f'"tcp_mem_bytes[{i}]":\t{int(pages) * page}' in text


def test_without_the_list_of_ports(
    programs: Path, pair: tuple[Host, Host], stack: ExitStack
) -> None:
    """Where nfsd's files are not mounted, it is on its usual port."""
    left, right = pair
    connect(stack, left, right, "10.0.1.1", NFS_PORT)
    (left.root / "proc/fs/nfsd/portlist").unlink()
    (left.root / "proc/net").unlink()
    assert left.look(programs)["conns"] == []
    left.put("/proc/net/rpc/nfsd", "rc 0 0 0\n")
    assert only(left.look(programs))["local_port"] == NFS_PORT


def test_trouble(programs: Path, pair: tuple[Host, Host]) -> None:
    left, _ = pair
    portlist = left.root / "proc/fs/nfsd/portlist"
    portlist.unlink()
    assert left.look(programs)["problem"] == ""
    portlist.mkdir()
    assert left.look(programs)["problem"].startswith(
        "cannot read /proc/fs/nfsd/portlist: Is a directory; "
    )
