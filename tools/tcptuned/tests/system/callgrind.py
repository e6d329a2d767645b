# SPDX-License-Identifier: GPL-2.0
"""Profiles of callgrind: a command that makes one of each call, and a reader."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

# A position, which may be relative, and a cost.
_COST = re.compile(r"(?:[+-]?\d+|\*) (\d+)")
# An object's or a function's number, with the name where it is met first. Those
# that begin with a "c" are of what is called next.
_NAME = re.compile(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?")


@dataclass
class Profile:
    """Instructions by function: its own, and with all that it calls.

    A function is known as "NAME, PROGRAM OR LIBRARY", in called by its name.
    """

    own: Counter[str] = field(default_factory=Counter)
    called: Counter[str] = field(default_factory=Counter)


def command(function: str, out: Path) -> list[str]:
    """What to put before a command: a profile of every call of a function.

    The profiles are files whose names begin with that of out, and end with a
    number.
    """
    return [
        *("valgrind", "--quiet", "--tool=callgrind"),
        *(f"--toggle-collect={function}", f"--dump-after={function}"),
        f"--callgrind-out-file={out}",
    ]


def files(out: Path) -> list[Path]:
    """The profiles so far, in the order of the calls; the last may grow yet."""
    found = out.parent.glob(f"{out.name}.*")
    return sorted(found, key=lambda path: int(path.suffix[1:]))


def read(text: str) -> Profile:
    """A profile of what its file says."""
    profile = Profile()
    objects: dict[str, str] = {}
    functions: dict[str, tuple[str, str]] = {}
    # Of the function whose costs come, and of the one that it calls.
    at, callee = {"ob": "", "fn": ""}, {"ob": "", "fn": ""}
    of_call = False
    for line in text.splitlines():
        named, cost = _NAME.fullmatch(line), _COST.fullmatch(line)
        if named:
            called, kind, number, name = named.groups()
            where = callee if called else at
            where[kind] = number
            if kind == "ob" and name:
                objects[number] = name.rpartition("/")[2]
            elif name:
                inside = objects[where["ob"] or at["ob"]]
                functions[number] = (name, inside)
        elif line.startswith("calls="):
            of_call = True
        elif cost and of_call:
            profile.called[functions[callee["fn"]][0]] += int(cost[1])
            of_call, callee["ob"] = False, ""
        elif cost:
            profile.own[", ".join(functions[at["fn"]])] += int(cost[1])
    return profile
