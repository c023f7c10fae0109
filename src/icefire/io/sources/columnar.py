"""Files of typed columns: Parquet, whole folders and patterns of it, and Arrow IPC (Feather); also in object stores."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

import polars as pl

from icefire.core.errors import InputError
from icefire.core.reading import Expected
from icefire.io.addresses import Place
from icefire.io.columns import RawTable
from icefire.io.format import Format
from icefire.io.sources.registry import Source


def _read(scan: Callable[..., pl.LazyFrame], title: str, place: Place, how: Format, expected: Expected) -> RawTable:
    if place.scheme is not None:
        return RawTable(scan(place.location).collect(), title)
    if place.content is not None:
        return RawTable(scan(io.BytesIO(place.content)).collect(), title)
    listed = place.files()
    if len(listed) == 1:
        return RawTable(scan(listed[0]).collect(), title)
    frame = scan(listed, **_hive(title)).collect()
    return RawTable(frame, f"{title}, {len(listed):,} files")


def _hive(title: str) -> dict[str, Any]:
    """Folders named year=2020 are a column of their own."""
    return {"hive_partitioning": True} if title == "Parquet" else {}


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
    Source("feather1", "Feather, first version", _refuse_old_feather, recognises=_old_feather),
]
