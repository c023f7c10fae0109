"""The engine `spark`: the same plan on a cluster, by grouped functions on Arrow tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from icefire.core.parts import ROW, WEIGHT, Bucket, Job, Scan, Side
from icefire.engines.coding import CodedTables, coded_frame
from icefire.engines.hashing import bucket_numbers
from icefire.engines.raw_tables import FIGURES, ROWS, VALUE, SourceTable, figure_expressions, plain
from icefire.engines.spark_source import file_order, read_table, typed_columns, unreadable
from icefire.engines.tables import EngineTables
from icefire.kernels.types import Int

GROUP = "__group__"
SIDES: tuple[Side, Side] = ("original", "released")
CHUNK = 1_000_000
"""Rows that a function on chunks gets at a time."""
BUCKET_ROWS = 400_000
"""Rows of both tables in one bucket."""
PIECES = 1000
"""Most pieces of a large bucket, by table."""


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

    def counts(self, column: str) -> pl.DataFrame:
        """Count the distinct values of a column on the cluster."""
        counted = as_polars(self.frame.groupBy(quoted(column)).count().toArrow())
        counted.columns = [VALUE, ROWS]
        counted = counted.select(plain(VALUE, self._dtypes[column]), pl.col(ROWS).cast(pl.Int64))
        return counted.group_by(VALUE).agg(pl.col(ROWS).sum())

    def figures(self, columns: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Compute the figures on the cluster, chunk by chunk."""
        if not columns:
            return {}
        dtypes, result = self._dtypes, {"name": pl.String, **dict.fromkeys(FIGURES, pl.Float64)}

        def part(frame: pl.DataFrame) -> pl.DataFrame:
            row = frame.select(expr for name in columns for expr in figure_expressions(name, dtypes[name]))
            results = row.row(0, named=True)
            rows = [{"name": name, **{one: results[f"{one} {name}"] for one in FIGURES}} for name in columns]
            return pl.DataFrame(rows, schema=result)

        parts = _mapped(self.frame.select(*map(quoted, columns)), part, result)
        merged = parts.group_by("name").agg(
            pl.col("lowest").min(), pl.col("highest").max(), pl.col("missing", "total", "infinite").sum()
        )
        rows = merged.with_columns(pl.col("missing", "infinite").cast(pl.Int64)).rows(named=True)
        return {row.pop("name"): row for row in rows}


class SparkTables(EngineTables):
    """Two tables on a cluster."""

    def __init__(
        self,
        original: SparkTable,
        released: SparkTable,
        coded: CodedTables,
        numbers: Int | None = None,
        bucket_rows: int = BUCKET_ROWS,
    ) -> None:
        """Code both tables on the cluster and keep them on its disks.

        Args:
            original: The original table.
            released: The released table.
            coded: How their columns become numbers.
            numbers: Number of each released row, in the order the attacker sees. Default: the order of the files.
            bucket_rows: Rows of both tables in one bucket.
        """
        from pyspark import StorageLevel

        super().__init__(coded)
        self._bucket_rows = bucket_rows
        self.buckets = max(1, -(-(original.height + released.height) // bucket_rows))
        self._frames = {}
        for side, table, places in zip(SIDES, (original, released), (None, numbers), strict=True):
            dtypes = dict(table.dtypes)
            code = partial(_coded, coded=coded, side=side, dtypes=dtypes, places=places, buckets=self.buckets)
            columns = {one.name: one.dtype for one in coded.codes} | {ROW: pl.Int64, GROUP: pl.Int64}
            frame = table.frame.select(*(quoted(one.name) for one in coded.codes), ROW)
            frame = frame.mapInArrow(on_chunks(code, columns), spark_schema(columns))
            # Rows of a bucket are brought together and sorted once; no job on whole buckets moves them again.
            frame = frame.repartition(self._partitions(frame.sparkSession), GROUP).sortWithinPartitions(GROUP)
            self._frames[side] = frame.persist(StorageLevel.DISK_ONLY)

    def run_job(self, job: Job) -> Iterator[pl.DataFrame]:
        """Run a job on every bucket by a grouped function on both tables."""
        from pyspark.sql import functions

        needed = {"original": job.original, "released": job.released}
        for columns in needed.values():
            self.check_columns((*job.keys, *(columns or ())))
        pieces = self._pieces(job.keys) if job.splits or job.distinct else {}
        regroup = bool(pieces) or not self._are_whole(job.keys)
        sides = []
        for side in SIDES:
            wanted = tuple(dict.fromkeys((*job.keys, *(needed[side] or ()))))
            frame = self._frames[side].select(*map(quoted, wanted), ROW, GROUP)
            if needed[side] is None:
                frame = frame.filter(functions.lit(False))
            if regroup:
                grouped = _Grouping(job.keys, self.buckets, side, job.distinct, pieces)
                result = {one.name: one.dtype for one in self.coded.codes if one.name in wanted}
                columns_out = {name: result[name] for name in (job.keys if job.distinct else wanted)}
                columns_out |= {WEIGHT if job.distinct else ROW: pl.Int64, GROUP: pl.Int64}
                frame = frame.drop(GROUP).mapInArrow(on_chunks(grouped, columns_out), spark_schema(columns_out))
            sides.append(frame)
        function = partial(_run_bucket, job=job, schema=self.schema, places=dict(self.places))
        left, right = (side.groupBy(GROUP) for side in sides)
        results = left.cogroup(right).applyInArrow(_keyless(function, job.columns), spark_schema(job.columns))
        yield as_polars(results.toArrow())

    def scan(self, scan: Scan) -> Iterator[pl.DataFrame]:
        """Run a scan on chunks of one table."""
        self.check_columns(scan.needed)
        frame = self._frames[scan.side].select(*map(quoted, dict.fromkeys(scan.needed)), ROW)
        yield _mapped(frame, scan.part, scan.columns)

    def close(self) -> None:
        """Give the room on the cluster's disks back."""
        for frame in self._frames.values():
            frame.unpersist()

    def _partitions(self, session: Any) -> int:
        """Return into how many partitions the buckets are put: as many as Spark is told to make, of a few each."""
        return max(1, min(self.buckets, max(int(session.conf.get("spark.sql.shuffle.partitions")), self.buckets // 8)))

    def _are_whole(self, keys: Sequence[str]) -> bool:
        """Tell whether rows that agree on these keys are in one bucket already."""
        return bool(self.schema.qi) and set(self.schema.qi) <= set(keys)

    def _pieces(self, keys: tuple[str, ...]) -> dict[int, tuple[int, int]]:
        """Return into how many pieces of each table large buckets are cut."""
        return self.cached(("pieces", keys), lambda: self._cut(keys))

    def _cut(self, keys: tuple[str, ...]) -> dict[int, tuple[int, int]]:
        counts = []
        for side in SIDES:
            columns = {GROUP: pl.Int64, WEIGHT: pl.Int64}
            count = partial(_counted, keys=keys, buckets=self.buckets)
            frame = self._frames[side].select(*map(quoted, keys), ROW)
            results = _mapped(frame, count, columns).group_by(GROUP).agg(pl.col(WEIGHT).sum())
            counts.append(dict(results.iter_rows()))
        pieces: dict[int, tuple[int, int]] = {}
        for bucket in counts[0].keys() & counts[1].keys():
            known, shown = (count[bucket] for count in counts)
            if known + shown > 2 * self._bucket_rows:
                pieces[bucket] = (self._number_of_pieces(known), self._number_of_pieces(shown))
        return pieces

    def _number_of_pieces(self, rows: int) -> int:
        return min(PIECES, max(1, -(-rows // self._bucket_rows)))


class _Grouping:
    """Gives every row the group it is worked on in; rows of a cut bucket go to several."""

    def __init__(
        self, keys: Sequence[str], buckets: int, side: Side, distinct: bool, pieces: Mapping[int, tuple[int, int]]
    ) -> None:
        self.keys, self.buckets, self.side, self.distinct, self.pieces = tuple(keys), buckets, side, distinct, pieces

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        bucket = _buckets(frame, self.keys, self.buckets)
        frame = frame.with_columns(pl.Series(GROUP, bucket * (PIECES * PIECES)))
        if self.distinct:
            by = [*self.keys, GROUP]
            counted = frame.group_by(by).agg(pl.len().cast(pl.Int64).alias(WEIGHT))
            return counted.select(*self.keys, WEIGHT, GROUP)
        parts = [frame.filter(pl.Series(~np.isin(bucket, list(self.pieces))))]
        for number, (known, shown) in self.pieces.items():
            cut = frame.filter(pl.Series(bucket == number))
            own, other = (known, shown) if self.side == "original" else (shown, known)
            piece = pl.col(ROW) % own
            for twin in range(other):
                group = piece * PIECES + twin if self.side == "original" else piece + twin * PIECES
                parts.append(cut.with_columns(pl.col(GROUP) + group))
        return pl.concat(parts)


def _buckets(frame: pl.DataFrame, keys: Sequence[str], buckets: int) -> Int:
    """Return the bucket of every row; without keys all rows are one class and one bucket."""
    return bucket_numbers(frame, keys, buckets) if keys else np.zeros(frame.height, np.int64)


def _counted(frame: pl.DataFrame, keys: Sequence[str], buckets: int) -> pl.DataFrame:
    counts = np.bincount(_buckets(frame, keys, buckets), minlength=buckets)
    there = np.flatnonzero(counts)
    return pl.DataFrame({GROUP: there, WEIGHT: counts[there]})


def _coded(
    frame: pl.DataFrame, coded: CodedTables, side: Side, dtypes: Mapping[str, Any], places: Int | None, buckets: int
) -> pl.DataFrame:
    rows = frame[ROW] if places is None else pl.Series(ROW, places[frame[ROW].to_numpy()], dtype=pl.Int64)
    numbered = coded_frame(frame, coded.codes, side, dtypes).with_columns(rows)
    # Without quasi-identifiers rows are put together by their number, so that partitions are of one size.
    return numbered.with_columns(pl.Series(GROUP, bucket_numbers(numbered, coded.schema.qi or (ROW,), buckets)))


def _run_bucket(left: pl.DataFrame, right: pl.DataFrame, job: Job, schema: Any, places: Any) -> pl.DataFrame:
    x, y = left.drop(GROUP), right.drop(GROUP)
    if job.distinct:
        x, y = (_distinct(side, job.keys) for side in (x, y))
    else:
        x = x.sort(ROW)
    return job.part(Bucket(x, y, schema, places))


def _distinct(frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return distinct rows with their number; rows that were counted chunk by chunk are added up."""
    rows = pl.col(WEIGHT).sum() if WEIGHT in frame.columns else pl.len()
    return frame.group_by(keys).agg(rows.cast(pl.Int64).alias(WEIGHT))


def _keyless(function: Callable[[pl.DataFrame, pl.DataFrame], pl.DataFrame], columns: Mapping[str, Any]) -> Any:
    """Return a function on two Arrow tables, as Spark calls it."""

    def call(left: Any, right: Any) -> Any:
        return as_arrow(function(as_polars(left), as_polars(right)), columns)

    return call


def _mapped(frame: Any, part: Callable[[pl.DataFrame], pl.DataFrame], columns: Mapping[str, Any]) -> pl.DataFrame:
    """Run a function on chunks of a table of Spark and return all results."""
    return as_polars(frame.mapInArrow(on_chunks(part, columns), spark_schema(columns)).toArrow())


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
