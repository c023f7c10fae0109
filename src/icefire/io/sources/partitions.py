"""Folders of Parquet files whose names are a column: region=01/part.parquet (Hive partitions)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from urllib.parse import unquote

import polars as pl

from icefire.core import codes

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""Stands in the name of a folder for a missing value."""
_PATTERN = re.compile(r"[*?\[]")


def scan_partitions(files: Sequence[Path], given: Path) -> pl.LazyFrame:
    """Open Parquet files of a folder or pattern; what the names of folders say is read with them.

    Args:
        files: The files, in the order of their rows.
        given: The folder or pattern that names them; folders above it say nothing about its rows.

    Returns:
        The table; digits that are names, such as region=01, stay text.
    """
    base = _without_pattern(given)
    named = [(_named(file.relative_to(base) if file.is_relative_to(base) else file), file) for file in files]
    types = _types([values for values, _ in named])
    if not types:
        return pl.scan_parquet(list(files), hive_partitioning=False)
    scans: list[pl.LazyFrame] = []
    for values, group in groupby(named, key=lambda one: one[0]):
        scan = pl.scan_parquet([file for _, file in group], hive_partitioning=False)
        held = [_constant(name, values.get(name), dtype) for name, dtype in types.items()]
        scans.append(scan.with_columns(held))
    order = scans[0].collect_schema().names()
    return pl.concat([scan.select(order) for scan in scans])


def partition_types(files: Iterable[str]) -> dict[str, pl.DataType]:
    """Return the columns that the names of folders say, and the type of each by all its values.

    Args:
        files: Paths of the files below the folder that was named.
    """
    return _types([_named(Path(file)) for file in files])


def _types(named: Sequence[Mapping[str, str | None]]) -> dict[str, pl.DataType]:
    columns = {name for values in named for name in values}
    return {name: _type(values[name] for values in named if name in values) for name in sorted(columns)}


def _without_pattern(given: Path) -> Path:
    """Return the folder above the first part with a sign of a pattern."""
    while _PATTERN.search(str(given)):
        given = given.parent
    return given


def _named(file: Path) -> dict[str, str | None]:
    """Return what the folders of a file say: column and value."""
    pairs = [part.partition("=") for part in file.parts[:-1]]
    return {name: None if value == NO_VALUE else unquote(value) for name, equal, value in pairs if name and equal}


def _constant(name: str, value: str | None, dtype: pl.DataType) -> pl.Expr:
    """Return a column that holds one value in every row."""
    text = pl.lit(value, pl.String)
    return (text.str.to_date("%Y-%m-%d") if dtype == pl.Date else text.cast(dtype)).alias(name)


def _type(values: Iterable[str | None]) -> pl.DataType:
    """Return the type of a column by all its values: whole numbers, dates, or text."""
    texts = pl.Series(list(values), dtype=pl.String).drop_nulls()
    if not len(texts) or texts.str.contains(codes.CODE).any() or texts.str.contains(codes.LONG_CODE).any():
        return pl.String()
    if not texts.cast(pl.Int64, strict=False).null_count():
        return pl.Int64()
    return pl.Date() if not texts.str.to_date("%Y-%m-%d", strict=False).null_count() else pl.String()
