# SPDX-License-Identifier: GPL-2.0
"""What the contest with bpftune makes of what its machine prints."""

from __future__ import annotations

from tools.testing.boot import contest, watch

# As ss of iproute2 6.1 prints it; addresses are of a namespace.
SOCKET = (
    "0      4160      10.9.0.1:2049   10.9.0.2:881"
    " skmem:(r0,rb131072,t0,tb4194304,f0,w4160,o0,bl0,d7) ts sack cubic"
    " wscale:10,7 rto:804 rtt:500.317/0.9 ato:40 mss:1448 rcv_rtt:7 minrtt:500.03"
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
    label = "nfs_write"
    found = watch.all_figures(f"transfer {label}\n{_printed()}")
    assert found == {
        "NFS write: steady, MB/s": 10,
        "NFS write: TCP memory at most, MB": 4.1,
        "NFS write: processors idle, share": 0.6,
        "NFS write: server's RTT, ms": 500,
        "NFS write: client's RTT, ms": None,
    }


def test_differences() -> None:
    """A sysctl of both namespaces is named once, one of none is not."""
    before = {"server": {"a": "1", "b": "1"}, "client": {"a": "1", "b": "1"}}
    after = {"server": {"a": "2", "b": "2"}, "client": {"a": "2", "b": "1"}}
    assert contest.differences(before, before) == []
    a, b = contest.differences(before, after)
    assert (a, b) == (["a", "both", "1", "2"], ["b", "server", "1", "2"])
    assert contest.stays(b, {("b", "both")})
    assert not contest.stays(b, {("b", "client")})
