"""Workbooks: Excel and OpenDocument; needs the extra `excel`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import polars as pl

from icefire.core.errors import InputError, did_you_mean, listing
from icefire.core.extras import needed
from icefire.core.reading import Expected
from icefire.io import csv_layout
from icefire.io.addresses import Place
from icefire.io.columns import RawTable
from icefire.io.format import Format
from icefire.io.sources.registry import Source

CREATED = datetime(2000, 1, 1)
"""Date written into every workbook, so that the same table gives the same bytes."""


def read(place: Place, how: Format, expected: Expected) -> RawTable:
    """Read one sheet; cells formatted as text stay text."""
    fastexcel = needed("fastexcel", "excel", "reading a workbook")
    book = fastexcel.read_excel(place.content if place.content is not None else str(place.path))
    sheet = _sheet(place, how, book.sheet_names)
    # Whole columns, without their types: cells of digits among numbers may be text, and names are in the first row.
    cells = book.load_sheet(sheet, header_row=None, dtypes="string").to_polars()
    cells = cells.filter(~pl.all_horizontal(pl.all().is_null()))
    if not cells.height:
        raise InputError(
            f"sheet {sheet!r} of {place.name!r} is empty; give a table with a header and at least two rows"
        )
    names = _names(place.name, cells, how)
    typed = book.load_sheet(sheet, header_row=0 if how.has_header else None, column_names=None).to_polars()
    typed = typed.filter(~pl.all_horizontal(pl.all().is_null()))
    typed.columns = names
    return RawTable(_whole(typed), f"Excel, sheet {sheet!r}")


def _names(table: str, cells: pl.DataFrame, how: Format) -> list[str]:
    first = ["" if cell is None else str(cell) for cell in cells.row(0)]
    if how.header is None and how.columns is None:
        rows = [tuple("" if cell is None else cell for cell in row) for row in cells[1:200].rows()]
        csv_layout.check_header(table, first, rows)
    return csv_layout.column_names(table, first, how)


def _whole(frame: pl.DataFrame) -> pl.DataFrame:
    """Return columns of whole numbers as such: a workbook stores every number as a decimal."""
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
