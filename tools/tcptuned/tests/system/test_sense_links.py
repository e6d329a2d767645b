# SPDX-License-Identifier: GPL-2.0
"""What tcptuned knows of the links that carry NFS."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import namespaces
import pytest
from namespaces import NFS_PORT, Host, connect, only

pytest_plugins = ("sense_hosts",)

GBIT = 1_000_000_000


def test_link_that_the_device_has(
    programs: Path, pair: tuple[Host, Host], stack: ExitStack
) -> None:
    left, right = pair
    connect(stack, left, right, "10.0.1.1", NFS_PORT)
    link = only(left.look(programs))["link"]
    assert link["ifindex"] > 0
    assert link["name"] == "veth1"
    assert (link["source"], link["rate_bps"]) == ("ethtool", 10 * GBIT)


def test_link_that_is_configured(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    left, right = pair
    connect(stack, left, right, "10.0.1.1", NFS_PORT)
    link = only(left.look(programs, "--bandwidth", 123))["link"]
    assert link["name"] == "veth1"
    assert (link["source"], link["rate_bps"]) == ("conf", 123)


@pytest.mark.parametrize(
    ("qdisc", "rate_bps", "source"),
    [
        ("tbf rate 100mbit burst 1m latency 10ms", GBIT // 10, "qdisc"),
        ("tbf rate 40gbit burst 9m latency 10ms", 10 * GBIT, "ethtool"),
        ("netem delay 1ms rate 2gbit", 2 * GBIT, "qdisc"),
        ("netem delay 1ms", 10 * GBIT, "ethtool"),
        ("cake bandwidth 3gbit", 3 * GBIT, "qdisc"),
        ("cake unlimited", 10 * GBIT, "ethtool"),
        ("pfifo", 10 * GBIT, "ethtool"),
    ],
)
def test_link_with_a_qdisc(
    programs: Path,
    pair: tuple[Host, Host],
    stack: ExitStack,
    qdisc: str,
    rate_bps: int,
    source: str,
) -> None:
    left, right = pair
    connect(stack, left, right, "10.0.1.1", NFS_PORT)
    left.try_tc(f"qdisc add dev veth1 root {qdisc}")
    left.ip("link add other type veth peer name other1")
    left.tc("qdisc add dev other root tbf rate 9gbit burst 9m latency 1ms")
    link = only(left.look(programs))["link"]
    assert (link["source"], link["rate_bps"]) == (source, rate_bps)
    # What shapes at one end is not the other end's.
    right.mount("10.0.1.1")
    assert only(right.look(programs))["link"]["source"] == "ethtool"


def test_link_with_classes(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    left, right = pair
    connect(stack, left, right, "10.0.1.1", NFS_PORT)
    # No other device's classes, and no class below another one.
    left.ip("link add other type veth peer name other1")
    for device, ceil in (("veth1", "2gbit"), ("other", "3gbit")):
        left.try_tc(f"qdisc add dev {device} root handle 1: htb default 10")
        for words in (
            f"parent 1: classid 1:1 htb rate 1gbit ceil {ceil}",
            "parent 1: classid 1:2 htb rate 1mbit ceil 1gbit",
            "parent 1:1 classid 1:10 htb rate 1mbit ceil 9gbit",
        ):
            left.tc(f"class add dev {device} {words}")
    link = only(left.look(programs))["link"]
    assert (link["source"], link["rate_bps"]) == ("qdisc", 2 * GBIT)


def test_link_that_changes(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    """Another way to the peer, and another rate on it, are seen in time."""
    left, right = pair
    namespaces.join(left, right, 2)
    connect(stack, left, right, "10.0.1.1", NFS_PORT)
    with ThreadPoolExecutor() as pool:
        soon = pool.submit(left.look, programs, "--looks=2", "--pause=11")
        late = pool.submit(left.look, programs, "--looks=2", "--pause=31")
        time.sleep(1)
        left.tc("qdisc add dev veth1 root tbf rate 1gbit burst 1m latency 9ms")
        assert only(soon.result())["link"]["rate_bps"] == GBIT
        left.ip("route add 10.0.1.2/32 dev veth2")
        assert only(late.result())["link"]["name"] == "veth2"


def test_vlan_below_a_shaper(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    """The VLAN has the device's speed, and its shaper."""
    for number, host in enumerate(pair, 1):
        host.try_ip("link add link veth1 name vlan5 type vlan id 5")
        host.ip("link set vlan5 up")
        host.ip(f"addr add 10.0.5.{number}/24 dev vlan5")
    left, right = pair
    connect(stack, left, right, "10.0.5.1", NFS_PORT)
    link = only(left.look(programs))["link"]
    assert (link["name"], link["rate_bps"]) == ("vlan5", 10 * GBIT)
    left.tc("qdisc add dev veth1 root tbf rate 1gbit burst 1m latency 10ms")
    link = only(left.look(programs))["link"]
    assert (link["source"], link["rate_bps"]) == ("qdisc", GBIT)


@pytest.mark.parametrize(
    ("mode", "rate_bps"), [("active-backup", 10 * GBIT), ("balance-rr", 20 * GBIT)]
)
def test_bond(
    programs: Path, pair: tuple[Host, Host], stack: ExitStack, mode: str, rate_bps: int
) -> None:
    left, right = pair
    namespaces.join(left, right, 2)
    for number, host in enumerate(pair, 1):
        host.try_ip(f"link add bond0 type bond mode {mode} miimon 10")
        for device in ("veth1", "veth2"):
            host.ip(f"link set {device} down")
            host.ip(f"link set {device} master bond0")
        host.ip("link set bond0 up")
        host.ip(f"addr add 10.0.5.{number}/24 dev bond0")
    time.sleep(0.5)  # until the bond takes both for up
    connect(stack, left, right, "10.0.5.1", NFS_PORT)
    link = only(left.look(programs))["link"]
    assert (link["name"], link["rate_bps"]) == ("bond0", rate_bps)


def test_bridge(programs: Path, pair: tuple[Host, Host], stack: ExitStack) -> None:
    left, right = pair
    left.try_ip("link add br0 type bridge")
    left.ip("addr flush dev veth1")
    left.ip("link set veth1 master br0")
    left.ip("link set br0 up")
    left.ip("addr add 10.0.1.1/24 dev br0")
    time.sleep(0.1)  # until the port forwards
    connect(stack, left, right, "10.0.1.1", NFS_PORT)
    link = only(left.look(programs))["link"]
    assert (link["name"], link["source"]) == ("br0", "ethtool")
    assert link["rate_bps"] == 10 * GBIT
