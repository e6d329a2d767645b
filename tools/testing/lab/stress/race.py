# SPDX-License-Identifier: GPL-2.0
"""What KCSAN reports, and which of its races are of the series."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.kernel import command

HEAD = re.compile(r"BUG: KCSAN: [\w-]+ in (\S+)(?: / (\S+))?")
END = "=" * 20
# What one side did. The next line is the innermost frame.
ACCESS = re.compile(r"\b(read|write)\b.* to 0x[0-9a-f]+ of \d+ bytes by ")
# A line of nm.
CODE = re.compile(r"^([0-9a-f]+) [tT] (\S+)$", re.MULTILINE)
FRAME = re.compile(r"^ (\S+)\+0x([0-9a-f]+)/")

# Races of upstream in functions that the series changed as well, or that are in
# the same object: a local client's socket, which is released while its
# transport is reset; and statistics, which all threads count and none locks.
THEIRS = ({"xs_local_state_change", "xs_reset_transport"},)
UPSTREAM = re.compile(r"\bsv_stats->\w+\+\+;")


@dataclass(frozen=True)
class Objects:
    """Objects that hold the series, compiled with line numbers."""

    files: Sequence[Path]

    @cached_property
    def _places(self) -> dict[str, tuple[Path, int]]:
        """Object and address of each function."""
        places = {}
        for file in self.files:
            symbols = command.must(["nm", file], f"{file}")
            for address, name in CODE.findall(symbols):
                places[name] = (file, int(address, 16))
        return places

    def has(self, function: str) -> bool:
        """Whether a function is of these objects."""
        return function in self._places

    def _found(self, frame: str) -> re.Match[str] | None:
        found = FRAME.match(frame)
        return found if found and self.has(found[1]) else None

    def is_in(self, frame: str) -> bool:
        """Whether a frame of a report is of these objects."""
        return self._found(frame) is not None

    def statement(self, frame: str) -> str:
        """The line of source that a frame of a report is in, "" if unknown."""
        found = self._found(frame)
        if not found:
            return ""
        file, start = self._places[found[1]]
        # It is where the call of KCSAN returns to.
        address = f"{start + int(found[2], 16) - 1:#x}"
        said = command.must(["addr2line", "-e", file, address], f"{file}")
        source, _, number = said.split()[0].rpartition(":")
        if not number.isdigit():
            return ""
        return Path(source).read_text().splitlines()[int(number) - 1].strip()


def is_ours(report: Sequence[str], objects: Objects) -> bool:
    """Whether a report, from its head on, is of a race of the series."""
    head = HEAD.search(report[0])
    functions = set(head.groups()) - {None} if head else set()
    if functions in THEIRS or not any(map(objects.has, functions)):
        return False
    frames = [after for line, after in itertools.pairwise(report) if ACCESS.search(line)]
    # What other objects do is upstream's in any case.
    statements = [objects.statement(frame) for frame in frames if objects.is_in(frame)]
    return not statements or not all(map(UPSTREAM.search, statements))


def report(lines: Sequence[str]) -> list[str]:
    """The lines of a report that begins with the first of these."""
    found = []
    for line in lines:
        if line.startswith(END):
            break
        found.append(line)
    return found
