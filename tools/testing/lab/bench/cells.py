# SPDX-License-Identifier: GPL-2.0
"""The cells of the bench, its peers, and the scenario of one in the other."""

from __future__ import annotations

import dataclasses
import itertools
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.testing.lab import scenario

PEERS_FILE = Path(__file__).with_name("peers.toml")
RATES_MBIT = (100, 1000, 10000)
RTTS_MS = (0.2, 1, 10, 30, 60, 120, 300)
# What is varied, one factor at a time, and around which rate and RTT.
ANCHORS = ((1000, 30), (10000, 30), (10000, 120))
VARIED_NFS = "4.2"
# What is allowed for settling, and how long the steady rate is looked at.
SETTLE_S, SETTLE_RTTS, STEADY_S = 5, 20, 4
# A loss of 1e-5 is rare: a rate must be looked at for longer, in seconds. Which
# packets are lost is chance: it is drawn so often, each time with another seed.
STEADY_LOSS_S = 20
DRAWS = 3
# What a writer may leave dirty at least, and beyond that in seconds of the
# path's rate and in RTTs of it. It is flushed when the looking is over, and
# takes long on a slow path.
DIRTY_BYTES, DIRTY_S, DIRTY_RTTS = 100_000_000, 2, 8
# Memory of the guest in MB, and MiB of the file that is written round and
# round: more than may be dirty, so that no dirty page is written twice.
ROOM = {100: (2500, 700), 1000: (3000, 900), 10000: (11000, 3000), 40000: (11000, 3000)}
# At 10 Gbit/s a short path leaves so little dirty that this is enough, in MB,
# and two guests at a time fit into a machine of 24 GB.
SHORT_RTT_MS, SHORT_MEMORY_MB = 60, 8000
# Of the client that asks for attributes meanwhile.
LAN = scenario.Client(rate_mbit=10000, delay_ms=0.1)


@dataclass(frozen=True)
class Peer:
    """What somebody does on both ends; peers.toml says what each means."""

    title: str
    hosts: scenario.Sysctl = field(default_factory=dict)
    guest: scenario.Sysctl = field(default_factory=dict)
    nconnect: int = 0
    read_ahead_kb: int = 0
    options: str = ""
    daemon: bool = False

    @property
    def kernel(self) -> str:
        """Which of the two kernels it runs on."""
        return "patched" if self.daemon else "stock"


@dataclass(frozen=True)
class Cell:
    """A path, the version of NFS, and what is not as usual.

    base: of the kernel; "" is the newest. cc: congestion control. loss: share
    of packets that are lost, each way. nconnect: 0 is the peer's own.
    """

    rate_mbit: int
    rtt_ms: float
    nfs: str
    base: str = ""
    cc: str = "cubic"
    loss: float = 0
    mtu: int = 1500
    nconnect: int = 0

    def __str__(self) -> str:
        varied = [
            f"{name.name} {getattr(self, name.name):g}"
            if isinstance(name.default, int | float)
            else f"{name.name} {getattr(self, name.name)}"
            for name in dataclasses.fields(self)[3:]
            if getattr(self, name.name) != name.default
        ]
        path = f"{self.rate_mbit} Mbit/s x {self.rtt_ms:g} ms NFSv{self.nfs}"
        return ", ".join([path, *varied])

    @property
    def limit(self) -> float:
        """Payload that the path carries at most, in MB/s: see demo.py."""
        return self.rate_mbit / 8 * (self.mtu - 52) / (self.mtu + 14)

    @property
    def deadline_s(self) -> float:
        """Seconds after its first byte by which a transfer must settle."""
        return SETTLE_S + SETTLE_RTTS * self.rtt_ms / 1e3

    @property
    def end_s(self) -> float:
        """Seconds after its first byte until which a transfer is looked at."""
        return self.deadline_s + (STEADY_LOSS_S if self.loss else STEADY_S)

    @property
    def seeds(self) -> range:
        """Of the guest's random numbers: a run for each."""
        return range(DRAWS if self.loss else 1)

    @property
    def cost(self) -> float:
        """What it takes to run, in any unit: bytes, and some for the boot."""
        return self.rate_mbit * self.end_s + 5000


def _varied() -> list[Cell]:
    cells = []
    for rate, rtt in ANCHORS:
        anchor = Cell(rate, rtt, VARIED_NFS)
        changes: list[dict[str, Any]] = [
            {"nconnect": 4},
            {"loss": 1e-5},
            {"loss": 1e-4},
            {"cc": "bbr"},
            {"mtu": 9000},
            {"base": "6.12"},
            *([{"rate_mbit": 40000}] if rate == 10000 else []),
        ]
        cells += [dataclasses.replace(anchor, **one) for one in changes]
    return cells


MAIN = tuple(itertools.starmap(Cell, itertools.product(RATES_MBIT, RTTS_MS, ("3", "4.2"))))
CELLS = (*MAIN, *_varied())
CORNERS = (Cell(100, 300, "3"), Cell(1000, 0.2, "3"), Cell(1000, 120, "4.2"))


def peers() -> dict[str, Peer]:
    """All peers by name."""
    tables = tomllib.loads(PEERS_FILE.read_text())
    return {name: Peer(**table) for name, table in tables.items()}


def _memory_mb(cell: Cell, usual: int) -> int:
    short = cell.rate_mbit == 10000 and cell.rtt_ms <= SHORT_RTT_MS
    return SHORT_MEMORY_MB if short else usual


def _dirty(cell: Cell, memory_mb: int) -> scenario.Sysctl:
    """Limits of dirty pages; none where the usual ones, of 40 %, are less."""
    seconds = DIRTY_S + DIRTY_RTTS * cell.rtt_ms / 1e3
    most = max(DIRTY_BYTES, int(cell.rate_mbit * 1e6 / 8 * seconds))
    if most > 0.4 * memory_mb * 1e6:
        return {}
    return {"vm.dirty_bytes": most, "vm.dirty_background_bytes": most // 4}


def plan(cell: Cell, peer: Peer) -> scenario.Scenario:
    """The scenario of a cell for a peer."""
    base = scenario.load("grid", "tcptuned" if peer.daemon else "default")
    nconnect = cell.nconnect or peer.nconnect
    options = [f"nconnect={nconnect}"] if nconnect else []
    congestion = {"net.ipv4.tcp_congestion_control": cell.cc}
    usual_mb, write_mib = ROOM[cell.rate_mbit]
    memory_mb = _memory_mb(cell, usual_mb)
    # The first byte comes a few round trips after the start.
    seconds = cell.end_s + 5 * cell.rtt_ms / 1e3

    def of_cell(client: scenario.Client) -> scenario.Client:
        return dataclasses.replace(
            client,
            rate_mbit=cell.rate_mbit,
            delay_ms=cell.rtt_ms / 2,
            nfs=cell.nfs,
            loss_percent=100 * cell.loss,
            # One lost packet must not be a burst of 64 KiB.
            gso=not cell.loss,
            mtu=cell.mtu,
            options=",".join([*filter(None, [peer.options]), *options]),
            read_ahead_kb=peer.read_ahead_kb,
            sysctl={**client.sysctl, **peer.hosts, **congestion},
        )

    def for_so_long(job: scenario.Job) -> scenario.Job:
        return dataclasses.replace(
            job,
            seconds=seconds if job.seconds else 0,
            size_mib=write_mib if job.do == "write" else job.size_mib,
        )

    stat = scenario.Job("stat", "lan", file="small")
    phases = [
        dataclasses.replace(
            phase,
            jobs=[for_so_long(job) for job in phase.jobs]
            + ([stat] if phase.name in ("write", "read") else []),
        )
        for phase in base.phases
    ]
    clients = {name: of_cell(one) for name, one in base.clients.items()}
    sysctl = {
        **base.server.sysctl,
        **peer.hosts,
        **peer.guest,
        **congestion,
        **_dirty(cell, memory_mb),
    }
    return dataclasses.replace(
        base,
        clients={**clients, "lan": dataclasses.replace(LAN, nfs=cell.nfs)},
        server=dataclasses.replace(base.server, sysctl=sysctl),
        phases=phases,
        memory_mb=memory_mb,
        daemons_first=peer.daemon,
    )
