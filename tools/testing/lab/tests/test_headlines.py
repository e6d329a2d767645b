# SPDX-License-Identifier: GPL-2.0
"""The headlines: their file, their arithmetic and page, and one for real."""

from __future__ import annotations

from typing import Any

import pytest

from tools.kernel.errors import LabError
from tools.testing.lab import scenario
from tools.testing.lab.bench import headlines
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


@pytest.mark.parametrize("case", FIGURES, ids=lambda case: str(case[0]))
def test_figure(case: tuple[str, dict[str, Any], float, float]) -> None:
    name, phase, value, limit = case
    _, value_of, limit_of = headlines.METRICS[name]
    assert value_of(phase) == pytest.approx(value)
    assert limit_of(phase, CLIENT) == pytest.approx(limit)


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
        headlines.METRICS[name][1](phase)


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


def test_committed() -> None:
    """Each headline's setups have a row, and no other has."""
    wanted = {(h.name, s.title) for h in HEADLINES.values() for s in h.setups}
    rows = headlines.STORE.read()
    assert {headlines.STORE.named(row) for row in rows} == wanted


@pytest.mark.usefixtures("program")
def test_one_headline(images: Images) -> None:
    """Few buffers, and read-ahead in their place: one boot of each kernel."""
    made = {
        ("", "stock"): (images.trees.base, images.stock),
        ("", "patched"): (images.trees.base, images.patched),
    }
    runs = headlines.runs([HEADLINES["2006"]], made)
    assert [len(run.setups) for run in runs] == [5, 1]
    reports = [measured.run(run.image, run.plan).report for run in runs]
    there = [
        row
        for run, report in zip(runs, reports, strict=True)
        for row in headlines.figures(run, report)
    ]
    small, large, _, _, stock, ours = (row["value"] for row in there)
    assert large > 1.13 * small
    assert ours > stock
    # Once it is settled; slow start and the close of the file take a little.
    assert ours >= 0.95 * there[-1]["limit"]
    assert all(row["value"] <= 1.01 * row["limit"] for row in there)
