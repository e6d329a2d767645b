# SPDX-License-Identifier: GPL-2.0
"""out/kernel.json: what the series' tests measured, one row a figure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from tools.kernel import overlay
from tools.kernel.errors import LabError


@dataclass(frozen=True)
class Figure:
    """A value that a run gave; the unit is in the name of the metric.

    setup: kernel and setup of the scenario, and what a test changed in it,
    such as "patched gate, 64 threads".
    """

    scenario: str
    base: str
    setup: str
    metric: str
    value: float


def merge(path: Path, new: Iterable[Figure]) -> None:
    """Put figures into a file, in the place of older ones of the same name.

    Raises LabError when the file is there and holds something else.
    """
    kept = {_name(figure): figure for figure in _read(path)}
    kept.update((_name(figure), figure) for figure in new)
    path.parent.mkdir(exist_ok=True)
    rows = [asdict(kept[name]) for name in sorted(kept)]
    overlay.replace(path, json.dumps(rows, indent=1) + "\n")


def _name(figure: Figure) -> tuple[str, ...]:
    return astuple(figure)[:-1]


def _read(path: Path) -> list[Figure]:
    if not path.exists():
        return []
    try:
        return [Figure(**row) for row in json.loads(path.read_text())]
    except (ValueError, TypeError) as error:
        raise LabError(f"{path}: {error}; delete it") from error
