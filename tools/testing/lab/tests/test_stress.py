# SPDX-License-Identifier: GPL-2.0
"""What the stress takes for a fault, without its kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tools.testing.lab.stress import stress

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
    "a race with nobody": (["BUG: KCSAN: data-race in svc_tcp_sendto"], 1),
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
NEEDED = (*stress.LEAST, *stress.MUST, *KERNEL.must)


def _failures(result: dict[str, Any]) -> list[str]:
    return stress.failures(KERNEL, result, 10)


def _result(**counts: int) -> dict[str, Any]:
    enough = dict.fromkeys(NEEDED, 10**6)
    return {
        "counts": {**enough, "longest_wait_ms": 100, **counts},
        "errors": [],
        "boot": "some: is on",
    }


@pytest.mark.parametrize("name", NEEDED)
def test_too_little(name: str) -> None:
    (said,) = _failures(_result(**{name: 0}))
    assert name in said


def test_stall() -> None:
    (said,) = _failures(_result(longest_wait_ms=46_000))
    assert "46000 ms" in said


def test_a_kernel_that_does_not_watch() -> None:
    """KCSAN was once built in, and not enabled."""
    (said,) = _failures({**_result(), "boot": "some: strict mode configured"})
    assert "some: is on" in said


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
    scripts = [{"name": "a.sh", "exit": e, "output": ""} for e in exits]
    _, failures = stress.tests({"boot": boot, "selftests": scripts})
    assert bool(failures) == bool(said)
    assert all(said in failure for failure in failures)
