"""The layout of a text file: separator, comment lines above it, header and column names; rows of another width."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from icefire.core import formatting
from icefire.core.errors import InputError, listing
from icefire.core.reading import Spelling
from icefire.io import numbers
from icefire.io.format import DELIMITERS, RARE_DELIMITERS, Format

MOST_FIRST_ROWS = 1_000
MOSTLY = 0.9
"""Rows are cut into cells by a sign if it cuts so many of them into equally many."""
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
_DATE = re.compile(r"^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?$")
_OPEN = r"^-?[1-9][0-9]{0,2}[.][0-9]{3}$"
_OPEN_OR_WHOLE = r"^-?(?:[1-9][0-9]{0,2}[.][0-9]{3}|[0-9]{1,3})$"


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows and cells of a text file are divided."""

    separator: str
    names: tuple[str, ...]
    has_header: bool
    skipped: int = 0
    """Lines above the header that are left out."""
    comment: str | None = None
    missing: tuple[str, ...] = ()
    first_rows: tuple[tuple[str, ...], ...] = ()
    """Cells of the first rows of data, each as wide as the header."""
    remarks: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    """Columns without a name, called by their place, that were empty in the first rows."""

    def options(self) -> dict[str, Any]:
        """Return the options of polars' reader."""
        return {
            "separator": self.separator,
            "has_header": self.has_header,
            "new_columns": list(self.names),
            "null_values": ["", *self.missing],
            "skip_lines": self.skipped,
            "comment_prefix": self.comment,
        }

    def without_skipped(self) -> Layout:
        """Return the layout of the same rows without the lines that are left out."""
        return replace(self, skipped=0, comment=None)


def find(table: str, head: str, is_whole: bool, how: Format) -> Layout:
    """Find the layout by the beginning of a file.

    Raises:
        InputError: If the file has no usable header, or its first row looks like data.
    """
    lines = head.splitlines(keepends=True)
    if how.skip >= len(lines):
        raise InputError(f"--skip leaves out {how.skip} lines, but {table!r} has {len(lines)}; give a smaller number")
    named = _SEPARATOR_LINE.match(lines[0]) if not how.delimiter else None
    if named:  # the first line of what Excel writes
        how = replace(how, delimiter=named[1])
    skipped = how.skip or (1 if named else 0 if how.comment else _comment_lines(lines, how))
    body = [line for line in lines[skipped:] if not (how.comment and line.startswith(how.comment))]
    text = "".join(body).lstrip("\r\n")
    separator = how.delimiter or _separator(text, is_whole)
    rows = _parsed(text, separator, is_whole)
    if not any(cell.strip() for row in rows for cell in row):
        raise InputError(f"file {table!r} has no rows; give a table with a header and at least two rows")
    width = len(rows[0])
    if width == 1 and how.delimiter is None and how.header is None and how.columns is None:
        _check_title(table, rows[0][0], text, is_whole)
        _check_rare_separator(table, rows)
    data = [tuple(row) for row in (rows[1:] if how.has_header else rows) if len(row) == width]
    if how.header is None and how.columns is None:
        check_header(table, rows[0], data)
    first, unnamed = with_places(rows[0], data) if how.has_header and how.columns is None else (rows[0], ())
    names = column_names(table, first, how)
    said = (
        (f"{skipped} lines above the header begin with # and were left out",)
        if skipped and not (named or how.skip)
        else ()
    )
    return Layout(
        separator,
        tuple(names),
        how.has_header,
        skipped,
        how.comment,
        how.missing,
        tuple(data[:MOST_FIRST_ROWS]),
        said,
        unnamed,
    )


def _comment_lines(lines: Sequence[str], how: Format) -> int:
    """Count the lines at the top that begin with # and are no header: they are cut into other cells than the next."""
    count = next((row for row, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if count in (0, len(lines)):
        return 0
    separators = how.delimiter or DELIMITERS
    width = max(lines[count].count(sign) for sign in separators)
    return 0 if count == 1 and width and max(lines[0].count(sign) for sign in separators) == width else count


def _check_title(table: str, first: str, text: str, is_whole: bool) -> None:
    """Refuse a first line without separator above rows that have one: it is a title, or the rows are one column."""
    for separator in DELIMITERS:
        widths = [len(row) for row in _parsed(text, separator, is_whole)[1:]]
        usual = max(set(widths), key=widths.count) if len(widths) > 2 else 1
        if usual > 1 and widths.count(usual) >= MOSTLY * len(widths):
            raise InputError(
                f"the first line of {table!r} ({first[:30]!r}) is no header: the rows below it have {usual} cells, "
                f"separated by {separator!r}; pass --skip N if N lines stand above the header, or --header if the "
                "table has one column"
            )


def _check_rare_separator(table: str, rows: Sequence[Sequence[str]]) -> None:
    """Refuse lines that another sign, which is not looked for, cuts into equally many cells."""
    lines = [row[0] for row in rows if len(row) == 1]
    for sign in RARE_DELIMITERS:
        counts = {line.strip().count(sign) for line in lines}
        if len(lines) > 2 and len(counts) == 1 and 0 not in counts:
            shown = "' '" if sign == " " else repr(sign)
            raise InputError(
                f"{table!r} has one column, {lines[0][:40]!r}, but {shown} cuts each of its lines into "
                f"{counts.pop() + 1} cells; pass --separator {shown}, or --header if the table has one column"
            )


def _parsed(text: str, separator: str, is_whole: bool) -> list[list[str]]:
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
    return rows if is_whole or len(rows) < 3 else rows[:-1]


def _separator(text: str, is_whole: bool) -> str:
    """Take the separator that cuts the rows into equally many cells; one that does not occur for a single column."""
    best, score = None, (0.0, 0)
    for separator in DELIMITERS:
        widths = [len(row) for row in _parsed(text, separator, is_whole)]
        if not widths or widths[0] == 1:
            continue
        even = sum(width == widths[0] for width in widths) / len(widths)
        if (even, widths[0]) > score:
            best, score = separator, (even, widths[0])
    return best or next((sign for sign in DELIMITERS if sign not in text), ",")


def check_header(table: str, first: Sequence[str], data: Sequence[Sequence[str]]) -> None:
    """Refuse a first row that looks like data."""
    columns = list(zip(*data, strict=True)) if data else []
    alike = [name for name, cells in zip(first, columns, strict=False) if _looks_like_value(name, cells)]
    repeated = [name for name, cells in zip(first, columns, strict=False) if name.strip() and name in cells]
    if alike or 2 * len(repeated) >= len(first) > 0:
        example = (alike or repeated)[0]
        raise InputError(
            f"the first row of {table!r} looks like data, not like names of columns ({example!r} is one of: "
            f"{listing(first, 6)}); pass --no-header if it is data (name the columns with --columns), or --header if "
            "these are the names"
        )


def _looks_like_value(name: str, cells: Sequence[str]) -> bool:
    """Tell whether a name is a number or date above others of the kind."""
    is_date = bool(_DATE.match(name.strip()))
    if not is_date and not numbers.looks_like_number(name):
        return False
    sample = [cell for cell in cells[:50] if cell.strip()]
    same = sum(bool(_DATE.match(cell.strip())) if is_date else numbers.looks_like_number(cell) for cell in sample)
    return 2 * same >= len(sample) > 0


def with_places(first: Sequence[str], data: Sequence[Sequence[str]]) -> tuple[list[str], tuple[str, ...]]:
    """Call empty columns without a name by their place: separators at the ends of lines make such columns.

    Returns:
        The names of all columns, and those given here.
    """
    names = list(first)
    for place, name in enumerate(first):
        if not name.strip() and len(first) > 1 and not any(row[place].strip() for row in data):
            names[place] = f"column {place + 1}, without a name"
    return names, tuple(name for name, before in zip(names, first, strict=True) if name != before)


def without_empty(table: str, frame: pl.DataFrame, unnamed: Sequence[str]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Leave out columns without a name that are empty from top to bottom, and say so.

    Raises:
        InputError: If one of them holds something.
    """
    held = [
        name for name in unnamed if frame[name].count() and frame[name].cast(pl.String).str.strip_chars().ne("").any()
    ]
    if held:
        check_names(table, ["" if name == held[0] else name for name in frame.columns])
    said = (f"{formatting.counted(len(unnamed), 'column')} without name and values left out",) if unnamed else ()
    return frame.drop(unnamed), said


def column_names(table: str, first: list[str], how: Format) -> list[str]:
    """Return the names given, those of the first row, or c0, c1, …"""
    names = list(how.columns) if how.columns else ([] if how.has_header else [f"c{i}" for i in range(len(first))])
    names = names or [name.strip() for name in first]
    if how.names_by_place and len(names) == len(how.names_by_place) and not set(names) & set(how.names_by_place):
        names = list(how.names_by_place)
    if len(names) != len(first):
        raise InputError(
            f"{table!r} has {formatting.counted(len(first), 'column')} but --columns names {len(names)} "
            f"({listing(names)}); name each one"
        )
    check_names(table, names)
    return names


def check_names(table: str, names: Sequence[str]) -> None:
    """Refuse columns without a name, and two of the same name."""
    for position, name in enumerate(names, 1):
        if not name.strip():
            raise InputError(
                f"{table!r}: column {position} has no name; name it in the header, or all of them with --columns (row "
                "numbers that a program wrote are no data: leave them out, in pandas with to_csv(…, index=False))"
            )
        if names.count(name) > 1:
            raise InputError(
                f"{table!r} has two columns named {name!r}; column names must differ: rename one of them, or name all "
                "with --columns"
            )


def rows_of(text: str, layout: Layout) -> list[list[str]]:
    """Return the cells of all rows, header included, without empty lines."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)[layout.skipped :]
    if layout.comment:
        lines = [line for line in lines if not line.startswith(layout.comment)]
    limit = csv.field_size_limit(1 << 30)
    try:
        return [row for row in csv.reader(io.StringIO("".join(lines), newline=""), delimiter=layout.separator) if row]
    finally:
        csv.field_size_limit(limit)


def check_widths(table: str, rows: Sequence[Sequence[str]], layout: Layout) -> None:
    """Refuse a row with more or fewer cells than there are columns."""
    for row, cells in enumerate(rows):
        if len(cells) != len(layout.names):
            place = row - layout.has_header
            raise InputError(
                f"row {place} of {table!r} has {formatting.counted(len(cells), 'cell')}, but the table "
                f"has {formatting.counted(len(layout.names), 'column')} (rows are counted from 0; it begins "
                f"with {cells[0][:30]!r}); correct the row, check its quotes, or name the separator with "
                "--separator, lines to leave out with --comment"
            )


def all_open(cells: Sequence[str]) -> bool:
    """Tell whether every number can be read with the point as decimal sign and as sign between thousands."""
    held = [cell for cell in cells if cell]
    return any(re.match(_OPEN, cell) for cell in held) and all(re.match(_OPEN_OR_WHOLE, cell) for cell in held)


def is_open(name: str) -> pl.Expr:
    """Tell the same of a whole column."""
    return pl.col(name).str.contains(_OPEN_OR_WHOLE).all()


def fixed_decimals(cells: Sequence[str]) -> int | None:
    """Return how many decimals all numbers have, where some end in a zero that a program would leave out."""
    held = [cell for cell in cells if cell]
    digits = {len(cell.partition(".")[2]) for cell in held}
    is_fixed = len(digits) == 1 and 0 not in digits and any(cell.endswith("0") for cell in held)
    plain = all(cell.lstrip("-").replace(".", "", 1).isdecimal() for cell in held)
    return digits.pop() if is_fixed and plain else None


def has_decimals(name: str, digits: int) -> pl.Expr:
    """Tell whether all numbers of a column have so many decimals."""
    return pl.col(name).str.contains(rf"^-?(?:0|[1-9][0-9]*)[.][0-9]{{{digits}}}$").all()


def words_for_booleans(frame: pl.DataFrame, layout: Layout) -> dict[str, Spelling]:
    """Return the words for false and true of columns that write them otherwise than in small letters."""
    spellings = {}
    for position, name in enumerate(layout.names):
        if frame.schema.get(name) != pl.Boolean:
            continue
        words = {row[position] for row in layout.first_rows if row[position]}
        for pair in (("False", "True"), ("FALSE", "TRUE")):
            if words and words <= set(pair):
                spellings[name] = Spelling(words=pair)
    return spellings
