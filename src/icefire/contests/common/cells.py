"""Read a contest's text files cell by cell and name wrong cells with their row and column."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from icefire.contests.common.problem import Problem
from icefire.core import formatting
from icefire.io import files

MOST = 200
"""Problems listed of one file and column; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A file without a header as text, one column per name."""

    file: str
    frame: pl.DataFrame

    @property
    def height(self) -> int:
        """Number of rows."""
        return self.frame.height

    def wrong(self, column: str, bad: pl.Series, allowed: str) -> list[Problem]:
        """Name the cells of a column that are wrong."""
        rows = bad.fill_null(True).arg_true()
        listed = [
            Problem(self.file, f"{_shown(self.frame[column][row])} is not allowed; {allowed}", row, column)
            for row in rows[:MOST].to_list()
        ]
        if len(rows) > MOST:
            listed.append(
                Problem(self.file, f"{formatting.counted(len(rows) - MOST, 'more cell')} like these", None, column)
            )
        return listed


def read(path: Path, names: Sequence[str]) -> tuple[Cells | None, list[Problem]]:
    """Read a file whose rows must have exactly these columns; rows of another width are named."""
    files.check_readable(path)
    widths = _other_widths(path, len(names))
    if widths:
        return None, widths
    frame = pl.read_csv(path, has_header=False, infer_schema=False, new_columns=list(names))
    return Cells(path.name, frame.select(pl.all().str.strip_chars())), []


def _other_widths(path: Path, wanted: int) -> list[Problem]:
    problems = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row, cells in enumerate(csv.reader(file)):
            if len(cells) != wanted:
                problems.append(
                    Problem(path.name, f"{formatting.counted(len(cells), 'column')}; {wanted} are needed", row)
                )
            if len(problems) > MOST:
                break
    return problems


def whole_numbers(cells: Cells, column: str, low: int, high: int) -> list[Problem]:
    """Name the cells that are not whole numbers from low to high."""
    numbers = cells.frame[column].cast(pl.Int64, strict=False)
    return cells.wrong(column, ~numbers.is_between(low, high), f"a whole number from {low:,} to {high:,}")


def numbers(cells: Cells, column: str, right: Callable[[pl.Series], pl.Series], allowed: str) -> list[Problem]:
    """Name the cells that are no finite numbers, or not right ones."""
    read_as = cells.frame[column].cast(pl.Float64, strict=False)
    return cells.wrong(column, ~(read_as.is_finite() & right(read_as)), allowed)


def one_of(cells: Cells, column: str, allowed: Sequence[str]) -> list[Problem]:
    """Name the cells that hold none of these words."""
    return cells.wrong(column, ~cells.frame[column].is_in(list(allowed)), f"one of {', '.join(allowed)}")


def repeated(cells: Cells, column: str, what: str) -> list[Problem]:
    """Name the cells that hold what an earlier row holds."""
    return cells.wrong(column, ~cells.frame[column].is_first_distinct(), f"each {what} once")


def _shown(value: str | None) -> str:
    return "an empty cell" if value is None or value == "" else repr(value)
