"""Text files: CSV with any separator, in any encoding."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from icefire.core import codes
from icefire.core.errors import InputError
from icefire.core.reading import Expected, Spelling
from icefire.io import csv_layout, encodings, open_quotes
from icefire.io.addresses import Place, with_text
from icefire.io.columns import RawTable
from icefire.io.csv_layout import Layout
from icefire.io.format import Format
from icefire.io.joined_texts import with_joined_text
from icefire.io.sources.registry import Source

HEAD_BYTES = 1 << 16
NO_TABLES = {
    b"<!doctype html": "a web page",
    b"<html": "a web page",
    b"%pdf-": "a PDF",
    b"\x89png": "a picture",
    b"\xff\xd8\xff": "a picture",
}
"""First bytes, in small letters, of files that are often taken for tables."""
NAMED = {"\t": "tab", " ": "space"}


@dataclass(frozen=True, slots=True)
class _TextFile:
    """A file whose lines can be read as UTF-8, and what is known of it."""

    source: Path | bytes
    """The file itself where it is UTF-8, otherwise its lines in UTF-8."""
    head: str
    encoding: str
    remarks: tuple[str, ...] = ()

    def opened(self) -> Any:
        """Return what polars reads."""
        return self.source if isinstance(self.source, Path) else io.BytesIO(self.source)

    def content(self) -> bytes:
        """Return all of it."""
        return self.source.read_bytes() if isinstance(self.source, Path) else self.source

    @property
    def is_whole(self) -> bool:
        """Tell whether the head is all of it."""
        size = self.source.stat().st_size if isinstance(self.source, Path) else len(self.source)
        return size <= HEAD_BYTES


def read(place: Place, how: Format, expected: Expected) -> RawTable:
    """Read a text file; digits that are names stay text."""
    place, count = with_joined_text(with_text(place), how)
    file = _opened(place, how)
    layout = csv_layout.find(place.name, file.head, file.is_whole, how)
    try:
        frame = _read_typed(file, layout)
    except pl.exceptions.PolarsError as error:
        file, frame = _second_attempt(place, how, file, layout, error)
    open_quotes.check_cells(place.name, frame, layout.separator)
    file, frame = _repaired(place, file, layout, frame)
    frame, spellings = _texts_where_needed(file, layout, frame, how, expected)
    frame, left_out = csv_layout.without_empty(place.name, frame, layout.unnamed)
    separator = NAMED.get(layout.separator, layout.separator)
    remarks = (*file.remarks, *layout.remarks, *left_out)
    title = f"CSV, {file.encoding}, separator {separator}{count}"
    return RawTable(frame, title, False, spellings, layout.separator, remarks)


def _opened(place: Place, how: Format) -> _TextFile:
    """Take a file as it is if its head is UTF-8, otherwise decode all of it."""
    head = place.head(HEAD_BYTES)
    other = next((title for begin, title in NO_TABLES.items() if head.lstrip().lower().startswith(begin)), None)
    if other is not None:
        raise InputError(f"file {place.name!r} is {other}, not a table; give a table: CSV, Parquet, Excel and the like")
    is_plain = how.encoding in (None, "utf-8", "UTF-8", "utf8") and b"\x00" not in head
    is_plain = is_plain and not (how.encoding is None and encodings.is_escaped(head))
    if is_plain and not any(head.startswith(mark) for mark, _ in encodings.MARKS[1:]) and b"\n" in head:
        try:
            # The cut may fall inside a character: only errors before the last few bytes count.
            text = head[:-4].decode("utf-8-sig") + head[-4:].decode("utf-8", errors="ignore")
            return _TextFile(place.path if place.content is None else place.content, text, "UTF-8")
        except UnicodeDecodeError:
            pass
    return _decoded(place, how)


def _decoded(place: Place, how: Format) -> _TextFile:
    decoded = encodings.decode(place.read_bytes(), place.name, how.encoding)
    text = decoded.text
    if "\x00" in text:
        raise InputError(f"file {place.name!r} is not text: character {text.index(chr(0))} is NUL; CSV must be text")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    is_said = decoded.encoding not in ("utf-8", "utf-8-sig") and not decoded.is_given
    remarks = (f"the encoding was found to be {decoded.title}; --encoding names another",) if is_said else ()
    return _TextFile(text.encode(), text[:HEAD_BYTES], decoded.title, remarks)


def _read_typed(file: _TextFile, layout: Layout) -> pl.DataFrame:
    """Read a text file with a type for each column: by its first rows if they tell, otherwise by all."""
    for rows in (10_000, None):
        try:
            return pl.read_csv(file.opened(), infer_schema_length=rows, **layout.options())
        except pl.exceptions.ComputeError:
            continue
    # Digits too long for any type of number; what else is wrong with the file this attempt says.
    every = pl.read_csv(file.opened(), infer_schema=False, **layout.options())
    return pl.DataFrame([_typed(column) for column in every])


def _typed(column: pl.Series) -> pl.Series:
    """Return a column of text as numbers, if all of it are numbers and none a long code."""
    if column.str.contains(codes.LONG_CODE).any():
        return column
    for dtype in (pl.Int64, pl.Float64):
        read_as = column.cast(dtype, strict=False)
        if read_as.null_count() == column.null_count():
            return read_as
    return column


def _second_attempt(
    place: Place, how: Format, file: _TextFile, layout: Layout, error: Exception
) -> tuple[_TextFile, pl.DataFrame]:
    """Read a file that is not UTF-8 after its head, or has quotes inside cells; name a row of another width."""
    if isinstance(file.source, Path):
        file = _decoded(place, how)
        try:
            return file, _read_typed(file, layout)
        except pl.exceptions.PolarsError as again:
            error = again
    text = file.content().decode()
    open_quotes.check_end(place.name, text, layout)
    rows = csv_layout.rows_of(text, layout)
    csv_layout.check_widths(place.name, rows, layout)
    if any('"' in cell for row in rows for cell in row):
        return _rewritten(file, layout, rows)
    reason = str(error).strip().partition("\n")[0]
    raise InputError(f"file {place.name!r} cannot be read as a table: {reason}; check its format") from None


def _rewritten(file: _TextFile, layout: Layout, rows: list[list[str]]) -> tuple[_TextFile, pl.DataFrame]:
    """Write rows anew with quotes as they should be, without empty lines, and read them."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=layout.separator, lineterminator="\n")
    writer.writerows(rows)
    written = _TextFile(out.getvalue().encode(), file.head, file.encoding, file.remarks)
    bare = layout.without_skipped()
    return written, _read_typed(written, bare)


def _repaired(place: Place, file: _TextFile, layout: Layout, frame: pl.DataFrame) -> tuple[_TextFile, pl.DataFrame]:
    """Leave out empty lines, which are no people, and refuse rows that are too short."""
    last = frame[frame.columns[-1]] if frame.width > 1 else None
    if last is None or not last.null_count() or _is_even(file, layout, frame.height):
        return file, frame
    rows = csv_layout.rows_of(file.content().decode("utf-8-sig"), layout)
    csv_layout.check_widths(place.name, rows, layout)
    if len(rows) - layout.has_header == frame.height:
        return file, frame
    return _rewritten(file, layout, rows)


def _is_even(file: _TextFile, layout: Layout, rows: int) -> bool:
    """Tell by counting whether a file without quotes has as many separators as whole rows need."""
    content = file.content()
    if b'"' in content or layout.skipped or layout.comment:
        return False
    lines = rows + layout.has_header
    return content.count(layout.separator.encode()) == lines * (len(layout.names) - 1)


def _texts_where_needed(
    file: _TextFile, layout: Layout, frame: pl.DataFrame, how: Format, expected: Expected
) -> tuple[pl.DataFrame, dict[str, Spelling]]:
    """Return codes, declared text and numbers that can be read in two ways as text, and how the others are written."""
    cells = pl.scan_csv(file.opened(), infer_schema=False, **layout.options())
    numeric = {name: dtype for name, dtype in frame.schema.items() if dtype.is_numeric()}
    head = layout.first_rows
    text = [name for name in numeric if name in expected.text]
    foreign = how.decimal == "," or how.thousands == "."
    checks: dict[str, pl.Expr] = {}
    decimals: dict[str, int] = {}
    for name, dtype in numeric.items():
        if name in text:
            continue
        checks[f"code {name}"] = codes.holds_codes(name, dtype)
        sample = [row[layout.names.index(name)] for row in head]
        if dtype.is_float() and (foreign or (how.decimal is None and csv_layout.all_open(sample))):
            checks[f"open {name}"] = pl.lit(True) if foreign else csv_layout.is_open(name)
        fixed = csv_layout.fixed_decimals(sample) if dtype.is_float() else None
        if fixed is not None:
            checks[f"fixed {name}"] = csv_layout.has_decimals(name, fixed)
            decimals[name] = fixed
    results = (
        cells.select(check.alias(key) for key, check in checks.items()).collect(engine="streaming") if checks else None
    )
    holds = results.row(0, named=True) if results is not None else {}
    text += [name for name in numeric if holds.get(f"code {name}") or holds.get(f"open {name}")]
    spellings = {name: Spelling(decimals=digits) for name, digits in decimals.items() if holds.get(f"fixed {name}")}
    spellings |= csv_layout.words_for_booleans(frame, layout)
    frame = frame.with_columns(cells.select(text).collect()) if text else frame
    return frame, {name: spelling for name, spelling in spellings.items() if name not in text}


def write(frame: pl.DataFrame, place: Place) -> None:
    """Write a table as comma-separated values."""
    frame.write_csv(place.path)


SOURCES = [
    Source("csv", "CSV", read, (".csv", ".tsv", ".txt", ".tab", ".psv", ".dat"), takes_addresses=True, write=write)
]
