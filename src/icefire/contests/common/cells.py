"""Read a contest's text files cell by cell and name wrong cells with their row and column."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
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


def read(path: Path, names: Sequence[str], skip: int = 0, strip: bool = True) -> tuple[Cells | None, list[Problem]]:
    """Read a file whose rows, after so many lines, must have exactly these columns; rows of another width are named.

    Blanks around cells are taken off unless `strip` is False, for contests in which every letter of a cell counts.
    """
    files.check_readable(path)
    try:
        widths = _other_widths(path, len(names), skip)
        if widths:
            return None, widths
        frame = pl.read_csv(path, has_header=False, infer_schema=False, skip_rows=skip, new_columns=list(names))
    except UnicodeDecodeError as error:
        text = f"byte {error.object[error.start : error.start + 1].hex()} is no UTF-8; save the file as CSV in UTF-8"
        return None, [Problem(path.name, text)]
    except (csv.Error, pl.exceptions.PolarsError) as error:
        reason = str(error).strip().partition("\n")[0]
        return None, [Problem(path.name, f"it cannot be read as CSV ({reason}); save it as CSV in UTF-8")]
    return Cells(path.name, frame.select(pl.all().str.strip_chars()) if strip else frame), []


def _other_widths(path: Path, wanted: int, skip: int) -> list[Problem]:
    problems: list[Problem] = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row, cells in enumerate(islice(csv.reader(file), skip, None)):
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


def wrong_values(
    table: Cells,
    columns: Sequence[str],
    ranges: Mapping[str, tuple[float, float]],
    values: Mapping[str, Sequence[str]],
) -> list[Problem]:
    """List values of a survey outside their range or not among those allowed; all other columns hold numbers."""
    problems: list[Problem] = []
    for column in columns:
        if column in ranges:
            low, high = ranges[column]
            allowed = f"a number from {low:g} to {high:g}"
            problems += numbers(table, column, lambda n, a=low, b=high: n.is_between(a, b), allowed)  # type: ignore[misc]
        elif column in values:
            problems += one_of(table, column, values[column])
        else:
            problems += numbers(table, column, lambda n: n.is_not_null(), "a number (it is not used)")
    return problems
