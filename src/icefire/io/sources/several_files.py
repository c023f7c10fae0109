"""Parquet and Arrow files that are parts of one table: their columns compared, then opened together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from icefire.core.errors import InputError
from icefire.io.addresses import Place
from icefire.io.sources.partitions import scan_partitions

SCANS: dict[str, Callable[..., pl.LazyFrame]] = {"parquet": pl.scan_parquet, "arrow": pl.scan_ipc}
"""Kinds of files that polars reads in parts, and how."""
SCHEMAS: dict[str, Callable[[Path], Mapping[str, Any]]] = {
    "parquet": pl.read_parquet_schema,
    "arrow": pl.read_ipc_schema,
}


def scan_files(kind: str, place: Place) -> pl.LazyFrame:
    """Open a file, a folder of files or a pattern of them, without reading rows.

    Args:
        kind: One of `SCANS`.
        place: What the user named.

    Raises:
        InputError: If the files are not parts of one table.
    """
    files = place.files()
    if files == [place.path]:
        return SCANS[kind](place.path)
    _check_columns(kind, files, place.shown)
    return scan_partitions(files, place.path) if kind == "parquet" else SCANS[kind](files)


def _check_columns(kind: str, files: Sequence[Path], shown: str) -> None:
    """Refuse files of which one has other columns than the first, or a column of another type."""
    first = dict(SCHEMAS[kind](files[0]))
    for file in files[1:]:
        other = dict(SCHEMAS[kind](file))
        differing = [name for name in first | other if first.get(name) != other.get(name)]
        if differing:
            name = differing[0]
            types = [str(columns[name]) if name in columns else "none" for columns in (first, other)]
            reason = f"{name}: {types[0]} in {files[0].name!r}, {types[1]} in {file.name!r}"
            raise InputError(
                f"the {len(files):,} files of {shown!r} have different columns ({reason}); give files of one table"
            )
