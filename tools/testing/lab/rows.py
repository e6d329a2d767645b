# SPDX-License-Identifier: GPL-2.0
"""A CSV file of rows, each with a name; many processes may write to it."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.kernel import lock, overlay, tree
from tools.kernel.errors import LabError

# A value is a text, a number, or None where there is none.
Row = dict[str, Any]


@dataclass(frozen=True)
class Store:
    """Where rows are, and what is in them.

    name: the columns that tell a row from others, by which rows are ordered.
    others: the rest. texts: those of all columns that are no numbers.
    """

    file: Path
    name: tuple[str, ...]
    others: tuple[str, ...]
    texts: frozenset[str]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, in the order of the file."""
        return (*self.name, *self.others)

    def named(self, row: Row) -> tuple[Any, ...]:
        """A row's name."""
        return tuple(row[column] for column in self.name)

    def read(self) -> list[Row]:
        """All rows. LabError when the file holds something else."""
        if not self.file.exists():
            return []
        with self.file.open(newline="") as file:
            lines = csv.DictReader(file)
            if tuple(lines.fieldnames or ()) != self.columns:
                raise LabError(f"{self.file}: other columns; delete it")
            try:
                return [self._parsed(line) for line in lines]
            except (ValueError, TypeError) as error:
                raise LabError(f"{self.file}: {error}; delete it") from error

    def merge(self, new: Iterable[Row]) -> None:
        """Put rows into the file, in the place of older ones of the name."""
        self.file.parent.mkdir(exist_ok=True)
        with lock.held(_lock_of(self.file), tree.quiet):
            found = {self.named(row): row for row in [*self.read(), *new]}
            write(
                self.file,
                self.columns,
                ([found[n][c] for c in self.columns] for n in sorted(found)),
            )

    def _parsed(self, line: dict[str, str]) -> Row:
        if None in line or None in line.values():
            raise ValueError(f"a line has not {len(self.columns)} values")
        return {
            column: text if column in self.texts else _number(text) for column, text in line.items()
        }


def write(file: Path, head: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    """A CSV file in the place of an older one."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_text(value) for value in line] for line in lines)
    overlay.replace(file, text.getvalue())


def rounded(row: Row, digits: int = 3) -> Row:
    """A row as it is read again from its file."""
    return {
        key: round(value, digits) if isinstance(value, float) else value
        for key, value in row.items()
    }


def today() -> str:
    """What goes into the column `date`."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _lock_of(file: Path) -> Path:
    """Beside what was built, not beside a file that is committed."""
    folder = tree.folder() / "lock"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{file.name}.lock"


def _number(text: str) -> float | None:
    return float(text) if text else None


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
