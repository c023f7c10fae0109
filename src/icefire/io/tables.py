"""Read a table from any source and write it in any form that can be written."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from icefire.core import formatting
from icefire.core.errors import IcefireError, InputError
from icefire.core.reading import Expected, SourceReading
from icefire.io import csv_layout, memory, object_stores, spelling
from icefire.io.addresses import Place, place_of, without_secrets
from icefire.io.columns import RawTable, recognised
from icefire.io.format import DELIMITERS, Format
from icefire.io.sources import registry


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table as it was read."""

    frame: pl.DataFrame
    name: str
    digest: str
    """SHA-256 of the file, empty for a table from memory or a database."""
    reading: SourceReading


def read_frame(source: Any, how: Format | None = None, expected: Expected | None = None) -> pl.DataFrame:
    """Read a table from a path, an address, or another library; see `read_source`."""
    return read_source(source, how, expected).frame


def read_source(source: Any, how: Format | None = None, expected: Expected | None = None) -> ReadTable:
    """Read a table and say what its columns were read as.

    Columns of digits that are names (leading zeros, at least 15 digits) stay text, and so do those that are expected
    to be text.

    Raises:
        InputError: If the source cannot be read, or numbers in it can be read in two ways.
    """
    how, expected = how or Format(), expected or Expected()
    if expected.is_release:
        how = replace(how, skip=0)
    if isinstance(source, str | os.PathLike):
        place = place_of(source)
        kind = registry.source_of(place, how.kind)
        if how.query is not None and not kind.is_database and not expected.is_release:
            raise InputError(f"--query is for databases, but {place.shown!r} is read as {kind.title}; leave it out")
        if place.scheme in registry.STORES:
            object_stores.prepare()
        with readable(place):
            raw = kind.read(place, how, expected)
        return _finished(raw, place.name, place.digest(), kind.name, how, expected)
    raw = RawTable(memory.frame_of(source), f"table of {type(source).__module__.partition('.')[0]}")
    return _finished(raw, "table", "", "", how, expected)


def read_content(place: Place, how: Format, expected: Expected) -> ReadTable:
    """Read the content of a place as text, and say what its columns were read as.

    Args:
        place: A place with its content.
        how: How to read it.
        expected: What is known of the columns.

    Raises:
        InputError: If it cannot be read.
    """
    kind = registry.sources()[registry.DEFAULT]
    with readable(place):
        raw = kind.read(place, how, expected)
    return _finished(raw, place.name, "", kind.name, how, expected)


def _finished(raw: RawTable, name: str, digest: str, kind: str, how: Format, expected: Expected) -> ReadTable:
    frame = raw.frame
    if raw.is_typed and how.columns is not None:
        if len(how.columns) != frame.width:
            raise InputError(
                f"{name!r} has {formatting.counted(frame.width, 'column')} but --columns names "
                f"{len(how.columns)}; name each one"
            )
        frame.columns = list(how.columns)
    csv_layout.check_names(name, frame.columns)
    _check_types(frame)
    raw = replace(raw, frame=frame)
    frame, columns = recognised(raw, name, how, expected)
    reading = SourceReading(raw.source, tuple(columns), raw.separator, kind, raw.remarks)
    return ReadTable(frame, name, digest, reading)


def _check_types(frame: pl.DataFrame) -> None:
    for name, dtype in frame.schema.items():
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            raise InputError(
                f"column {name!r} holds values of type {dtype}; a cell is one number, text, date or truth value: "
                "split the column or leave it out"
            )


@contextmanager
def readable(place: Place) -> Iterator[None]:
    """Turn whatever a reader says about a broken file into one line without passwords."""
    try:
        yield
    except IcefireError:
        raise
    except (KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:  # every library of a reader has errors of its own
        reason = without_secrets(str(error)).strip().partition("\n")[0] or type(error).__name__
        known = object_stores.explained(place, reason) if place.scheme in registry.STORES else None
        if known is not None:
            raise known from None
        what, check = ("", "the address, the credentials and the format") if place.scheme else ("file ", "its format")
        raise InputError(f"{what}{place.shown!r} cannot be read as a table: {reason}; check {check}") from None


def text_columns(names: Collection[str]) -> Expected:
    """Expect these columns to be text."""
    return Expected(text=names)


def write_frame(frame: pl.DataFrame, path: Path, reading: SourceReading | None = None) -> None:
    """Write a table by the ending of its name: .parquet, .arrow, .json, .xlsx, or CSV.

    With a reading the values are written as the source had them, as far as that changes none: see `spelling`.
    """
    source = registry.writer_of(path.suffix.lower())
    if reading is not None:
        frame = spelling.as_in_source(frame, reading, typed=source.name != registry.DEFAULT)
    if source.name == registry.DEFAULT:
        # A separator that has to be named would have to be named for the release too.
        known = reading is not None and reading.separator in DELIMITERS
        frame.write_csv(path, separator=reading.separator if reading is not None and known else ",")
    elif source.write is not None:
        source.write(frame, Place(str(path)))
