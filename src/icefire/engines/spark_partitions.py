"""Partitions of one table on a Spark cluster: pieces of rows as bytes, so that every type of a column survives.

A step may change the types of columns, which Spark would have to know beforehand; it carries the rows of a partition
as bytes of Arrow files instead, in pieces, and with them the notes of the steps or the error that stopped one.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from icefire.core.dataset import ORIGIN
from icefire.core.errors import IcefireError
from icefire.core.parts import ROW, merged_groups
from icefire.engines.partitions import (
    ROWS,
    Partitions,
    Work,
    counted,
    divided,
    partition_numbers,
    together,
)
from icefire.engines.raw_tables import plain
from icefire.engines.spark_arrow import as_arrow, as_polars, on_chunks, quoted, spark_schema
from icefire.engines.spark_table import SparkTable

PART, PIECE, BYTES, FACTS = "part", "piece", "bytes", "facts"
PIECES = {PART: pl.Int64, PIECE: pl.Int64, ROWS: pl.Int64, BYTES: pl.Binary, FACTS: pl.Binary}
"""A piece of a partition: its place in it, how many rows, the rows, and facts of the partition (first piece only)."""
PIECE_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a partition tells besides its rows."""

    notes: list[dict[str, Any]]
    columns: Mapping[str, Any]
    error: IcefireError | None = None


class SparkPartitions(Partitions):
    """The rows of a table on a cluster, in pieces on its disks."""

    def __init__(self, table: SparkTable, folder: Path) -> None:
        """Take a table that Spark reads.

        Args:
            table: The table; the numbers of its rows become their origin.
            folder: Folder of the driver, into which the rows are fetched in the end.
        """
        self._height, self._folder = table.height, folder
        self._schema = pl.Schema()
        columns = [*map(quoted, table.dtypes), ROW]
        first = partial(_first_pieces, dtypes=dict(table.dtypes))
        self._pieces = table.frame.select(*columns).mapInArrow(on_chunks(first, PIECES), spark_schema(PIECES))
        self._held: list[Any] = []

    @property
    def height(self) -> int:
        """Number of rows."""
        return self._height

    def deal(self, keys: Sequence[str], count: int, salt: int) -> list[int]:
        """Cut the pieces by partition."""
        cut = partial(_cut, schema=self._schema, keys=tuple(keys), count=count, salt=salt)
        self._pieces = self._keep(_mapped(self._pieces, cut))
        rows = [0] * count
        for row in self._pieces.groupBy(PART).sum(ROWS).collect():
            rows[row[0]] = row[1]
        return rows

    def counts(self, columns: Sequence[str]) -> pl.DataFrame:
        """Count the values on the cluster; the driver adds up."""
        names = list(columns)
        pieces = _mapped(self._pieces, partial(_counted_piece, columns=names)).toLocalIterator()
        frames = (_frame(row[BYTES]) for row in pieces)
        return merged_groups(frames, names, pl.col(ROWS).sum()).sort(names)

    def work(self, work: Work) -> Iterator[list[dict[str, Any]]]:
        """Work on all partitions, each where the cluster has put it."""
        grouped = self._pieces.groupBy(PART).applyInArrow(_on_partition(work), spark_schema(PIECES))
        self._pieces = self._keep(grouped)
        first_pieces = self._pieces.filter(f"{PIECE} = 0").select(PART, FACTS).collect()
        facts = [pickle.loads(row[FACTS]) for row in sorted(first_pieces, key=lambda row: row[PART])]  # our own bytes
        for fact in facts:
            if fact.error is not None:
                raise fact.error
        empty = [pl.DataFrame(schema=fact.columns) for fact in facts]
        self._schema = pl.concat(empty, how="vertical_relaxed").schema
        self._height = int(self._pieces.agg({ROWS: "sum"}).collect()[0][0] or 0)
        for fact in facts:
            yield fact.notes

    def files(self) -> list[Path]:
        """Fetch the rows piece by piece into files of the driver."""
        for row in self._pieces.filter(f"{ROWS} > 0").toLocalIterator():
            frame = _frame(row[BYTES]).cast(self._schema)
            frame.write_parquet(self._folder / f"{row[PART]:06d}-{row[PIECE]:06d}.parquet")
        return sorted(self._folder.glob("*.parquet"))

    def close(self) -> None:
        """Give the room on the cluster's disks back."""
        for frame in self._held:
            frame.unpersist()

    def _keep(self, frame: Any) -> Any:
        """Compute a table once and keep it on the cluster's disks; the one before the last is given back."""
        from pyspark import StorageLevel

        kept = frame.persist(StorageLevel.DISK_ONLY)
        kept.count()
        for old in self._held:
            old.unpersist()
        self._held = [kept]
        return kept


def _first_pieces(frame: pl.DataFrame, dtypes: Mapping[str, Any]) -> pl.DataFrame:
    """Return the rows of a chunk as one piece."""
    columns = [plain(name, dtype) for name, dtype in dtypes.items()]
    return _piece(frame.select(pl.col(ROW).cast(pl.Int64).alias(ORIGIN), *columns), 0, 0)


def _cut(row: Mapping[str, Any], schema: pl.Schema, keys: Sequence[str], count: int, salt: int) -> pl.DataFrame:
    """Cut a piece by partition; it keeps the place it had, so that pieces are joined in one order."""
    frame = _frame(row[BYTES])
    frame = frame.cast(schema) if schema else frame
    parts = enumerate(divided(frame, partition_numbers(frame, keys, count, salt), count))
    place = row[PART] * 1_000_000 + row[PIECE]
    cut = [_piece(part, number, place) for number, part in parts if part.height]
    return pl.concat(cut) if cut else pl.DataFrame(schema=PIECES)


def _counted_piece(row: Mapping[str, Any], columns: Sequence[str]) -> pl.DataFrame:
    return _piece(counted(_frame(row[BYTES]), columns), 0, 0)


def _piece(frame: pl.DataFrame, number: int, place: int, facts: bytes | None = None) -> pl.DataFrame:
    written = BytesIO()
    frame.write_ipc(written, compression="lz4")
    values = {PART: [number], PIECE: [place], ROWS: [frame.height], BYTES: [written.getvalue()], FACTS: [facts]}
    return pl.DataFrame(values, schema=PIECES)


def _frame(content: bytes) -> pl.DataFrame:
    return pl.read_ipc(BytesIO(content))


def _mapped(pieces: Any, part: Any) -> Any:
    """Run a function on every piece, on the cluster."""

    def call(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for row in as_polars(batch).iter_rows(named=True):
                yield from as_arrow(part(row), PIECES).to_batches()

    return pieces.mapInArrow(call, spark_schema(PIECES))


def _on_partition(work: Work) -> Any:
    """Return the function that Spark runs on the pieces of one partition."""

    def call(pieces: Any) -> Any:
        held = as_polars(pieces).sort(PIECE)
        number = int(held[PART][0])
        frame = together([_frame(content) for content in held[BYTES]])
        try:
            worked, notes = work(frame, number)
        except IcefireError as error:
            worked, facts = frame.clear(), _Facts([], frame.schema, error)
        else:
            facts = _Facts(notes, worked.schema)
        pieces_out = [_piece(worked[:PIECE_ROWS], number, 0, pickle.dumps(facts))]
        for place, first in enumerate(range(PIECE_ROWS, worked.height, PIECE_ROWS), 1):
            pieces_out.append(_piece(worked[first : first + PIECE_ROWS], number, place))
        return as_arrow(pl.concat(pieces_out), PIECES)

    return call
