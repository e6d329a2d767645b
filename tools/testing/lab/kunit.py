# SPDX-License-Identifier: GPL-2.0
"""The series' KUnit tests: they run while the lab's kernel boots."""

import re
from pathlib import Path

from tools.kernel.progress import Say
from tools.testing.lab.guest import guest

SUITE = "sunrpc-tcpbuf"
TOTALS = re.compile(r"^# Totals: pass:(\d+) fail:(\d+) skip:(\d+)", re.MULTILINE)
MEMORY_MB = 256
TIMEOUT_S = 60


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
            f"kunit.filter_glob={SUITE}",
            "kunit_shutdown=poweroff",
        ],
        MEMORY_MB,
        TIMEOUT_S,
        say,
        "kunit",
    )
    start = console.find("KTAP version 1")
    totals = TOTALS.search(console)
    if start < 0 or not totals:
        raise guest.failure("kunit", "ran no test", console)
    print(console[start : totals.start()].rstrip())
    passed, failed, skipped = map(int, totals.groups())
    print(f"kunit: {passed} passed, {failed} failed, {skipped} skipped")
    guest.check("kunit", console, console)
    return 0 if passed and not failed else 1
