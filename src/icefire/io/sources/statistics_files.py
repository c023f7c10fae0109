"""Files of statistics programs: SPSS, Stata and SAS; needs the extra `statistics`."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from icefire.core.extras import needed
from icefire.core.reading import Expected
from icefire.io.addresses import Place
from icefire.io.columns import RawTable
from icefire.io.format import Format
from icefire.io.sources.registry import Source


def _read(functions: dict[str, str], title: str, place: Place, how: Format, expected: Expected) -> RawTable:
    """Read values as they are stored: codes, not their labels."""
    pyreadstat = needed("pyreadstat", "statistics", "reading a file of SPSS, Stata or SAS")
    function = getattr(pyreadstat, functions.get(place.ending, next(iter(functions.values()))))
    options: dict[str, Any] = {"output_format": "dict"}
    if how.encoding is not None:
        options["encoding"] = how.encoding
    if place.content is None:
        columns, _ = function(str(place.path), **options)
    else:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / f"table{place.ending}"
            copy.write_bytes(place.content)
            columns, _ = function(str(copy), **options)
    frame = pl.DataFrame({name: pl.Series(name, values, strict=False) for name, values in columns.items()})
    return RawTable(_common(frame), title)


def _common(frame: pl.DataFrame) -> pl.DataFrame:
    """Return whole numbers as such, and an empty text, which is all these programs have for missing, as missing."""
    changed = []
    for column in frame:
        if column.dtype.is_float():
            column = column.fill_nan(None)
            is_whole = ((column == column.round()) & (column.abs() < 2**53)).fill_null(True).all()
            changed.append(column.cast(pl.Int64) if is_whole and column.count() else column)
        elif column.dtype == pl.String:
            changed.append(column.set((column == "").fill_null(False), None))
    return frame.with_columns(changed)


def _source(name: str, title: str, functions: dict[str, str], begins: tuple[bytes, ...]) -> Source:
    reader = partial(_read, functions, title)
    return Source(name, title, reader, tuple(functions), recognises=lambda head: head.startswith(begins))


SOURCES = [
    _source(
        "spss",
        "SPSS",
        {".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por"},
        (b"$FL2", b"$FL3"),
    ),
    _source("stata", "Stata", {".dta": "read_dta"}, (b"<stata_dta>",)),
    _source(
        "sas",
        "SAS",
        {".sas7bdat": "read_sas7bdat", ".xpt": "read_xport"},
        (bytes(12) + b"\xc2\xea\x81\x60", b"HEADER RECORD*******LIBRARY"),
    ),
]
