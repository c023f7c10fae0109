"""Buckets of both tables as Parquet files, written batch by batch, each batch whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from icefire.core.errors import OutputError
from icefire.core.parts import ROW, WEIGHT, Side, merged_groups
from icefire.engines.coding import CodedTables, coded_frame
from icefire.engines.hashing import bucket_numbers
from icefire.engines.raw_tables import PolarsTable
from icefire.kernels.types import Int

COUNTS = "rows.json"


@dataclass(frozen=True)
class BucketFiles:
    """The buckets of both tables by one list of keys, in a folder."""

    folder: Path
    coded: CodedTables
    keys: tuple[str, ...]
    buckets: int

    def write(self, side: Side, table: PolarsTable, batch_rows: int, numbers: Int | None) -> None:
        """Write all batches of a table that are not there yet.

        Args:
            side: Which table it is.
            table: Its rows.
            batch_rows: Rows read at a time.
            numbers: Number of each row; None numbers them in order.
        """
        names = [code.name for code in self.coded.codes]
        with told_where_full(self.folder):
            (self.folder / side).mkdir(parents=True, exist_ok=True)
            for first in range(0, table.height, batch_rows):
                target = self.folder / side / f"{first:012d}"
                if not target.exists():
                    frame = table.source.slice(first, batch_rows).select(names).collect()
                    rows = (
                        np.arange(first, first + frame.height) if numbers is None else numbers[first:][: frame.height]
                    )
                    self._write_batch(target, coded_frame(frame, self.coded.codes, side, table.dtypes), rows)

    def _write_batch(self, target: Path, frame: pl.DataFrame, rows: Int) -> None:
        draft = target.with_name(f"{target.name}.part")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        numbered = frame.with_columns(pl.Series(ROW, rows, dtype=pl.Int64))
        # Without keys all rows are one class; buckets of any rows then bound what is read at a time.
        bucket = bucket_numbers(numbered, self.keys or (ROW,), self.buckets)
        order = np.argsort(bucket, kind="stable")
        ends = np.cumsum(np.bincount(bucket, minlength=self.buckets))
        sorted_rows = numbered[order]
        for number, (start, stop) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            if stop > start:
                part = sorted_rows[int(start) : int(stop)]
                part.write_parquet(draft / f"{number}.parquet", compression="lz4", statistics=False)
        (draft / COUNTS).write_text(json.dumps(np.diff(ends, prepend=0).tolist()))
        os.replace(draft, target)

    def counts(self, side: Side) -> Int:
        """Return the number of rows in each bucket of a table."""
        batches = [json.loads((batch / COUNTS).read_text()) for batch in self._batches(side)]
        rows: Int = np.array(batches, np.int64).reshape(-1, self.buckets).sum(axis=0)
        return rows

    def read(self, side: Side, number: int, columns: Sequence[str]) -> pl.DataFrame:
        """Return one bucket of a table, its rows in the order they were read in."""
        parts = [pl.read_parquet(path, columns=[*columns, ROW]) for path in self._parts(side, number)]
        return pl.concat([self.coded.empty(columns, ROW), *parts], rechunk=True)

    def pieces(self, side: Side, number: int, columns: Sequence[str], rows: int) -> Iterator[pl.DataFrame]:
        """Give one bucket of a table in pieces of about so many rows."""
        held: list[pl.DataFrame] = []
        for path in self._parts(side, number):
            held.append(pl.read_parquet(path, columns=[*columns, ROW]))
            if sum(frame.height for frame in held) >= rows:
                yield pl.concat(held, rechunk=True)
                held = []
        if held:
            yield pl.concat(held, rechunk=True)

    def distinct(self, side: Side, number: int, keys: Sequence[str]) -> pl.DataFrame:
        """Return the distinct rows of one bucket by the keys, and how many rows each of them is."""
        parts = (
            pl.read_parquet(path, columns=list(keys)).group_by(keys).agg(pl.len().cast(pl.Int64).alias(WEIGHT))
            for path in self._parts(side, number)
        )
        return merged_groups(chain([self.coded.empty(keys, WEIGHT)], parts), list(keys), pl.col(WEIGHT).sum())

    def _parts(self, side: Side, number: int) -> list[Path]:
        return [path for batch in self._batches(side) if (path := batch / f"{number}.parquet").exists()]

    def _batches(self, side: Side) -> list[Path]:
        return sorted(path for path in (self.folder / side).iterdir() if path.suffix != ".part")


SCRATCH = (
    "make room or name a folder on another disk (--scratch, or TMPDIR); batches that were written whole in --scratch "
    "are used again"
)


@contextmanager
def told_where_full(folder: Path, remedy: str = SCRATCH) -> Iterator[None]:
    """Say in one line that a disk is full, where, and what to do."""
    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        is_full = getattr(error, "errno", None) == errno.ENOSPC or "No space left" in str(error)
        if not is_full:
            raise
        raise OutputError(f"the disk of {str(folder)!r} is full; {remedy}") from None


def check_room(folder: Path, needed: int) -> None:
    """Refuse a folder whose disk has less room than the buckets need.

    Raises:
        OutputError: If there is too little room.
    """
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OutputError(
            f"the disk of {str(folder)!r} has {_amount(free)} left, and the buckets need about {_amount(needed)}; name "
            "a folder on a larger disk with --scratch"
        )


def _amount(size: int) -> str:
    """Return an amount of room in the unit in which it can be read."""
    return f"{size / 1e9:.1f} GB" if size >= 10**8 else f"{size / 1e6:.1f} MB"
