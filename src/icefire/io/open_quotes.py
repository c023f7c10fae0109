"""Quotes that are opened and not closed in text files: the rows that follow would become one cell, and be lost."""

from __future__ import annotations

import csv
import io

import polars as pl

from icefire.core.errors import InputError
from icefire.io.csv_layout import Layout

NEVER_CLOSED = "unexpected end of data"
"""What the reader of Python's library says where a file ends inside quotes."""
SHOWN = 30


def check_end(table: str, text: str, layout: Layout) -> None:
    """Refuse a file that ends inside quotes."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)[layout.skipped :]
    if layout.comment:
        lines = [line for line in lines if not line.startswith(layout.comment)]
    rows = csv.reader(io.StringIO("".join(lines), newline=""), delimiter=layout.separator, strict=True)
    row = -layout.has_header
    begin = 0
    try:
        for cells in rows:
            row, begin = row + bool(cells), rows.line_num
    except csv.Error as error:
        if str(error) == NEVER_CLOSED:
            raise _refusal(table, row, lines[begin].strip()) from None


def check_cells(table: str, frame: pl.DataFrame, separator: str) -> None:
    """Refuse a table with a cell that holds other rows: each of its lines would be a row."""
    for place, (name, dtype) in enumerate(frame.schema.items()):
        if dtype != pl.String:
            continue
        breaks = frame[name].str.count_matches("\n", literal=True)
        separators = frame[name].str.count_matches(separator, literal=True)
        is_suspect = (breaks > 0) & (separators == breaks * (frame.width - 1))
        for row in is_suspect.fill_null(value=False).arg_true().to_list():
            lines = _as_rows(frame.row(row), place, separator)
            if all(_is_row(line, frame, place) for line in lines):
                raise _refusal(table, row, separator.join(lines[0]))


def _as_rows(cells: tuple[object, ...], place: int, separator: str) -> list[list[str]]:
    """Return the lines of a cell, the first with the cells before it and the last with those after it."""
    first, *inner, last = str(cells[place]).replace("\r\n", "\n").split("\n")
    texts = ["" if cell is None else str(cell) for cell in cells]
    lines = [separator.join([*texts[:place], first]), *inner, separator.join([last, *texts[place + 1 :]])]
    return [line.split(separator) for line in lines]


def _is_row(cells: list[str], frame: pl.DataFrame, place: int) -> bool:
    """Tell whether cells fit the columns: numbers where all are numbers, otherwise a value of another row."""
    if len(cells) != frame.width:
        return False
    pairs = [(cell, column) for cell, column in zip(cells, frame, strict=True) if column.name != frame.columns[place]]
    numbers = [cell for cell, column in pairs if column.dtype.is_numeric()]
    if numbers:
        return all(_is_number(cell) for cell in numbers)
    return any(cell.strip('"') in column.cast(pl.String) for cell, column in pairs if cell)


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().strip('"') or "0")
    except ValueError:
        return False
    return True


def _refusal(table: str, row: int, begin: str) -> InputError:
    return InputError(
        f"row {row} of {table!r} opens a quote that is not closed in that row (rows are counted from 0; it begins with "
        f"{begin[:SHOWN]!r}): the rows after it would be lost in one cell; close the quote, or remove it"
    )
