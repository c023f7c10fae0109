"""Files that are opened without being read: Parquet and Arrow files, folders and patterns of them, lazy frames."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from icefire.io.addresses import place_of
from icefire.io.sources import registry
from icefire.io.sources.several_files import SCANS, scan_files
from icefire.io.tables import readable


@dataclass(frozen=True, slots=True)
class ScannedFiles:
    """A table that is still on disk, its name, and what tells its state from another."""

    frame: pl.LazyFrame
    cells: int
    name: str = "table"
    digest: str = ""
    kept: Any = None
    """What holds the files, if they are temporary: they are removed with it."""


def scanned_files(source: Any) -> ScannedFiles | None:
    """Open Parquet or Arrow files, a folder of them, or a lazy frame, to be read in parts; None for other sources."""
    if isinstance(source, pl.LazyFrame):
        return ScannedFiles(source, _cells(source))
    if not isinstance(source, str | os.PathLike) or not _is_there(source):
        return None
    place = place_of(source)
    if place.scheme is not None or place.content is not None:
        return None
    kind = registry.source_of(place, None).name
    if kind not in SCANS:
        return None
    with readable(place):
        frame = scan_files(kind, place)
        return ScannedFiles(frame, _cells(frame), place.name, digest_of(place.files()))


def _cells(frame: pl.LazyFrame) -> int:
    return int(frame.select(pl.len()).collect().item()) * len(frame.collect_schema())


def _is_there(source: str | os.PathLike[str]) -> bool:
    """Tell whether a file, a folder or a pattern of files is named; what standard input holds can be read once only."""
    return Path(source).exists() or any(sign in str(source) for sign in "*[")


def digest_of(files: list[Path]) -> str:
    """Tell files apart by size and time: hashing them would take as long as an audit."""
    stamps = [(path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return f"size and time: {sum(size for size, _ in stamps)} bytes, {max(time for _, time in stamps)}"
