"""A table that Spark reads: its rows with their numbers, and facts of all columns from one job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from icefire.core.parts import ROW
from icefire.engines.raw_tables import SourceTable, plain
from icefire.engines.spark_arrow import as_polars, quoted
from icefire.engines.spark_columns import ColumnLook, look_at
from icefire.engines.spark_source import file_order, read_table, typed_columns, unreadable
from icefire.kernels.types import Int


class SparkTable(SourceTable):
    """A table that Spark reads: Parquet files, with the number of each row as in one process."""

    def __init__(self, session: Any, path: str) -> None:
        """Open Parquet files, a Delta table, or a table of the catalog.

        Raises:
            InputError: If Spark cannot read it.
        """
        from pyspark.sql import functions

        self.name = path.rstrip("/").rpartition("/")[2]
        frame = read_table(session, path)
        place = [
            functions.col("_metadata.file_path").alias("__file__"),
            functions.col("_metadata.row_index").alias("__index__"),
        ]
        try:
            numbered = frame.select(*map(functions.col, map(quoted, frame.columns)), *place)
            counted = numbered.groupBy("__file__").count().collect()
        except Exception as error:  # every kind of storage has errors of its own
            raise unreadable(path, error) from None
        rows = {row["__file__"]: row["count"] for row in sorted(counted, key=lambda row: file_order(row["__file__"]))}
        first = dict(zip(rows, np.cumsum([0, *rows.values()])[:-1].tolist(), strict=True))
        self._height = int(sum(rows.values()))
        offsets = (
            functions.create_map(*(functions.lit(part) for pair in first.items() for part in pair)) if first else None
        )
        number = (
            functions.lit(0) if offsets is None else offsets[functions.col("__file__")] + functions.col("__index__")
        )
        typed = typed_columns(frame, list(rows), path)
        self.frame = numbered.select(*typed, number.cast("long").alias(ROW))
        self._look = ColumnLook()
        self._dtypes = dict(as_polars(self.frame.drop(ROW).limit(0).toArrow()).schema)

    @property
    def dtypes(self) -> Mapping[str, Any]:
        """Types of the columns."""
        return self._dtypes

    @property
    def height(self) -> int:
        """Number of rows."""
        return self._height

    def head(self, rows: int) -> pl.DataFrame:
        """Return some of the first rows."""
        return as_polars(self.frame.drop(ROW).limit(rows).toArrow())

    def whole(self) -> pl.DataFrame:
        """Return all rows, fetched from the cluster."""
        return as_polars(self.frame.toArrow()).sort(ROW).drop(ROW)

    def rows(self, numbers: Int) -> pl.DataFrame:
        """Return some rows, fetched from the cluster."""
        wanted = [int(number) for number in numbers]
        return as_polars(self.frame.filter(self.frame[ROW].isin(wanted)).toArrow()).sort(ROW).drop(ROW)

    def look_at(self, numbers: Sequence[str], values: Sequence[str]) -> None:
        """Compute the figures of columns of numbers and count the values of others in one job, and keep them."""
        asked = [name for name in numbers if name not in self._look.figures]
        counted = [name for name in values if name not in self._look.counts]
        if asked or counted:
            self._look.add(look_at(self.frame, self._dtypes, asked, counted))

    def counts(self, column: str) -> pl.DataFrame:
        """Count the distinct values of a column on the cluster."""
        plain(column, self._dtypes[column])
        self.look_at((), (column,))
        return self._look.counts[column]

    def figures(self, columns: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Compute the figures on the cluster, chunk by chunk."""
        self.look_at(columns, ())
        return {name: self._look.figures[name] for name in columns}
