# SPDX-License-Identifier: GPL-2.0
"""The series' KUnit tests: they run while the lab's kernel boots."""

import re
from pathlib import Path

from tools.kernel.progress import Say
from tools.testing.lab.guest import guest

SUITES = "sunrpc-tcpbuf*"
_TOTALS = re.compile(r"^# Totals: pass:(\d+) fail:(\d+) skip:(\d+)", re.MULTILINE)
MEMORY_MB = 256
TIMEOUT_S = 60


def totals(console: str) -> tuple[int, int, int]:
    """Tests that passed, failed and were skipped, over all suites."""
    found = [tuple(map(int, suite)) for suite in _TOTALS.findall(console)]
    passed, failed, skipped = (sum(column) for column in zip((0, 0, 0), *found, strict=True))
    return passed, failed, skipped


def run(image: Path, say: Say) -> int:
    """Boot the image, print its test report and the count.

    Returns 0 when all tests passed, 1 otherwise. LabError when none ran
    or the kernel complained.
    """
    console = guest.boot(
        image,
        [
            "loglevel=7",
            "init=/bin/true",
            "kunit.enable=1",
            "kunit.autorun=1",
            f"kunit.filter_glob={SUITES}",
            "kunit_shutdown=poweroff",
        ],
        MEMORY_MB,
        TIMEOUT_S,
        say,
        "kunit",
    )
    start = console.find("KTAP version 1")
    ends = list(_TOTALS.finditer(console))
    if start < 0 or not ends:
        raise guest.failure("kunit", "ran no test", console)
    print(console[start : ends[-1].start()].rstrip())
    passed, failed, skipped = totals(console)
    print(f"kunit: {passed} passed, {failed} failed, {skipped} skipped")
    guest.check("kunit", console, console)
    return 0 if passed and not failed else 1
