# SPDX-License-Identifier: GPL-2.0
"""What the contest with bpftune makes of what its machine prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.testing.boot import contest, contest_page, watch
from tools.testing.lab.rows import Row

# As ss of iproute2 6.1 prints it; addresses are of a namespace.
SOCKET = (
    "0      4160      10.9.0.1:2049   10.9.0.2:881"
    " skmem:(r0,rb131072,t0,tb4194304,f0,w4160,o0,bl0,d7) ts sack cubic"
    " wscale:10,7 rto:804 rtt:500.317/0.9 ato:40 mss:1448 pmtu:1500 rcvmss:536"
    " advmss:1448 cwnd:2896 ssthresh:1448 bytes_sent:9 send 6.7Mbps"
    " rcv_space:14480 rcv_ssthresh:64088 minrtt:500.03 snd_wnd:3144704"
    " rcv_wnd:65536"
)
# 1 MB/s in the first three seconds, then 10 MB/s; a processor works half the
# time, and TCP has 1,000 pages at most.
SECONDS = 3 + watch.STEADY_S + 5


def _printed() -> str:
    lines, moved = [], 0
    for second in range(SECONDS + 1):
        pages = 1000 if second == 7 else 10
        lines.append(
            f"tick {100 + second}.000000 {moved} cpu {30 * second} 0"
            f" {10 * second} {50 * second} {10 * second} 0 0 0 0 0"
            f" TCP: inuse 5 orphan 0 tw 0 alloc 7 mem {pages}"
        )
        moved += 1_000_000 if second < 3 else 10_000_000
    return "\n".join([*lines, f"server {SOCKET}", "Terminated"])


def test_figures() -> None:
    found = watch.figures(_printed())
    assert found["steady_mb_per_s"] == 10
    assert found["t90_s"] == 4
    assert found["tcp_peak_mb"] == 4.1
    assert found["idle"] == 0.6
    assert found["mb_per_s"][:5] == [1, 1, 1, 10, 10]
    assert list(found["sockets"]) == ["server"]


def test_socket() -> None:
    assert watch.socket(SOCKET) == {
        "control": "cubic",
        "rcvbuf_bytes": 131072,
        "sndbuf_bytes": 4194304,
        "rcv_wnd_bytes": 65536,
        "snd_wnd_bytes": 3144704,
        "cwnd_packets": 2896,
        "mss_bytes": 1448,
        "rtt_ms": 500,
    }


@pytest.mark.parametrize(
    ("rates", "second"),
    [
        ([1, 9, 9, 9], 2),
        ([1, 1, 1], None),
        ([9, 1, 1, 9, 9, 9], 4),
        ([9], None),
    ],
)
def test_settled(rates: list[float], second: int | None) -> None:
    assert watch.settled(rates, 9) == second


def test_differences() -> None:
    """A sysctl of both namespaces is named once, one of none is not."""
    before = {"server": {"a": "1", "b": "1"}, "client": {"a": "1", "b": "1"}}
    after = {"server": {"a": "2", "b": "2"}, "client": {"a": "2", "b": "1"}}
    assert contest.differences(before, before) == []
    assert contest.differences(before, after) == [
        {"name": "a", "of": "both", "before": "1", "after": "2"},
        {"name": "b", "of": "server", "before": "1", "after": "2"},
    ]


def _row(peer: str) -> Row:
    seen = watch.figures(_printed())
    change = {"name": "net.a", "of": "both", "before": "1", "after": "2"}
    return {
        "suite": "sid",
        "date": "2026-01-01",
        "daemon": "",
        "peer": peer,
        "kernel": "7.2",
        "version": "" if peer == "nothing" else "1.0",
        "rate_mbit": 100,
        "rtt_ms": 500,
        "read_ahead_kb_before": 128,
        "read_ahead_kb": 128,
        "changed": [] if peer == "nothing" else [change],
        "kept": [change] if peer == "bpftune" else [],
        **dict.fromkeys(watch.TRANSFERS, seen),
    }


def test_tables(tmp_path: Path) -> None:
    rows = [_row(peer) for peer in contest.CONTESTANTS]
    contest_page.write(rows, tmp_path)
    lines = (tmp_path / "bpftune.csv").read_text().splitlines()
    assert lines[0] == "figure,nothing,bpftune,tcptuned"
    assert '"NFS write: steady, MB/s",10.0,10.0,10.0' in lines
    assert '"NFS write, 0 to 10 s, MB/s",7.3,7.3,7.3' in lines
    assert (tmp_path / "bpftune-sysctls.csv").read_text().splitlines()[1:] == [
        "bpftune,net.a,both,1,2,stays",
        "tcptuned,net.a,both,1,2,put back",
    ]
