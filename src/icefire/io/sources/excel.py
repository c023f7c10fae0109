"""Workbooks: Excel and OpenDocument; needs the extra `excel`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time
from typing import Any

import polars as pl

from icefire.core.errors import InputError, did_you_mean, listing
from icefire.core.extras import needed
from icefire.core.reading import Expected
from icefire.io import csv_layout
from icefire.io.addresses import Place
from icefire.io.columns import RawTable
from icefire.io.format import Format
from icefire.io.sources import excel_codes
from icefire.io.sources.registry import Source

ROW = "row of the sheet"
CREATED = datetime(2000, 1, 1)
"""Date written into every workbook, so that the same table gives the same bytes."""


def read(place: Place, how: Format, expected: Expected) -> RawTable:
    """Read one sheet; cells formatted as text stay text."""
    fastexcel = needed("fastexcel", "excel", "reading a workbook")
    book = fastexcel.read_excel(place.content if place.content is not None else str(place.path))
    sheet = _sheet(place, how, book.sheet_names)
    # Whole columns, without their types: cells of digits among numbers may be text, and names are in the first row.
    every = book.load_sheet(sheet, header_row=None, skip_rows=0, dtypes="string").to_polars().with_row_index(ROW)
    cells = every[how.skip :].filter(~pl.all_horizontal(pl.exclude(ROW).is_null()))
    if not cells.height:
        raise InputError(
            f"sheet {sheet!r} of {place.name!r} is empty; give a table with a header and at least two rows"
        )
    names, unnamed = _names(place.name, cells, how)
    first = int(cells[ROW][0])
    place_of_names: dict[str, Any] = (
        {"header_row": first} if how.has_header else {"header_row": None, "skip_rows": first}
    )
    typed = book.load_sheet(sheet, **place_of_names).to_polars()
    typed = typed.filter(~pl.all_horizontal(pl.all().is_null()))
    typed.columns = names
    content = place.content if place.content is not None else str(place.path)
    padded = excel_codes.padded_columns(content, sheet, first + how.has_header)
    typed, shown = _as_shown(_whole(typed), {names[column]: code for column, code in padded.items()})
    typed, left_out = csv_layout.without_empty(place.name, typed, unnamed)
    return RawTable(typed, f"Excel, sheet {sheet!r}", remarks=left_out + shown, mixes_types=True)


def _as_shown(frame: pl.DataFrame, padded: dict[str, str]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Write numbers with zeros in front as the sheet shows them, and say so."""
    codes = {name: code for name, code in padded.items() if frame[name].dtype == pl.Int64 and (frame[name] >= 0).all()}
    remarks = tuple(f"column {name!r} is read as the sheet shows it, {code}" for name, code in codes.items())
    return frame.with_columns(excel_codes.as_shown(frame[name], code) for name, code in codes.items()), remarks


def _names(table: str, cells: pl.DataFrame, how: Format) -> tuple[list[str], tuple[str, ...]]:
    """Return the names of the columns, and which of them were given to empty columns without a name."""
    numbers, cells = cells[ROW].to_list(), cells.drop(ROW)
    first = ["" if cell is None else str(cell) for cell in cells.row(0)]
    rows = [tuple("" if cell is None else cell for cell in row) for row in cells[1:200].rows()]
    if how.header is None and how.columns is None:
        _check_title(table, first, rows, numbers[1:])
        csv_layout.check_header(table, first, rows)
    if how.columns is not None or not how.has_header:
        return csv_layout.column_names(table, first, how), ()
    named, unnamed = csv_layout.with_places(first, rows)
    return csv_layout.column_names(table, named, how), unnamed


def _check_title(table: str, first: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> None:
    """Refuse a first row of one cell above rows of several: it is a title."""
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    if sum(bool(cell.strip()) for cell in first) > 1 or len(first) < 2 or max(filled, default=0) < 2:
        return
    skipped = next(number for number, count in zip(numbers, filled, strict=False) if count > 1)
    raise InputError(
        f"the first row of {table!r} ({next((cell for cell in first if cell.strip()), '')[:30]!r}) is a title, not the "
        f"names of the columns; pass --skip {skipped} if row {skipped + 1} of the sheet holds the names"
    )


def _whole(frame: pl.DataFrame) -> pl.DataFrame:
    """Return columns of whole numbers and of days as such: a workbook stores decimals, and days with a time."""
    midnight = [
        column.cast(pl.Date)
        for column in frame
        if isinstance(column.dtype, pl.Datetime) and (column.dt.time() == time()).fill_null(True).all()
    ]
    frame = frame.with_columns(midnight)
    whole = [
        column.cast(pl.Int64)
        for column in frame
        if column.dtype.is_float()
        and column.count()
        and ((column == column.round()) & (column.abs() < 2**53)).fill_null(True).all()
    ]
    return frame.with_columns(whole)


def _sheet(place: Place, how: Format, names: list[str]) -> str:
    wanted = place.part or how.sheet
    if wanted is None and len(names) > 1:
        raise InputError(f"{place.name!r} has several sheets ({listing(names)}); choose one with --sheet")
    if wanted is not None and wanted not in names:
        raise InputError(f"{place.name!r} has no sheet {wanted!r}; {did_you_mean(wanted, names)}")
    return wanted or names[0]


def write(frame: pl.DataFrame, place: Place) -> None:
    """Write a workbook of one sheet."""
    xlsxwriter = needed("xlsxwriter", "excel", "writing a workbook")
    plain: dict[Any, Any] = {"float_precision": 15, "autofit": False}
    with xlsxwriter.Workbook(str(place.path)) as book:
        book.set_properties({"created": CREATED})
        frame.write_excel(book, dtype_formats={pl.Int64: "0", pl.Float64: "General"}, **plain)


SOURCES = [
    Source(
        "excel",
        "Excel",
        read,
        (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
        recognises=lambda head: head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")),
        write=write,
    )
]
