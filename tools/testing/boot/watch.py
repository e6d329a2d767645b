# SPDX-License-Identifier: GPL-2.0
"""A transfer over the path of far.py, watched second by second.

A script in the machine makes the transfer and prints what it sees: bytes on the
path, memory of TCP, the processors, the sockets of both ends. The rest of this
file makes figures of that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.testing.boot import far

# How long a transfer is looked at, and how much of that is its steady state.
SECONDS, STEADY_S = 40, 15
# For what is still on the way when a transfer was ended.
PAUSE_S = 5
# What ss says of a socket.
_RTT = re.compile(r"\brtt:(\d+)")
PAGE_BYTES = 4096
_SCRIPT = """
tick() {{
    read -r bytes </sys/class/net/w0/statistics/{counter}
    mapfile -t lines </proc/net/sockstat
    read -r cpu </proc/stat
    echo "tick $EPOCHREALTIME $bytes $cpu ${{lines[1]}}"
}}
socket() {{
    ss -tmiOnH "${{@:2}}" state established \
        '( sport = :{port} or dport = :{port} )' | sed "s/^/$1 /"
}}
echo "transfer {label}"
{before}
tick
{words} &
for second in $(seq {seconds}); do
    sleep 1
    tick
done
socket server
socket client -N {netns}
kill $(jobs -p)
wait
{after}
sleep {pause}
"""


@dataclass(frozen=True)
class Transfer:
    """What moves, in bash, and where it is seen on its way."""

    title: str
    words: str
    counter: str
    port: int
    before: str = ""
    after: str = ""


_FILE = f"truncate -s 0 {far.FILE}"
_CLIENT = f"ip netns exec {far.NETNS} socat -u -b 1048576"
_SERVER = "socat -u -b 1048576"
TRANSFERS = {
    "nfs_write": Transfer(
        "NFS write",
        f"dd bs=1M status=none if=/dev/zero of={far.FILE} conv=notrunc",
        "rx_bytes",
        2049,
        after=_FILE,
    ),
    "nfs_read": Transfer(
        "NFS read",
        f"dd bs=1M status=none if={far.FILE} of=/dev/null",
        "tx_bytes",
        2049,
        before=f"{_FILE}; truncate -s 2G {far.FILE}",
        after=_FILE,
    ),
    "tcp_write": Transfer(
        "plain TCP to the server",
        f"{_CLIENT} OPEN:/dev/zero TCP:{far.SERVER}:5001,retry=5",
        "rx_bytes",
        5001,
        before=f"{_SERVER} TCP-LISTEN:5001 OPEN:/dev/null &",
    ),
    "tcp_read": Transfer(
        "plain TCP to the client",
        f"{_CLIENT} TCP:{far.SERVER}:5002,retry=5 OPEN:/dev/null",
        "tx_bytes",
        5002,
        before=f"{_SERVER} OPEN:/dev/zero TCP-LISTEN:5002 &",
    ),
}


def script() -> str:
    """What makes all transfers, one after the other."""
    return "".join(
        _SCRIPT.format(
            label=label,
            seconds=SECONDS,
            pause=PAUSE_S,
            netns=far.NETNS,
            **vars(transfer),
        )
        for label, transfer in TRANSFERS.items()
    )


def all_figures(printed: str) -> dict[str, float | None]:
    """What the script printed, as the figures of each transfer."""
    parts = re.split(r"^transfer (\w+)$", printed, flags=re.MULTILINE)[1:]
    return {
        f"{TRANSFERS[label].title}: {what}": figure
        for label, part in zip(parts[::2], parts[1::2], strict=True)
        for what, figure in figures(part).items()
    }


@dataclass(frozen=True)
class _Tick:
    """One line of the script."""

    at_s: float
    bytes: int
    tcp_bytes: int
    busy: int
    idle: int


def figures(printed: str) -> dict[str, float | None]:
    """What the script's output says of a transfer."""
    ticks = [_tick(line) for line in printed.splitlines() if "tick " in line]
    first, last = ticks[-1 - STEADY_S], ticks[-1]
    idle, busy = last.idle - first.idle, last.busy - first.busy
    steady = (last.bytes - first.bytes) / (last.at_s - first.at_s) / 1e6
    return {
        "steady, MB/s": round(steady, 2),
        "TCP memory at most, MB": round(
            max(one.tcp_bytes for one in ticks) / 1e6, 1
        ),
        "processors idle, share": round(idle / (idle + busy), 2),
        "server's RTT, ms": _rtt_ms(printed, "server"),
        "client's RTT, ms": _rtt_ms(printed, "client"),
    }


def _tick(line: str) -> _Tick:
    words = line.split()
    # user nice system idle iowait irq softirq steal
    processors = [int(word) for word in words[4:12]]
    waits = processors[3] + processors[4]
    return _Tick(
        at_s=float(words[1]),
        bytes=int(words[2]),
        tcp_bytes=int(words[words.index("mem") + 1]) * PAGE_BYTES,
        busy=sum(processors) - waits,
        idle=waits,
    )


def _rtt_ms(printed: str, side: str) -> int | None:
    """Of the socket at one end, as ss shows it on one line."""
    for line in printed.splitlines():
        if line.startswith(f"{side} ") and (found := _RTT.search(line)):
            return int(found[1])
    return None
