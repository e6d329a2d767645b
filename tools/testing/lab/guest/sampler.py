# SPDX-License-Identifier: GPL-2.0
"""What the guest looks at while a phase runs: progress, sockets, memory."""

import re
import time
from collections.abc import Mapping
from typing import Any, Protocol

from tools.testing.lab.guest.shell import run

NFS_PORT = 2049
# What ss prints of a socket, and the name and unit that a report gives it.
FIELDS = {
    "rcvbuf_bytes": re.compile(r"skmem:\(.*?,rb(\d+)"),
    "sndbuf_bytes": re.compile(r"skmem:\(.*?,tb(\d+)"),
    "unread_bytes": re.compile(r"skmem:\(r(\d+)"),
    "queued_bytes": re.compile(r"skmem:\(.*?,w(\d+)"),
    "acked_bytes": re.compile(r" bytes_acked:(\d+)"),
    "received_bytes": re.compile(r" bytes_received:(\d+)"),
    "unacked_packets": re.compile(r" unacked:(\d+)"),
    "mss_bytes": re.compile(r" mss:(\d+)"),
    # What the peer's window lets through.
    "snd_wnd_bytes": re.compile(r" snd_wnd:(\d+)"),
}


class Progress(Protocol):
    """A job that knows how much it has moved."""

    @property
    def moved_bytes(self) -> int: ...


class Sampler:
    """Takes a sample a time and keeps what a report wants of it."""

    def __init__(self, jobs: Mapping[str, Progress]) -> None:
        self._jobs = jobs
        self._start = time.monotonic()
        self.samples: list[dict[str, Any]] = []
        self.tcp_mem_pages = 0
        self.sockets: dict[str, dict[str, int]] = {}

    @property
    def elapsed_s(self) -> float:
        """Seconds since the phase started."""
        return time.monotonic() - self._start

    def take(self) -> None:
        """Look once."""
        moved = {name: job.moved_bytes for name, job in self._jobs.items()}
        sockets, pages = server_sockets(), _tcp_mem_pages()
        self.samples.append(
            {
                "t_s": self.elapsed_s,
                "moved_bytes": moved,
                "server_sockets": sockets,
                "tcp_mem_pages": pages,
            }
        )
        self.tcp_mem_pages = max(self.tcp_mem_pages, pages)
        for peer, sizes in sockets.items():
            peak = self.sockets.setdefault(peer, dict.fromkeys(sizes, 0))
            for key, value in sizes.items():
                peak[key] = max(peak[key], value)

    def report(self) -> dict[str, Any]:
        """Samples, and the peaks of what they saw."""
        return {
            "samples": self.samples,
            "tcp_mem_pages": self.tcp_mem_pages,
            "server_sockets": self.sockets,
        }


def _tcp_mem_pages() -> int:
    """Pages that all TCP sockets of the guest take, both ends of each path."""
    with open("/proc/net/sockstat") as file:
        for line in file:
            if line.startswith("TCP:"):
                return int(line.split()[-1])
    raise RuntimeError("/proc/net/sockstat has no TCP line")


def server_sockets() -> dict[str, dict[str, int]]:
    """FIELDS of the server's connections, by "address:port" of the peer.

    A peer may use a port for several addresses of the server's; all but the
    first of them are in the key too.
    """
    wanted = f"( sport = :{NFS_PORT} )"
    text = run("ss", "--no-header", "-tmiOn", "state", "established", wanted)
    sockets: dict[str, dict[str, int]] = {}
    lines = [(line.split()[2:4], line) for line in text.splitlines()]
    for (local, peer), line in sorted(lines):
        found = {name: field.search(line) for name, field in FIELDS.items()}
        sockets[f"{peer} {local}" if peer in sockets else peer] = {
            name: int(match[1]) if match else 0 for name, match in found.items()
        }
    return sockets
