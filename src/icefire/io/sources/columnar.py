"""Files of typed columns: Parquet, whole folders and patterns of it, and Arrow IPC (Feather); also in object stores."""

from __future__ import annotations

import io
from functools import partial

import polars as pl

from icefire.core.errors import InputError
from icefire.core.reading import Expected
from icefire.io.addresses import Place
from icefire.io.columns import RawTable
from icefire.io.format import Format
from icefire.io.sources.registry import Source
from icefire.io.sources.several_files import SCANS, scan_files


def _read(kind: str, title: str, place: Place, how: Format, expected: Expected) -> RawTable:
    if place.scheme is not None:
        return RawTable(_in_one_piece(SCANS[kind](place.location).collect()), title)
    if place.content is not None:
        return RawTable(_in_one_piece(SCANS[kind](io.BytesIO(place.content)).collect()), title)
    count = len(place.files())
    frame = _in_one_piece(scan_files(kind, place).collect())
    return RawTable(frame, title if count == 1 else f"{title}, {count:,} files")


def _in_one_piece(frame: pl.DataFrame) -> pl.DataFrame:
    """Put the pieces of every column together, which everybody who computes with a column would do anew.

    Column by column: both forms of the whole table are never held at the same time.
    """
    pieces, columns = frame.get_columns()[::-1], list[pl.Series]()
    del frame
    while pieces:
        columns.append(pieces.pop().rechunk())
    return pl.DataFrame(columns)


def _read_stream(place: Place, how: Format, expected: Expected) -> RawTable:
    return RawTable(pl.read_ipc_stream(place.read_bytes()), "Arrow IPC stream")


def _old_feather(head: bytes) -> bool:
    return head.startswith(b"FEA1")


def _refuse_old_feather(place: Place, how: Format, expected: Expected) -> RawTable:
    raise InputError(f"{place.shown!r} is of the first version of Feather, which is no longer read; save it as .arrow")


SOURCES = [
    Source(
        "parquet",
        "Parquet",
        partial(_read, "parquet", "Parquet"),
        (".parquet", ".pq"),
        recognises=lambda head: head.startswith(b"PAR1"),
        takes_addresses=True,
        write=lambda frame, place: frame.write_parquet(place.path),
    ),
    Source(
        "arrow",
        "Arrow IPC",
        partial(_read, "arrow", "Arrow IPC"),
        (".arrow", ".ipc", ".feather"),
        recognises=lambda head: head.startswith(b"ARROW1"),
        takes_addresses=True,
        write=lambda frame, place: frame.write_ipc(place.path),
    ),
    Source(
        "arrow_stream",
        "Arrow IPC stream",
        _read_stream,
        (".arrows",),
        recognises=lambda head: head.startswith(b"\xff\xff\xff\xff") and not head.startswith(b"\xff\xff\xff\xff\xff"),
    ),
    Source("feather1", "Feather, first version", _refuse_old_feather, recognises=_old_feather),
]
