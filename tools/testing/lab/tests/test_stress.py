# SPDX-License-Identifier: GPL-2.0
"""What the stress takes for a fault, without its kernels."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Any

import pytest

from tools.testing.lab.stress import race, stress

# Lines of a console, and how many splats they are.
KASAN = "BUG: KASAN: slab-use-after-free in rpc_tcpbuf_gate_is_open+0x1/0x2"
OTHERS = "BUG: KCSAN: data-race in tcp_ack / tcp_poll"
CONSOLES = {
    "nothing": (["lab: start", "reboot: Power down"], 0),
    "memory": ([KASAN, "Call Trace:", " <TASK>"], 1),
    "locks": (["WARNING: suspicious RCU usage", "Call Trace:"], 1),
    "only a trace": (["Call Trace:"], 1),
    "a leak": (["kmemleak: 3 new suspected memory leaks"], 1),
    "leaked objects": (["unreferenced object 0xffff888100 (size 64):"], 1),
    "a reference": (["ref_tracker: net notrefcnt@1 has 1/1 users at"], 1),
    "a namespace": (["unregister_netdevice: waiting for eth0"], 1),
    "our race": (["BUG: KCSAN: data-race in tcp_ack / svc_tcp_sendto"], 1),
    "others' race": ([OTHERS, "Reported by Kernel Concurrency Sanitizer"], 0),
    "others' race, and memory": ([OTHERS, KASAN], 1),
}


@pytest.mark.parametrize("case", CONSOLES.values(), ids=CONSOLES)
def test_splats(case: tuple[list[str], int]) -> None:
    lines, number = case

    def is_ours(report: Sequence[str]) -> bool:
        return "svc_tcp_sendto" in report[0]

    assert len(stress.splats("\n".join(lines), is_ours)) == number


KERNEL = stress.Kernel("some", "some: is on", must=("faults",))
COUNTS = dict.fromkeys([*stress.LEAST, *stress.MUST, *KERNEL.must], 10**6)


def _failures(name: str, value: int, boot: str = "some: is on") -> str:
    counts = {**COUNTS, "longest_wait_ms": 100, name: value}
    result = {"counts": counts, "errors": [], "boot": boot}
    return "; ".join(stress.failures(KERNEL, result, 10))


def test_failures() -> None:
    wait = "longest_wait_ms"
    assert not _failures(wait, 100)
    for name in COUNTS:
        assert name in _failures(name, 0)
    assert "46000 ms" in _failures(wait, 46_000)
    # KCSAN was once built in, and not enabled.
    assert "some: is on" in _failures(wait, 100, "some: strict mode configured")


# KUnit's totals, the exit status of a kselftest, and what must be said.
TESTS = {
    "all pass": ("# Totals: pass:3 fail:0 skip:0 total:3", [0], ""),
    "KUnit fails": ("# Totals: pass:2 fail:1 skip:0 total:3", [0], "KUnit"),
    "no KUnit": ("", [0], "KUnit"),
    "kselftest fails": ("# Totals: pass:3 fail:0 skip:0 total:3", [1], "a.sh"),
    "no kselftest": ("# Totals: pass:3 fail:0 skip:0 total:3", [], "kselftest"),
}


@pytest.mark.parametrize("case", TESTS.values(), ids=TESTS)
def test_tests(case: tuple[str, list[int], str]) -> None:
    boot, exits, said = case
    scripts: list[dict[str, Any]] = [
        {"name": "a.sh", "exit": status, "output": ""} for status in exits
    ]
    _, failures = stress.tests({"boot": boot, "selftests": scripts})
    assert bool(failures) == bool(said)
    assert all(said in failure for failure in failures)


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
COUNT, WRITE, ELSEWHERE = "sv_stats->count++;", "ceiling = 1;", "tcp_ack"
# The functions that KCSAN names, the statements of both sides, and whether it
# is a race of the series. Statistics are upstream's.
RACES: list[tuple[str, tuple[str, ...], bool]] = [
    ("receive / receive", (COUNT, COUNT), False),
    ("receive / tcp_ack", (ELSEWHERE, COUNT), False),
    ("receive / receive", (WRITE, COUNT), True),
    ("receive / receive", (WRITE, ELSEWHERE), True),
    ("receive / tcp_ack", (), True),
    ("tcp_ack / receive", (), True),
    ("receive", (), True),
    ("tcp_ack / tcp_poll", (), False),
    ("xs_local_state_change / xs_reset_transport", (), False),
    ("xs_local_state_change / xs_local_state_change", (), True),
]


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
    if statement == ELSEWHERE:
        return " tcp_ack+0x10/0x40"
    frames = (f" receive+{offset:#x}/0x40" for offset in range(1, 0x40))
    return next(f for f in frames if objects.statement(f) == statement)


@pytest.mark.parametrize(("head", "statements", "is_ours"), RACES)
def test_races(
    objects: race.Objects, head: str, statements: tuple[str, ...], is_ours: bool
) -> None:
    report = [f"BUG: KCSAN: data-race in {head}", ""]
    for statement in statements:
        report += ["write to 0xff11000100 of 4 bytes by task 1 on cpu 0:"]
        report += [_frame(objects, statement)]
    assert race.is_ours([*report, " nfsd+0x1/0x2"], objects) == is_ours
