# SPDX-License-Identifier: GPL-2.0
"""A JSON file of rows, each with a name; many processes may write to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tools.kernel import lock, overlay, tree
from tools.kernel.errors import LabError

Row = dict[str, Any]
Name = Callable[[Row], tuple[Any, ...]]


def read(file: Path, name: Name) -> list[Row]:
    """All rows. Raises LabError when the file holds something else."""
    if not file.exists():
        return []
    try:
        rows: list[Row] = json.loads(file.read_text())
        for row in rows:
            name(row)
    except (ValueError, TypeError, KeyError) as error:
        raise LabError(f"{file}: {error!r}; delete it") from error
    return rows


def merge(new: Iterable[Row], file: Path, name: Name) -> None:
    """Put rows into the file, in the place of older ones of the same name."""
    file.parent.mkdir(exist_ok=True)
    with lock.held(file.with_suffix(".lock"), tree.quiet):
        rows = {name(row): row for row in [*read(file, name), *new]}
        # Names of one kind have numbers where those of the other have words.
        ordered = sorted(rows, key=lambda one: (len(one), one))
        text = json.dumps([rows[one] for one in ordered], indent=1)
        overlay.replace(file, text + "\n")
