# SPDX-License-Identifier: GPL-2.0
"""The headlines: their file, their arithmetic and page, and one for real."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tools.kernel.errors import LabError
from tools.testing.lab import scenario
from tools.testing.lab.bench import headlines
from tools.testing.lab.rows import Row
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images

HEADLINES = {one.name: one for one in headlines.load()}
# 1 Gbit/s x 10 ms.
CLIENT = scenario.Client(rate_mbit=1000, delay_ms=5)
LIMIT = 125 * 1448 / 1514

DD = """\
2+0 records in
2+0 records out
8388608 bytes (8.4 MB, 8.0 MiB) copied, 0.5 s, 16.8 MB/s
"""
SMALL_DD = "1+0 records in\n4096 bytes (4.1 kB, 4.0 KiB) copied, 2e-05 s, 205\n"

# What programs said, and the bytes and seconds of each dd.
OUTPUTS: dict[str, tuple[str, list[tuple[int, float]]]] = {
    "one": (DD, [(8388608, 0.5)]),
    "two": (DD + SMALL_DD, [(8388608, 0.5), (4096, 2e-05)]),
    "none": ("dd: failed to open '/mnt/one/hole': Permission denied\n", []),
    "a sum": ("total 8388608 bytes, 0.5 s\n", []),
}


def _phase(*jobs: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "read", "jobs": list(jobs), **more}


def _said(output: str) -> dict[str, Any]:
    return {"do": "run", "exit": 0, "output": output}


def _sample(t_s: float, *pages: int) -> dict[str, Any]:
    sockets = {
        str(number): {"queued_bytes": held * 4096}
        for number, held in enumerate(pages)
    }
    return {"t_s": t_s, "server_sockets": sockets}


PASSES = {"passes": [{"mb_per_s": 40.0}, {"mb_per_s": 90.0}]}
SAMPLES = [_sample(0, 9), _sample(3, 1, 3), _sample(4, 2, 6), _sample(5, 99)]

# A metric's name, what was seen of a phase, its value and its limit.
FIGURES: list[tuple[str, dict[str, Any], float, float]] = [
    ("cold write", _phase(PASSES), 40, LIMIT),
    ("read", _phase(PASSES), 90, LIMIT),
    ("read", _phase(_said(DD * 2)), 2 * 8.388608 / 0.5, LIMIT),
    # The readers wait for a round trip each; many of them, for the path.
    ("4 KiB reads", _phase(_said(DD * 2)), 2 * 2048 / 0.5, 2 / 0.01),
    ("4 KiB reads", _phase(_said(DD * 999)), 999 * 4096, LIMIT * 1e6 / 4096),
    ("send buffers", _phase(samples=SAMPLES), 6, LIMIT * 1e6 * 0.01 / 4096),
]


@pytest.mark.parametrize("case", OUTPUTS.values(), ids=OUTPUTS)
def test_copied(case: tuple[str, list[tuple[int, float]]]) -> None:
    output, found = case
    assert headlines.copied(output) == found


@pytest.mark.parametrize("case", FIGURES, ids=lambda case: str(case[0]))
def test_figure(case: tuple[str, dict[str, Any], float, float]) -> None:
    name, phase, value, limit = case
    metric = headlines.METRICS[name]
    assert metric.value(phase) == pytest.approx(value)
    assert metric.limit(phase, CLIENT) == pytest.approx(limit)


# A metric, and a phase that it has no figure of.
NO_FIGURE = {
    "a dd failed": ("read", _phase({"exit": 1, "output": DD})),
    "no dd": ("4 KiB reads", _phase(_said(""))),
    "too short": ("send buffers", _phase(samples=SAMPLES[:1])),
}


@pytest.mark.parametrize("case", NO_FIGURE.values(), ids=NO_FIGURE)
def test_no_figure(case: tuple[str, dict[str, Any]]) -> None:
    name, phase = case
    with pytest.raises(LabError, match="phase 'read'"):
        headlines.METRICS[name].value(phase)


@pytest.mark.parametrize("headline", HEADLINES.values(), ids=HEADLINES)
def test_file(headline: headlines.Headline) -> None:
    metrics = {headline.metric, *(one.metric for one in headline.setups)}
    assert metrics - {""} <= headlines.METRICS.keys()
    titles = [one.title for one in headline.setups]
    assert len(set(titles)) == len(titles)
    assert any(one.title.startswith("this project") for one in headline.setups)
    for one in headline.setups:
        plan = scenario.load(headline.scenario, one.setup)
        assert one.phase in [phase.name for phase in plan.phases]
        assert one.kernel in ("stock", "patched")
        # The stock kernel has none of the series' files.
        files = "tcp_rcvbuf", "tcp_sndbuf", "tcp_notsent_lowat"
        if one.kernel == "stock":
            names = plan.server.sysctl.keys()
            assert not names & {f"sunrpc.{name}" for name in files}


def test_wrong_file(tmp_path: Path) -> None:
    file = tmp_path / "headlines.toml"
    file.write_text("[2026]\nsetups = []\nspeed = 3\n")
    with pytest.raises(LabError, match=r"headlines\.toml: .*speed"):
        headlines.load(file)


def _row(headline: headlines.Headline, index: int) -> Row:
    one = headline.setups[index]
    metric = headlines.METRICS[headline.metric]
    return {
        "headline": headline.name,
        "setup": one.title,
        "kernel": f"7.2 {one.kernel}",
        "metric": f"{headline.metric}, {metric.unit}",
        "value": 1500.0 + index,
        "limit": 1000.0,
        "key": "key",
    }


def test_text() -> None:
    """Rows in the file's order, each with its share of the limit."""
    first, second = HEADLINES["2008"], HEADLINES["2013"]
    there = [_row(second, 0), _row(first, 1), _row(first, 0)]
    rows = headlines.ordered([first, second], there)
    assert rows == [there[2], there[1], there[0]]
    text = headlines.text(rows)
    assert "at least 1,000" in text[-1]
    assert text[-1].endswith("150 %")


def test_committed() -> None:
    """Each headline's setups have a row, and no other has."""
    wanted = {(h.name, s.title) for h in HEADLINES.values() for s in h.setups}
    rows = headlines.STORE.read()
    assert {headlines.STORE.named(row) for row in rows} == wanted


@pytest.mark.usefixtures("program")
def test_one_headline(images: Images, tmp_path: Path) -> None:
    """Few buffers, and read-ahead in their place: one boot of each kernel."""
    headline = HEADLINES["2006"]
    made = {
        ("", "stock"): (images.trees.base, images.stock),
        ("", "patched"): (images.trees.base, images.patched),
    }
    wanted = headlines.runs([headline], made)
    assert [len(run.setups) for run in wanted] == [5, 1]
    store = dataclasses.replace(headlines.STORE, file=tmp_path / "rows.csv")
    for number, run in enumerate(wanted):
        assert headlines.missing(wanted, store.read()) == wanted[number:]
        result = measured.run(run.image, run.plan).report
        store.merge(headlines.figures(run, result))
    there = headlines.ordered([headline], store.read())
    assert headlines.missing(wanted, there) == []
    small, large, _, _, stock, ours = (row["value"] for row in there)
    assert large > 1.13 * small
    assert ours > stock
    # Once it is settled; slow start and the close of the file take a little.
    assert ours >= 0.95 * there[-1]["limit"]
    assert all(row["value"] <= 1.01 * row["limit"] for row in there)
