"""The engine `spark`: the same plan on a cluster, by grouped functions on pieces of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from icefire.core.parts import ROW, WEIGHT, Bucket, Job, Scan, Side
from icefire.engines.coding import CodedTables, coded_frame
from icefire.engines.hashing import bucket_numbers
from icefire.engines.spark_arrow import as_arrow, as_polars, on_chunks, quoted, spark_schema
from icefire.engines.spark_packed import (
    GROUP,
    HELD,
    PLACE,
    RESULT,
    RESULTS,
    as_bytes,
    few_pieces_at_once,
    on_pieces,
    packed,
    packed_columns,
    results_of,
    unpacked,
)
from icefire.engines.spark_table import SparkTable
from icefire.engines.tables import EngineTables
from icefire.kernels.types import Int

SIDES: tuple[Side, Side] = ("original", "released")
BUCKET_ROWS = 400_000
"""Rows of both tables in one bucket."""
PIECES = 1000
"""Most pieces of a large bucket, by table."""


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
        self._frames: dict[Side, Any] = {}
        for side, table, places in zip(SIDES, (original, released), (None, numbers), strict=True):
            dtypes = dict(table.dtypes)
            code = partial(_coded, coded=coded, side=side, dtypes=dtypes, places=places, buckets=self.buckets)
            frame = table.frame.select(*(quoted(one.name) for one in coded.codes), ROW)
            columns = packed_columns([*self.carried, ROW])
            frame = frame.mapInArrow(on_chunks(code, columns), spark_schema(columns))
            # Pieces of a bucket are brought together once; no job on whole buckets moves them again.
            frame = frame.repartition(self._partitions(frame.sparkSession), GROUP).sortWithinPartitions(GROUP)
            self._frames[side] = frame.persist(StorageLevel.DISK_ONLY)
            self._frames[side].count()
        self._session = original.frame.sparkSession

    def run_job(self, job: Job) -> Iterator[pl.DataFrame]:
        """Run a job on every bucket by a grouped function on both tables."""
        from pyspark.sql import functions

        needed = {"original": job.original, "released": job.released}
        for columns in needed.values():
            self.check_columns((*job.keys, *(columns or ())))
        pieces = self._pieces(job.keys) if job.splits or job.distinct else {}
        regroup = bool(pieces) or not self._are_whole(job.keys)
        sides, dtypes = [], []
        for side in SIDES:
            wanted = tuple(dict.fromkeys((*job.keys, *(needed[side] or ()))))
            types = self._types(wanted)
            frame = self._frames[side].select(*map(quoted, types), GROUP, HELD)
            if needed[side] is None:
                frame = frame.filter(functions.lit(False))
            if regroup:
                grouping = _Grouping(job.keys, self.buckets, side, job.distinct, pieces, types)
                types = self._counted_types(job.keys) if job.distinct else types
                columns_out = packed_columns(types)
                frame = frame.mapInArrow(on_pieces(grouping, columns_out), spark_schema(columns_out))
            sides.append(frame)
            dtypes.append(types)
        function = partial(_run_bucket, job=job, schema=self.schema, places=dict(self.places), dtypes=dtypes)
        left, right = (side.groupBy(GROUP) for side in sides)
        results = left.cogroup(right).applyInArrow(_keyless(function), spark_schema(RESULTS))
        yield results_of(self._collected(results), job.columns)

    def scan(self, scan: Scan) -> Iterator[pl.DataFrame]:
        """Run a scan on chunks of one table."""
        yield from next(self.scans([scan]))

    def scans(self, scans: Sequence[Scan]) -> Iterator[Iterator[pl.DataFrame]]:
        """Run several scans of one table in one job."""
        needed = tuple(dict.fromkeys(name for scan in scans for name in scan.needed))
        self.check_columns(needed)
        types = self._types(needed)
        frame = self._frames[scans[0].side].select(*map(quoted, types), HELD)
        run = partial(_run_scans, scans=scans, dtypes=types)
        collected = self._collected(frame.mapInArrow(on_pieces(run, RESULTS), spark_schema(RESULTS)))
        for place, scan in enumerate(scans):
            yield iter([results_of(collected.filter(pl.col(PLACE) == place), scan.columns)])

    def close(self) -> None:
        """Give the room on the cluster's disks back."""
        for frame in self._frames.values():
            frame.unpersist()

    def _collected(self, results: Any) -> pl.DataFrame:
        with few_pieces_at_once(self._session):
            return as_polars(results.toArrow())

    def _types(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the types of columns as they are held, and of the numbers of rows."""
        held = {one.name: one.dtype for one in self.coded.codes}
        return {name: held[name] for name in names} | {ROW: pl.Int64}

    def _counted_types(self, keys: Sequence[str]) -> dict[str, Any]:
        types = self._types(keys)
        return {name: types[name] for name in keys} | {WEIGHT: pl.Int64}

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
        if self.originals + self.targets <= 2 * self._bucket_rows:
            return {}  # not even one bucket of all rows would be cut
        counts = []
        for side in SIDES:
            count = partial(_counted, keys=keys, buckets=self.buckets)
            scan = Scan(f"rows by bucket of {keys}", side, keys, count, {GROUP: pl.Int64, WEIGHT: pl.Int64})
            results = pl.concat(self.scan(scan)).group_by(GROUP).agg(pl.col(WEIGHT).sum())
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
        self,
        keys: Sequence[str],
        buckets: int,
        side: Side,
        distinct: bool,
        pieces: Mapping[int, tuple[int, int]],
        dtypes: Mapping[str, Any],
    ) -> None:
        self.keys, self.buckets, self.side, self.distinct, self.pieces = tuple(keys), buckets, side, distinct, pieces
        self.dtypes = dtypes

    def __call__(self, held: pl.DataFrame) -> pl.DataFrame:
        return packed(self._grouped(unpacked(held, self.dtypes)))

    def _grouped(self, frame: pl.DataFrame) -> pl.DataFrame:
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
    return packed(numbered.with_columns(pl.Series(GROUP, bucket_numbers(numbered, coded.schema.qi or (ROW,), buckets))))


def _run_bucket(
    left: pl.DataFrame,
    right: pl.DataFrame,
    job: Job,
    schema: Any,
    places: Any,
    dtypes: Sequence[Mapping[str, Any]],
) -> pl.DataFrame:
    x, y = (unpacked(side, types) for side, types in zip((left, right), dtypes, strict=True))
    if job.distinct:
        x, y = (_distinct(side, job.keys) for side in (x, y))
    else:
        x = x.sort(ROW)
    return _result(0, job.part(Bucket(x, y, schema, places)), job.columns)


def _run_scans(held: pl.DataFrame, scans: Sequence[Scan], dtypes: Mapping[str, Any]) -> pl.DataFrame:
    frame = unpacked(held, dtypes)
    results = []
    for place, scan in enumerate(scans):
        chunk = frame.select(*dict.fromkeys(scan.needed), ROW)
        results.append(_result(place, scan.part(chunk), scan.columns))
    return pl.concat(results)


def _result(place: int, frame: pl.DataFrame, columns: Mapping[str, Any]) -> pl.DataFrame:
    return pl.DataFrame({PLACE: [place], RESULT: [as_bytes(frame, columns)]}, schema=RESULTS)


def _distinct(frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return distinct rows with their number; rows that were counted chunk by chunk are added up."""
    rows = pl.col(WEIGHT).sum() if WEIGHT in frame.columns else pl.len()
    return frame.group_by(keys).agg(rows.cast(pl.Int64).alias(WEIGHT))


def _keyless(function: Callable[[pl.DataFrame, pl.DataFrame], pl.DataFrame]) -> Any:
    """Return a function on two Arrow tables, as Spark calls it."""

    def call(left: Any, right: Any) -> Any:
        return as_arrow(function(as_polars(left), as_polars(right)), RESULTS)

    return call
