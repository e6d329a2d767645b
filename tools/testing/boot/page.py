# SPDX-License-Identifier: GPL-2.0
"""The result of the boot test, as a page of Documentation/."""

from __future__ import annotations

import datetime
import textwrap
from collections.abc import Iterable
from pathlib import Path

from tools.kernel import command
from tools.testing.boot import far, inventory, machine
from tools.testing.boot.tally import Tally

TEXT = """\
.. SPDX-License-Identifier: GPL-2.0

====================
The last boot result
====================

The boot test wrote this on {date}, of commit {commit}, with
{qemu},
without KVM, {processors} processors and {memory} MB of memory. {passed} tests
passed, {failed} failed, in {minutes:.0f} minutes. lab.rst says what they are.

The client is a network namespace of the same machine, {rate} Mbit/s and
{rtt} ms away. Rates are those of a transfer from its second {start} to its
second {end}.

{figures}

After the packages were purged, with what they had brought, and after a reboot,
the machine was compared with what it had been before they came. These may
differ, and nothing else did:

{allowed}
"""


def commit() -> str:
    """What is tested, asked for before the tests take their hour."""
    found = command.run(
        ["git", "log", "-1", "--format=%h"], cwd=Path(__file__).parent
    )
    return found.stdout.strip() or "unknown"


def write(path: Path, of: str, tests: Tally, minutes: float) -> None:
    """Write the page of a commit."""
    qemu = command.must(["qemu-system-x86_64", "--version"], "qemu")
    path.write_text(
        TEXT.format(
            date=datetime.datetime.now(datetime.UTC).date().isoformat(),
            commit=of,
            qemu=qemu.splitlines()[0],
            processors=machine.PROCESSORS,
            memory=machine.MEMORY_MB,
            passed=tests.passed,
            failed=len(tests.failed),
            minutes=minutes,
            rate=far.RATE_MBIT,
            rtt=far.RTT_MS,
            start=far.FROM_S,
            end=far.TO_S,
            figures=_list(tests.figures),
            allowed=_list(
                f"``{names}``: {why}"
                for names, why in inventory.ALLOWED.items()
            ),
        )
    )


def _list(items: Iterable[str]) -> str:
    return "\n".join(
        textwrap.fill(
            item,
            width=79,
            initial_indent="- ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    )
