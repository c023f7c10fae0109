"""One batch of rows of one table on disk: every column as plain numbers, the rows of a bucket beside one another.

Nothing is compressed and nothing has to be decoded: some columns of one bucket are read where they lie. A batch is a
folder that is there whole or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core.parts import ROW
from icefire.kernels.common import threads
from icefire.kernels.types import Bool, Int

CONTENT, VALUES = "content.json", "values"
TYPES: Mapping[Any, Any] = {pl.Int8: np.int8, pl.Int16: np.int16, pl.Int32: np.int32, pl.Int64: np.int64}
"""Whole numbers; everything else is a float."""
NARROW = np.iinfo(np.int32).max
FEW = 1 << 16
"""So few buckets are numbered by two bytes, which numpy sorts by counting."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as it lies on disk."""

    path: Path
    starts: Int
    """Where each bucket begins among the rows, and one more for the end."""
    places: Mapping[str, tuple[int, str]]
    """Of each column where it begins in the file and the type of its numbers; `gaps(column)` marks missing ones."""

    def rows(self, bucket: int | None) -> tuple[int, int]:
        """Return where the rows of a bucket begin and end; None names all rows."""
        return (0, int(self.starts[-1])) if bucket is None else (int(self.starts[bucket]), int(self.starts[bucket + 1]))

    def read_into(self, columns: Mapping[str, NDArray[Any]], bucket: int | None, first: int) -> None:
        """Read columns of a bucket into arrays, from a place on; gaps that no row of the batch has stay as they are."""
        start, stop = self.rows(bucket)
        if stop == start:
            return
        with FileIO(self.path / VALUES) as file:
            for name, values in columns.items():
                if name in self.places:
                    begin, dtype = self.places[name]
                    _read(file, values[first : first + stop - start], begin + start * np.dtype(dtype).itemsize, dtype)


def _read(file: FileIO, values: NDArray[Any], begin: int, dtype: str) -> None:
    file.seek(begin)
    if values.dtype == np.dtype(dtype):
        read = file.readinto(values.view(np.uint8).data)
    else:
        draft = np.empty(len(values), dtype)
        read = file.readinto(draft.view(np.uint8).data)
        values[:] = draft
    if read != len(values) * np.dtype(dtype).itemsize:
        raise OSError(f"{file.name} is shorter than it was written; delete the folder and start anew")


def opened(path: Path) -> Batch:
    """Return a batch that was written whole."""
    content = json.loads((path / CONTENT).read_text(encoding="utf-8"))
    starts = np.concatenate([[0], np.cumsum(content["rows"])]).astype(np.int64)
    return Batch(path, starts, {name: (int(begin), str(dtype)) for name, begin, dtype in content["columns"]})


def write_batch(target: Path, frame: pl.DataFrame, rows: Int, bucket: Int, buckets: int) -> None:
    """Write rows by bucket, those of a bucket in the order they have.

    Args:
        target: Folder of the batch.
        frame: The rows as numbers.
        rows: Number of each row in its whole table.
        bucket: Bucket of each row.
        buckets: Number of buckets.
    """
    draft = target.with_name(f"{target.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    order = np.argsort(bucket.astype(np.uint16) if buckets <= FEW else bucket, kind="stable")
    columns = _columns(frame) | {ROW: rows.astype(np.int32 if _is_narrow(rows) else np.int64, copy=False)}
    sorted_columns = threads.starmap(np.take, [(values, order) for values in columns.values()])
    places, begin = [], 0
    with (draft / VALUES).open("wb") as file:
        for name, values in zip(columns, sorted_columns, strict=True):
            file.write(values.data if values.nbytes else b"")
            places.append([name, begin, values.dtype.str])
            begin += values.nbytes
    content = {"rows": np.bincount(bucket, minlength=buckets).tolist(), "columns": places}
    (draft / CONTENT).write_text(json.dumps(content), encoding="utf-8")
    os.replace(draft, target)


def _is_narrow(rows: Int) -> bool:
    return not len(rows) or int(rows.max()) <= NARROW


def _columns(frame: pl.DataFrame) -> dict[str, NDArray[Any]]:
    """Return every column as numbers, and of columns with missing ones where they are."""
    columns: dict[str, NDArray[Any]] = {}
    for column in frame:
        if column.null_count():
            columns[gaps(column.name)] = column.is_null().to_numpy()
            column = column.fill_null(0)
        columns[column.name] = column.rechunk().to_numpy()
    return columns


def gaps(name: str) -> str:
    """Return the name under which the missing values of a column are marked."""
    return f"{name}\0gaps"


def read_batches(parts: Sequence[tuple[Batch, int | None]], dtypes: Mapping[str, Any]) -> pl.DataFrame:
    """Return columns of some buckets, one under another, with the number of each row.

    Args:
        parts: Batches, each with the bucket that is read of it; None for all of its rows.
        dtypes: The columns and their types.
    """
    ends = np.cumsum([0, *(stop - start for start, stop in (batch.rows(bucket) for batch, bucket in parts))])
    total = int(ends[-1])
    columns: dict[str, NDArray[Any]] = {name: np.empty(total, TYPES.get(dtypes[name], np.float64)) for name in dtypes}
    columns[ROW] = np.empty(total, np.int64)
    gappy = [name for name in dtypes if any(gaps(name) in batch.places for batch, _ in parts)]
    missing: dict[str, Bool] = {gaps(name): np.zeros(total, np.bool_) for name in gappy}
    for (batch, bucket), first in zip(parts, ends[:-1].tolist(), strict=True):
        batch.read_into(columns | missing, bucket, first)
    series = [pl.Series(name, values) for name, values in columns.items()]
    return pl.DataFrame(series).with_columns(
        pl.when(~pl.Series(missing[gaps(name)])).then(pl.col(name)).alias(name) for name in gappy
    )
