# SPDX-License-Identifier: GPL-2.0
"""A client far away: a network namespace of the machine, behind netem.

The path is so long that the default windows fall short at a rate that an
emulated processor carries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.kernel.errors import LabError
from tools.testing.boot.machine import Machine
from tools.testing.lab.wire import payload_mb_per_s

NETNS = "wan"
SERVER = "10.9.0.1"
CLIENT = "10.9.0.2"
RATE_MBIT = 100
RTT_MS = 500
# A transfer is measured between these, when slow start is over.
FROM_S, TO_S = 20, 35
LIMIT_S = 600
LIMIT_MB_PER_S = payload_mb_per_s(RATE_MBIT)

LAY_OUT = f"""
set -e
# An emulated processor is late at times, which HyStart takes for a queue: slow
# start ended at 1 MB, and what is measured here was how cubic grows from there.
echo 0 >/sys/module/tcp_cubic/parameters/hystart
ip netns add {NETNS}
ip link add w0 type veth peer name eth0 netns {NETNS}
ip addr add {SERVER}/24 dev w0
ip link set w0 up
ip -n {NETNS} addr add {CLIENT}/24 dev eth0
ip -n {NETNS} link set eth0 up
ip -n {NETNS} link set lo up
netem="netem delay {RTT_MS // 2}ms rate {RATE_MBIT}mbit limit 100000"
tc qdisc add dev w0 root $netem
tc -n {NETNS} qdisc add dev eth0 root $netem
# Clients of one machine would be taken for one client.
modprobe nfs
ip netns exec {NETNS} sh -c \
    'echo {NETNS} >/sys/fs/nfs/net/nfs_client/identifier'
"""
MOUNT = f"""
mkdir -p /mnt/{NETNS}
nsenter --net=/run/netns/{NETNS} mount -t nfs4 -o vers=4.2 {SERVER}:/ \
    /mnt/{NETNS}
"""
# What both ends of it have.
LOOK = f"""
for inside in '' 'ip netns exec {NETNS}'; do
	$inside ss -tmi '( sport = :2049 or dport = :2049 )'
	$inside grep . /proc/sys/sunrpc/tcp_*
done
nstat -az | grep -v ' 0 *0.0$'
"""
FILE = f"/mnt/{NETNS}/file"
# Bytes that a dd moves through the server's device; GSO packets have a header
# each, which is next to nothing. What was not sent yet need not be.
_RATE = f"""
timeout {{to}} dd bs=1M status=none {{words}} &
sleep {FROM_S}
count=/sys/class/net/w0/statistics/{{counter}}
first=$(cat $count) from=$EPOCHREALTIME
sleep {TO_S - FROM_S}
last=$(cat $count) to=$EPOCHREALTIME
echo "rate $(( (last - first) * 1000 / (${{{{to/./}}}} - ${{{{from/./}}}}) )) kB/s"
kill %1
wait
"""
_WRITE = f"if=/dev/zero of={FILE} conv=notrunc"
_READ = f"if={FILE} of=/dev/null"


@dataclass(frozen=True)
class Rates:
    """What a mount does when it has settled, in MB/s."""

    write: float
    read: float


def lay_out(machine: Machine) -> None:
    """Make the namespace and the path to it."""
    machine.must(LAY_OUT)


def mount(machine: Machine) -> None:
    """Mount the server from far away."""
    machine.must(MOUNT, LIMIT_S)


def unmount(machine: Machine) -> None:
    """Take the mount and the namespace away."""
    machine.must(f"umount /mnt/{NETNS} && rmdir /mnt/{NETNS}", LIMIT_S)
    clear_up(machine)


def clear_up(machine: Machine) -> None:
    """Take the namespace away, where nothing is mounted."""
    machine.must(f"ip link del w0; ip netns del {NETNS}")


def measure(machine: Machine) -> Rates:
    """Write and read a large file over the mount."""
    write = _rate(machine, _WRITE, "rx_bytes")
    machine.must(f"truncate -s 0 {FILE}; truncate -s 2G {FILE}", LIMIT_S)
    read = _rate(machine, _READ, "tx_bytes")
    machine.must(f"truncate -s 0 {FILE}", LIMIT_S)
    return Rates(write, read)


def _rate(machine: Machine, words: str, counter: str) -> float:
    script = _RATE.format(to=2 * TO_S, words=words, counter=counter)
    said = machine.must(script, LIMIT_S)
    found = re.search(r"^rate (\d+) kB/s$", said, re.MULTILINE)
    if not found:
        raise LabError(f"no rate in: {said}")
    return int(found[1]) / 1000
