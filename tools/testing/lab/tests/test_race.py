# SPDX-License-Identifier: GPL-2.0
"""Which of KCSAN's reports are of the series, by a compiled object."""

from __future__ import annotations

import subprocess

import pytest

from tools.testing.lab.stress import race

SOURCE = """\
struct stats { unsigned int count; } *sv_stats;
int ceiling;

void wake(void);

void receive(void)
{
	wake();
	sv_stats->count++;
	ceiling = 1;
}

void xs_local_state_change(void) { ceiling = 2; }
void xs_reset_transport(void) { ceiling = 3; }
"""
COUNT, WRITE = "sv_stats->count++;", "ceiling = 1;"
ELSEWHERE = " tcp_ack+0x10/0x40"


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> race.Objects:
    """One object, compiled as the kernel's are for KCSAN."""
    folder = tmp_path_factory.mktemp("objects")
    source, built = folder / "some.c", folder / "some.o"
    source.write_text(SOURCE)
    subprocess.run(["gcc", "-g1", "-O0", "-c", source, "-o", built], check=True)
    return race.Objects([built])


def _frame(objects: race.Objects, statement: str) -> str:
    """The frame that a report shows for a statement of receive()."""
    frames = (f" receive+{offset:#x}/0x40" for offset in range(1, 0x40))
    return next(f for f in frames if objects.statement(f) == statement)


def _report(head: str, *frames: str) -> list[str]:
    sides = (
        (f"write to 0xff11000100 of 4 bytes by task {pid} on cpu 0:", frame)
        for pid, frame in enumerate(frames)
    )
    lines = [line for side in sides for line in side]
    return [f"BUG: KCSAN: data-race in {head}", "", *lines, " nfsd+0x1/0x2"]


def test_statistics_are_theirs(objects: race.Objects) -> None:
    count = _frame(objects, COUNT)
    report = _report("receive / receive", count, count)
    assert not race.is_ours(report, objects)


def test_statistics_beside_another_object_are_theirs(
    objects: race.Objects,
) -> None:
    report = _report("receive / tcp_ack", ELSEWHERE, _frame(objects, COUNT))
    assert not race.is_ours(report, objects)


def test_another_statement_is_ours(objects: race.Objects) -> None:
    for other in (_frame(objects, COUNT), ELSEWHERE):
        report = _report("receive / receive", _frame(objects, WRITE), other)
        assert race.is_ours(report, objects)


HEADS = {
    "receive / tcp_ack": True,
    "tcp_ack / receive": True,
    "receive": True,
    "tcp_ack / tcp_poll": False,
    "xs_local_state_change / xs_reset_transport": False,
    "xs_local_state_change / xs_local_state_change": True,
}


@pytest.mark.parametrize("head", HEADS)
def test_functions(head: str, objects: race.Objects) -> None:
    assert race.is_ours(_report(head), objects) == HEADS[head]
