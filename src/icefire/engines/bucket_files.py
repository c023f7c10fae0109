"""Buckets of both tables on disk, written batch by batch, each batch whole or not at all."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.core.errors import OutputError
from icefire.core.parts import ROW, WEIGHT, Side, merged_groups
from icefire.engines.batch_files import Batch, opened, read_batches, write_batch
from icefire.engines.coding import CodedTables, coded_frame
from icefire.engines.hashing import bucket_numbers
from icefire.engines.raw_tables import PolarsTable
from icefire.kernels.types import Int


@dataclass(frozen=True)
class BucketFiles:
    """The buckets of both tables by one list of keys, in a folder."""

    folder: Path
    coded: CodedTables
    keys: tuple[str, ...]
    buckets: int
    _opened: dict[Path, Batch] = field(default_factory=dict, repr=False, compare=False)

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
        # Without keys all rows are one class; buckets of any rows then bound what is read at a time.
        keyed = frame if self.keys else pl.DataFrame({ROW: rows})
        write_batch(target, frame, rows, bucket_numbers(keyed, self.keys or (ROW,), self.buckets), self.buckets)

    def counts(self, side: Side) -> Int:
        """Return the number of rows in each bucket of a table."""
        rows: Int = np.sum([np.diff(batch.starts) for batch in self._batches(side)], axis=0, dtype=np.int64)
        return rows

    def read(self, side: Side, number: int | None, columns: Sequence[str]) -> pl.DataFrame:
        """Return one bucket of a table, or all (None), the rows of a bucket in the order they were read in."""
        return read_batches([(batch, number) for batch in self._batches(side)], self._dtypes(columns))

    def pieces(self, side: Side, number: int | None, columns: Sequence[str], rows: int) -> Iterator[pl.DataFrame]:
        """Give one bucket of a table, or all (None), in pieces of about so many rows."""
        for group in self.groups(side, rows, number):
            yield read_batches([(batch, number) for batch in group], self._dtypes(columns))

    def groups(self, side: Side, rows: int, number: int | None = None) -> list[list[Batch]]:
        """Return the batches with rows in a bucket, or all batches (None), as many together as have so many rows."""
        groups, held = list[list[Batch]](), 0
        for batch in self._batches(side):
            start, stop = batch.rows(number)
            if stop > start:
                held += stop - start
                if not groups or held > rows:
                    groups.append([])
                    held = stop - start
                groups[-1].append(batch)
        return groups

    def whole(self, batches: Sequence[Batch], columns: Sequence[str]) -> pl.DataFrame:
        """Return all rows of some batches."""
        return read_batches([(batch, None) for batch in batches], self._dtypes(columns))

    def distinct(self, side: Side, number: int | None, keys: Sequence[str], rows: int) -> pl.DataFrame:
        """Return the distinct rows of one bucket by the keys, and how many rows each of them is."""
        parts = (
            piece.group_by(keys).agg(pl.len().cast(pl.Int64).alias(WEIGHT))
            for piece in self.pieces(side, number, keys, rows)
        )
        return merged_groups(chain([self.coded.empty(keys, WEIGHT)], parts), list(keys), pl.col(WEIGHT).sum())

    def _dtypes(self, columns: Sequence[str]) -> dict[str, Any]:
        dtypes = {code.name: code.dtype for code in self.coded.codes}
        return {name: dtypes[name] for name in dict.fromkeys(columns)}

    def _batches(self, side: Side) -> list[Batch]:
        paths = sorted(path for path in (self.folder / side).iterdir() if path.suffix != ".part")
        for path in paths:
            if path not in self._opened:
                self._opened[path] = opened(path)
        return [self._opened[path] for path in paths]


SCRATCH = (
    "make room or name a folder on another disk (--scratch, or TMPDIR); batches that were written whole in --scratch "
    "are used again"
)


FULL = ("No space left", "requested and")
"""How polars and numpy say that a disk is full."""


@contextmanager
def told_where_full(folder: Path, remedy: str = SCRATCH) -> Iterator[None]:
    """Say in one line that a disk is full, where, and what to do."""
    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        is_full = getattr(error, "errno", None) == errno.ENOSPC or any(words in str(error) for words in FULL)
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
