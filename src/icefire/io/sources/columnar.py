"""Files of typed columns: Parquet, whole folders and patterns of it, and Arrow IPC (Feather); also in object stores."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial

import polars as pl

from icefire.core.errors import InputError
from icefire.core.reading import Expected
from icefire.io.addresses import Place
from icefire.io.columns import RawTable
from icefire.io.format import Format
from icefire.io.sources.partitions import scan_partitions
from icefire.io.sources.registry import Source


def _read(scan: Callable[..., pl.LazyFrame], title: str, place: Place, how: Format, expected: Expected) -> RawTable:
    if place.scheme is not None:
        return RawTable(scan(place.location).collect(), title)
    if place.content is not None:
        return RawTable(scan(io.BytesIO(place.content)).collect(), title)
    listed = place.files()
    if listed == [place.path]:
        return RawTable(scan(place.path).collect(), title)
    try:
        frame = (scan_partitions(listed, place.path) if title == "Parquet" else scan(listed)).collect()
    except (pl.exceptions.ColumnNotFoundError, pl.exceptions.SchemaError, pl.exceptions.ShapeError) as error:
        reason = str(error).partition(",")[0].partition("\n")[0]
        raise InputError(
            f"the {len(listed):,} files of {place.shown!r} have different columns ({reason}); give files of one table"
        ) from None
    count = len(listed)
    return RawTable(frame, title if count == 1 else f"{title}, {count:,} files")


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
        partial(_read, pl.scan_parquet, "Parquet"),
        (".parquet", ".pq"),
        recognises=lambda head: head.startswith(b"PAR1"),
        takes_addresses=True,
        write=lambda frame, place: frame.write_parquet(place.path),
    ),
    Source(
        "arrow",
        "Arrow IPC",
        partial(_read, pl.scan_ipc, "Arrow IPC"),
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
