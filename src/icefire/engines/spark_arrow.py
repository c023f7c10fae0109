"""Tables of Spark and of polars: functions on chunks of Arrow, types, names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import polars as pl

CHUNK = 1_000_000
"""Rows that a function on chunks gets at a time."""


def on_chunks(part: Callable[[pl.DataFrame], pl.DataFrame], columns: Mapping[str, Any]) -> Any:
    """Return a function on Arrow batches that joins small ones; a partition without rows gives no result."""

    def call(batches: Iterable[Any]) -> Iterator[Any]:
        held: list[pl.DataFrame] = []
        for batch in batches:
            held.append(as_polars(batch))
            if sum(frame.height for frame in held) >= CHUNK:
                yield from as_arrow(part(pl.concat(held)), columns).to_batches()
                held = []
        if sum(frame.height for frame in held):
            yield from as_arrow(part(pl.concat(held)), columns).to_batches()

    return call


def as_polars(table: Any) -> pl.DataFrame:
    """Return an Arrow table or batch as a table of polars."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def as_arrow(frame: pl.DataFrame, columns: Mapping[str, Any]) -> Any:
    """Return a result as an Arrow table of exactly the types that were declared."""
    import pyarrow as pa

    types = _types(pa)
    schema = pa.schema([(name, types[dtype]) for name, dtype in columns.items()])
    if not frame.width:
        return schema.empty_table()
    return frame.select(list(columns)).to_arrow(compat_level=pl.CompatLevel.oldest()).cast(schema)


def _types(pa: Any) -> dict[Any, Any]:
    whole = {pl.Int8: pa.int8(), pl.Int16: pa.int16(), pl.Int32: pa.int32(), pl.Int64: pa.int64()}
    return whole | {pl.Float64: pa.float64(), pl.String: pa.string(), pl.Binary: pa.binary()}


def spark_schema(columns: Mapping[str, Any]) -> Any:
    """Return the types of columns as Spark declares them."""
    from pyspark.sql import types

    kinds = {
        pl.Int8: types.ByteType(),
        pl.Int16: types.ShortType(),
        pl.Int32: types.IntegerType(),
        pl.Int64: types.LongType(),
        pl.Float64: types.DoubleType(),
        pl.String: types.StringType(),
        pl.Binary: types.BinaryType(),
    }
    return types.StructType([types.StructField(name, kinds[dtype]) for name, dtype in columns.items()])


def quoted(name: str) -> str:
    """Return a name of a column as Spark reads it literally."""
    return "`" + name.replace("`", "``") + "`"
