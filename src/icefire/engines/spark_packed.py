"""Rows of numbers as bytes, one value for each column of a piece: Spark moves and keeps them without looking inside.

Spark takes a table apart into rows of its own whenever it moves it, and hands every cell to Python anew; a piece of
some thousand rows is one row for it. Results of functions come back as bytes of Arrow files, whatever their columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.engines.spark_arrow import CHUNK, as_arrow, as_polars

GROUP, HELD, PLACE, RESULT = "__group__", "__held__", "__place__", "__result__"
PIECE_ROWS = 1 << 12
"""Most rows in a piece: large ones are held apart by Java, which costs it more."""
PIECES_AT_ONCE = 128
"""Pieces that Spark hands to Python at a time."""
RESULTS = {PLACE: pl.Int64, RESULT: pl.Binary}
"""A result: which function made it, and the table as bytes."""
BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


def packed_columns(names: Iterable[str]) -> dict[str, Any]:
    """Return the columns of pieces and their types: the bytes of each column, the group, and how many rows."""
    return {**dict.fromkeys(names, pl.Binary), GROUP: pl.Int64, HELD: pl.Int64}


def packed(frame: pl.DataFrame) -> pl.DataFrame:
    """Return rows of numbers as pieces, of one group each; rows of a group keep their order."""
    ordered = frame.sort(GROUP, maintain_order=True).rechunk()
    groups = ordered[GROUP].to_numpy()
    cuts = _cuts(groups)
    names = [name for name in frame.columns if name != GROUP]
    pieces = {name: _cut(ordered[name], cuts) for name in names}
    held = {GROUP: groups[cuts[:-1]], HELD: np.diff(cuts)}
    return pl.DataFrame({**pieces, **held}, schema=packed_columns(names))


def unpacked(pieces: pl.DataFrame, dtypes: Mapping[str, Any]) -> pl.DataFrame:
    """Return the rows of pieces, one piece after another.

    Args:
        pieces: What `packed` returned.
        dtypes: Columns to return and their types, as they were.
    """
    rows = pieces[HELD].to_list()
    return pl.DataFrame([_joined(name, pieces[name].to_list(), rows, dtypes[name]) for name in dtypes])


def as_bytes(frame: pl.DataFrame, columns: Mapping[str, Any]) -> bytes:
    """Return a result of these columns and types as bytes."""
    import pyarrow as pa

    table, sink = as_arrow(frame, columns), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def results_of(pieces: pl.DataFrame, columns: Mapping[str, Any]) -> pl.DataFrame:
    """Return all results of one function as one table."""
    import pyarrow as pa

    frames = [as_polars(pa.ipc.open_stream(content).read_all()) for content in pieces[RESULT]]
    return pl.concat(frames) if frames else pl.DataFrame(schema=dict(columns))


def on_pieces(
    part: Callable[[pl.DataFrame], pl.DataFrame], columns: Mapping[str, Any]
) -> Callable[[Any], Iterator[Any]]:
    """Return a function on Arrow batches of pieces, which gets pieces of about `CHUNK` rows at a time."""

    def call(batches: Iterable[Any]) -> Iterator[Any]:
        held: list[pl.DataFrame] = []
        rows = 0
        for batch in batches:
            held.append(as_polars(batch))
            rows += int(held[-1][HELD].sum())
            if rows >= CHUNK:
                yield from as_arrow(part(pl.concat(held)), columns).to_batches()
                held, rows = [], 0
        if rows:
            yield from as_arrow(part(pl.concat(held)), columns).to_batches()

    return call


@contextmanager
def few_pieces_at_once(session: Any) -> Iterator[None]:
    """Let Spark hand over few rows at a time, because each is a piece."""
    before = session.conf.get(BATCH)
    session.conf.set(BATCH, str(PIECES_AT_ONCE))
    try:
        yield
    finally:
        session.conf.set(BATCH, before)


def _cuts(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where pieces begin, and the end: at every new group, and after `PIECE_ROWS` rows of one."""
    begins = np.flatnonzero(np.diff(groups, prepend=groups[:1] - 1))
    ends = np.append(begins, len(groups))[1:]
    parts = [np.arange(first, last, PIECE_ROWS) for first, last in zip(begins, ends, strict=True)]
    return np.concatenate([*parts, [len(groups)]]).astype(np.int64)


def _cut(column: pl.Series, cuts: NDArray[np.int64]) -> list[bytes]:
    """Return the bytes of a column by piece; where values are missing, with a bit for each row behind them."""
    has_gaps = column.null_count() > 0
    values = column.fill_null(0).to_numpy() if has_gaps else column.to_numpy()
    missing = column.is_null().to_numpy() if has_gaps else None
    pieces = []
    for first, last in pairwise(cuts.tolist()):
        piece = values[first:last].tobytes()
        if missing is not None and missing[first:last].any():
            piece += np.packbits(missing[first:last]).tobytes()
        pieces.append(piece)
    return pieces


def _joined(name: str, pieces: Sequence[bytes], rows: Sequence[int], dtype: Any) -> pl.Series:
    number = _numpy_type(dtype)
    values = [np.frombuffer(piece, number, count) for piece, count in zip(pieces, rows, strict=True)]
    column = pl.Series(name, np.concatenate(values) if values else np.empty(0, number), dtype)
    if all(len(piece) == count * number.itemsize for piece, count in zip(pieces, rows, strict=True)):
        return column
    gaps = [_gaps(piece[count * number.itemsize :], count) for piece, count in zip(pieces, rows, strict=True)]
    return column.to_frame().select(pl.when(pl.Series(~np.concatenate(gaps))).then(pl.col(name)))[name]


def _gaps(bits: bytes, rows: int) -> NDArray[np.bool_]:
    if not bits:
        return np.zeros(rows, bool)
    return np.unpackbits(np.frombuffer(bits, np.uint8), count=rows).astype(bool)


def _numpy_type(dtype: Any) -> np.dtype[Any]:
    names = {pl.Int8: np.int8, pl.Int16: np.int16, pl.Int32: np.int32, pl.Int64: np.int64, pl.Float64: np.float64}
    return np.dtype(names[dtype])
