# SPDX-License-Identifier: GPL-2.0
"""The simulated WAN: a network namespace and a netem path per client."""

from scenario import Client
from shell import run

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
    near, far = f"s-{name}", "eth0"
    run("ip", "netns", "add", name)
    run(
        *("ip", "link", "add", near, "mtu", str(client.mtu), "type", "veth"),
        *("peer", "name", far, "mtu", str(client.mtu), "netns", name),
    )
    for netns, device, host in ((None, near, "server"), (name, far, "client")):
        for family, bits in ((4, 24), (6, 64)):
            ip = f"{address(index, host, family)}/{bits}"
            nodad = ["nodad"] if family == 6 else []
            run("ip", "addr", "add", ip, "dev", device, *nodad, netns=netns)
        run("ip", "link", "set", device, "up", netns=netns)
        run(*_netem(device, client), netns=netns)
    run("ip", "link", "set", "lo", "up", netns=name)


def _netem(device: str, client: Client) -> list[str]:
    loss = client.loss_percent
    return [
        *("tc", "qdisc", "add", "dev", device, "root", "netem"),
        *("delay", f"{client.delay_ms}ms"),
        *("rate", f"{client.rate_mbit}mbit"),
        *(["loss", "random", f"{loss}%"] if loss else []),
        *("limit", str(client.queue_packets or QUEUE_PACKETS)),
    ]
