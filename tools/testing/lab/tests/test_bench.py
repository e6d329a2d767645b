# SPDX-License-Identifier: GPL-2.0
"""The bench: its cells, its peers, its comparison, and one cell for real."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest

from tools.kernel.errors import LabError
from tools.testing.lab import course, digests, image, scenario
from tools.testing.lab.bench import bench, cells, compare, pictures, summary
from tools.testing.lab.bench.cells import Cell
from tools.testing.lab.rows import Row
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images
from tools.testing.lab.wire import payload_mb_per_s

PEERS = cells.peers()
PATH = Cell(100, 30, "3")
MOST_BYTES = 60_000
MADE_OF = {"date": "2026-01-01", "series": "", "daemon": ""}


def _row(peer: str, rate: float, memory_mb: float = 1, **more: Any) -> Row:
    return {
        "kernel": "7.2 patched" if peer == compare.OURS else "7.2 stock",
        "peer": peer,
        "rate_mbit": 1000,
        "rtt_ms": 30,
        "nfs": "3",
        **compare.USUAL,
        "direction": "read",
        "mb_per_s": rate,
        "cold_mb_per_s": rate / 2,
        "t90_s": 0.3,
        "tcp_mem_mb": memory_mb,
        "lan_p50_ms": 0.2,
        "lan_p99_ms": 0.2,
        "seed": 0,
        "draws": 1,
        **MADE_OF,
        "key": peer,
        **more,
    }


def test_limit_of_large_packets() -> None:
    assert PATH.limit == pytest.approx(payload_mb_per_s(100))
    large = dataclasses.replace(PATH, mtu=9000)
    assert PATH.limit < large.limit < 100 / 8


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("cell", (PATH, *cells.CELLS[len(cells.MAIN) :]), ids=str)
def test_plans_are_scenarios(cell: Cell, peer: str) -> None:
    """A client's namespace cannot write what peers.toml has for the guest."""
    plan = cells.plan(cell, PEERS[peer])
    assert scenario.from_dict(scenario.to_dict(plan)) == plan
    assert not any("core." in n for c in plan.clients.values() for n in c.sysctl)
    assert plan.daemons_first == (peer == compare.OURS)
    assert plan.clients["reader"].gso == (not cell.loss)


def test_course() -> None:
    """1 MB/s for 2 s, then 10 MB/s, on two connections of one of two peers."""
    phase = {
        "samples": [
            {
                "t_s": t / 10,
                "server_sockets": {
                    "10.0.1.2:1": {"acked_bytes": max(0, t - 20) * 900_000},
                    "10.0.1.2:2": {"acked_bytes": 5 + t * 100_000},
                    "10.0.0.2:1": {"acked_bytes": t * 10**9},
                },
            }
            for t in range(60)
        ]
    }
    moved = course.total(phase, "read")
    assert moved[0] == (0, 0)
    assert course.mean(moved, 0, 1.95) == pytest.approx(1)
    assert course.mean(moved, 3, 5) == pytest.approx(10)
    assert course.reached(moved, 9.9) == pytest.approx(2)
    assert course.reached(moved, 10.1) is None
    assert course.begun(moved)[0] == (0, 300_000)


@pytest.mark.parametrize(
    ("rate", "memory_mb", "said"),
    [
        (98, 1, "98.0% of tuned"),
        (99.5, 3, ""),
        (100, 4.5, "4.5 MB, tuned 3.0"),
        (100, 3.5, ""),
        (120, 4, ""),
    ],
)
def test_not_fine(rate: float, memory_mb: float, said: str) -> None:
    """More memory is no fault where others with less do not come as far."""
    rows = [_row("tuned", 100, 3), _row("tcptuned", rate, memory_mb)]
    (one,) = compare.verdicts(rows)
    assert one.fine == (not said)
    assert said in " ".join(summary._behind(one))


def test_means_are_of_common_cells() -> None:
    rows = [
        _row("tcptuned", 100),
        _row("stock", 50),
        _row("tcptuned", 100, rtt_ms=60),
        _row("stock", 12.5, rtt_ms=60),
        # Of next to nothing, a ratio would be of what was rounded away.
        *(_row("tcptuned", 100, rtt_ms=10), _row("stock", 0.04, rtt_ms=10)),
        _row("tuned", 10, rtt_ms=120),
    ]
    number, found = compare.means(rows[:-1])
    assert number == 2
    assert found["stock"].mean == pytest.approx(4)
    assert (found["stock"].worst, found["stock"].best) == (2, 8)
    # No cell has all three, so there is no mean of any.
    assert compare.means(rows) == (0, {})
    assert len(compare.verdicts(rows)) == 3


def test_chance_is_averaged() -> None:
    """Of several draws, the mean; of what one did not reach, nothing."""
    rows = [
        *(_row("tcptuned", rate, loss=1e-5, seed=rate) for rate in (40, 60)),
        *(_row("stock", rate, loss=1e-5, seed=rate) for rate in (10, 40)),
    ]
    rows[2]["t90_s"] = None
    assert compare.means(rows)[1]["stock"].mean == pytest.approx(2)
    (cell,) = compare.by_cell(rows)
    assert (cell["tcptuned"]["mb_per_s"], cell["tcptuned"]["t90_s"]) == (50, 0.3)
    assert (cell["stock"]["cold_mb_per_s"], cell["stock"]["t90_s"]) == (12.5, None)
    assert len({bench.STORE.named(row) for row in rows}) == 4
    # A row that is the mean of three counts three times.
    rows = [_row("stock", 10, draws=3), _row("stock", 50, seed=3)]
    assert compare.by_cell(rows)[0]["stock"]["mb_per_s"] == 20


def test_loss_is_drawn_more_than_once(tmp_path: Path) -> None:
    """Each draw is a run of its own, and is missing by itself."""
    (tmp_path / image.KEY).touch()
    peer = PEERS["stock"]
    lossy = dataclasses.replace(PATH, loss=1e-5)
    assert (len(PATH.seeds), len(lossy.seeds)) == (1, cells.DRAWS)
    runs = [
        bench.Run(lossy, "stock", peer, "7.2", tmp_path / "linux", seed) for seed in lossy.seeds
    ]
    first = _row("stock", 1, key=runs[0].key)
    there = [first | {"seed": 1}, first | {"seed": 1}, first]
    assert bench.missing(runs, there) == [runs[0], *runs[2:]]


def test_families() -> None:
    """What is varied is not in the grid's means."""
    varied = {
        "Linux 6.12": _row("stock", 1, kernel="6.12 stock"),
        "40 Gbit/s": _row("stock", 1, rate_mbit=40000),
        "bbr": _row("stock", 1, cc="bbr"),
        "loss": _row("stock", 1, loss=1e-5),
    }
    usual = _row("stock", 1, kernel="10.1 stock")
    rows = [
        usual,
        *(
            row if name.startswith("Linux") else {**row, "kernel": "10.1 stock"}
            for name, row in varied.items()
        ),
    ]
    found = compare.families(rows)
    assert found.pop(compare.GRID) == [usual]
    assert list(found) == list(varied)
    assert compare.families([]) == {compare.GRID: []}


def test_tables_and_pictures_are_of_the_rows(tmp_path: Path) -> None:
    """No table or picture of the page has a figure that no row has."""
    rows = bench.STORE.read()
    made = pictures.draw(rows, bench.COURSES.read(), tmp_path)
    for path in [*made, *summary.write(rows, tmp_path)]:
        committed = (bench.FOLDER / path.name).read_text()
        assert path.read_text() == committed, "make pictures"
        assert len(committed) < MOST_BYTES


def test_behind() -> None:
    rows = [_row("tcptuned", 80, cc="bbr"), _row("stock", 90, cc="bbr")]
    rows[-1].update(cold_mb_per_s=80, lan_p99_ms=0.1)
    fine = [_row("tcptuned", 80), _row("stock", 80)]
    ((cell, *what),) = summary.behind([*rows, *fine])
    assert cell == "1000 Mbit/s x 30 ms NFSv3 read, bbr, 7.2"
    assert what == [*("88.9% of stock", "50.0% of stock", ""), "0.200 ms, stock 0.100"]


def test_measured_again(tmp_path: Path) -> None:
    """What differs is what git diff shows: the same row keeps its date."""
    store = dataclasses.replace(bench.STORE, file=tmp_path / "rows.csv")
    old, new = _row("stock", 100.5), {"date": "2027-01-01"}
    bench.merge(store, [old])
    bench.merge(store, [old | new])
    assert store.read() == [old]
    bench.merge(store, [old | new | {"mb_per_s": 101}])
    assert store.read() == [old | new | {"mb_per_s": 101}]


def _run(images: Images, peer: str) -> bench.Run:
    image = getattr(images, PEERS[peer].kernel)
    return bench.Run(PATH, peer, PEERS[peer], images.trees.base, image)


def test_a_peer_that_is_what_is_varied(tmp_path: Path) -> None:
    """Four connections are a peer's own, and a cell of their own."""
    (tmp_path / image.KEY).touch()
    cell = Cell(1000, 30, "4.2")
    usual, four = (
        bench.Run(one, "red-hat", PEERS["red-hat"], "7.2", tmp_path / "linux")
        for one in (cell, dataclasses.replace(cell, nconnect=4))
    )
    assert usual.key == four.key
    rows = [_row("red-hat", 1, key=usual.key) for _ in course.DIRECTIONS]
    assert bench.missing([usual, four], rows) == [four]


def test_stale_rows_are_measured_first(tmp_path: Path) -> None:
    """Those of other code before those that are not there, and alone."""
    (tmp_path / image.KEY).touch()
    runs = [
        bench.Run(cell, "stock", PEERS["stock"], "7.2", tmp_path / "linux")
        for cell in (Cell(10000, 30, "4.2"), PATH, Cell(1000, 30, "4.2"))
    ]
    path = {k: v for k, v in vars(PATH).items() if k != "base"}
    old = [_row("stock", 1, **path, key="old") for _ in course.DIRECTIONS]
    assert bench.in_order(runs, []) == [runs[0], runs[2], runs[1]]
    assert bench.in_order(runs, old) == [runs[1], runs[0], runs[2]]
    assert bench.in_order(runs, old, only_stale=True) == [runs[1]]
    same = [{**row, "key": runs[1].key} for row in old]
    assert bench.in_order(runs, same, only_stale=True) == []


def test_digests(tmp_path: Path) -> None:
    """Of the code alone, and a daemon must not be older than it."""
    assert digests.series("7.2") != digests.series("6.1")
    assert digests.of(b"a", b"b") != digests.of(b"ab")
    binary = tmp_path / "tcptuned"
    binary.touch()
    digests.check_binary(binary)
    os.utime(binary, (0, 0))
    with pytest.raises(LabError, match="make tcptuned"):
        digests.check_binary(binary)


@pytest.mark.usefixtures("program")
def test_one_cell(images: Images, tmp_path: Path) -> None:
    """A path that the stock kernel's read-ahead and windows are small for."""
    rows: list[Row] = []
    for peer in ("stock", "tcptuned"):
        run = _run(images, peer)
        assert bench.missing([run], rows) == [run]
        result = measured.run(run.image, run.plan).report
        rows += bench.figures(run, result)
        assert bench.missing([run], rows) == []
        assert bench.missing([run], [{**row, "key": ""} for row in rows]) == [run]
    store = dataclasses.replace(bench.STORE, file=tmp_path / "rows.csv")
    store.merge(rows)
    read = {store.named(row): row for row in store.read()}
    assert read == {store.named(row): row for row in rows}
    for one in compare.verdicts(rows):
        assert not one.slower, one
        assert one.ours["mb_per_s"] >= 0.97 * PATH.limit
        assert one.ours["t90_s"] is not None
        assert 0 < one.ours["lan_p50_ms"] <= one.ours["lan_p99_ms"] < 5
