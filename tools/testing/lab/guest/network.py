# SPDX-License-Identifier: GPL-2.0
"""The simulated WAN: a network namespace and a netem path per client."""

import os
from collections.abc import Iterable
from pathlib import Path

from tools.kernel.errors import LabError
from tools.testing.lab.guest.shell import run, sysctl
from tools.testing.lab.scenario import Client

# Packets that a path's queue holds unless a scenario says how many. Enough
# never to drop by itself.
QUEUE_PACKETS = 10_000_000


def address(index: int, host: str, family: int) -> str:
    """IP address of "server" or "client" on the path of client index."""
    last = 1 if host == "server" else 2
    if family == 6:
        return f"fd00:{index}::{last}"
    return f"10.{index >> 8}.{index & 255}.{last}"


def add_client(index: int, name: str, client: Client) -> None:
    """Lay the path of a client, see address()."""
    near = f"s-{name}"
    _ip(None, [f"netns add {name}"])
    if client.router:
        ends = _through_router(near, index, name, client)
    else:
        ends = [(None, near), (name, "eth0")]
        _veth(client.mtu, *ends)
    for netns, device, host in ((None, near, "server"), (name, "eth0", "client")):
        ip4, ip6 = (address(index, host, family) for family in (4, 6))
        lines = [
            f"addr add {ip4}/24 dev {device}",
            f"addr add {ip6}/64 dev {device} nodad",
            f"link set {device} up",
            "link set lo up",
        ]
        if not client.gso:
            lines.append(f"link set {device} gso_max_segs 1")
        _ip(netns, lines)
    for netns, device in ends:
        run(*_netem(device, client), netns=netns)


def _ip(netns: str | None, lines: Iterable[str]) -> None:
    """Run commands of ip in one process: of many clients each takes long."""
    # Its own: processes of the stress do this at the same time.
    batch = Path(f"/tmp/batch-{os.getpid()}")
    batch.write_text("\n".join(lines) + "\n")
    run("ip", *(["-n", netns] if netns else []), "-batch", str(batch))


# A device and the network namespace that it is in.
End = tuple[str | None, str]


def _veth(mtu: int, one: End, other: End) -> None:
    """Make a pair of devices."""
    near, far = (
        f"name {device} mtu {mtu}" + (f" netns {netns}" if netns else "")
        for netns, device in (one, other)
    )
    _ip(None, [f"link add {near} type veth peer {far}"])


def _through_router(near: str, index: int, name: str, client: Client) -> list[End]:
    """Two links and a router between them; the router's devices.

    Both ends stay in one subnet: the router answers for the other one.
    """
    if client.family != 4:
        raise LabError(f"client {name!r}: router is for family 4 only")
    router = f"r-{name}"
    run("ip", "netns", "add", router)
    _veth(client.mtu, (None, near), (router, "near"))
    _veth(client.mtu, (name, "eth0"), (router, "far"))
    sysctl("net.ipv4.ip_forward", 1, netns=router)
    for device, host, last in (("near", "server", 253), ("far", "client", 254)):
        run("ip", "link", "set", device, "up", netns=router)
        sysctl(f"net.ipv4.conf.{device}.proxy_arp", 1, netns=router)
        sysctl(f"net.ipv4.neigh.{device}.proxy_delay", 0, netns=router)
        end = address(index, host, 4)
        own = f"{end.rpartition('.')[0]}.{last}/32"
        run("ip", "addr", "add", own, "dev", device, netns=router)
        run("ip", "route", "add", f"{end}/32", "dev", device, netns=router)
    return [(router, "near"), (router, "far")]


def _netem(device: str, client: Client) -> list[str]:
    loss = client.loss_percent
    return [
        *("tc", "qdisc", "add", "dev", device, "root", "netem"),
        *("delay", f"{client.delay_ms}ms"),
        *("rate", f"{client.rate_mbit}mbit"),
        *(["loss", "random", f"{loss}%"] if loss else []),
        *("limit", str(client.queue_packets or QUEUE_PACKETS)),
    ]
