"""The rows of a history on disk, dealt by clusters of subjects; then those to be published, in random order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from icefire.core import seeds
from icefire.core.history import dates
from icefire.core.history.fields import Fields
from icefire.core.history.history import positions
from icefire.engines.partitions import divided
from icefire.engines.raw_histories import RawHistory
from icefire.kernels.types import Int

SUBJECT = "__subject__"
"""Column of the subject's number, called as no column of a history is."""


class RowFacts(NamedTuple):
    """What is known of all rows before they are dealt."""

    counts: Int
    """Rows of each subject."""
    prices: pl.DataFrame | None
    """Good and "price": the price in its last row in time, among equals the last in the file; None without prices."""


def row_facts(source: RawHistory, batch_rows: int) -> RowFacts:
    """Count the rows of each subject and find the latest price of each good.

    Args:
        source: The history.
        batch_rows: Rows that are read at a time.

    Raises:
        InputError: If a subject is not in the table of customers, or a date or time cannot be read.
    """
    fields, counts = source.fields, np.zeros(len(source.names), np.int64)
    held: pl.DataFrame | None = None
    for frame in source.whole_rows(batch_rows):
        owners = positions(frame[fields.subject], source.names)
        source.check_known(pl.DataFrame({"subject": owners, "subject name": frame[fields.subject]}))
        counts += np.bincount(owners, minlength=len(counts))
        latest = _latest_prices(frame, fields)
        # A later row of the same time counts: the last of equals is kept.
        held = latest if held is None or latest is None else _last_of_each(pl.concat([held, latest]), fields.item)
    return RowFacts(counts, None if held is None else held.select(fields.item, "price"))


def _latest_prices(frame: pl.DataFrame, fields: Fields) -> pl.DataFrame | None:
    date, time = (None if name is None else frame[name] for name in (fields.date, fields.time))
    when = dates.seconds(date, time, frame.height)
    if fields.price is None:
        return None
    rows = frame.select(fields.item, pl.Series("when", when), pl.col(fields.price).alias("price"))
    return _last_of_each(rows, fields.item)


def _last_of_each(rows: pl.DataFrame, item: str) -> pl.DataFrame:
    return rows.sort("when", maintain_order=True).group_by(item, maintain_order=True).last()


@dataclass(frozen=True, slots=True)
class RowFiles:
    """Rows in so many partitions, as Parquet files in a new folder."""

    folder: Path
    count: int

    def add(self, frame: pl.DataFrame, partition: Int, name: int) -> None:
        """Write rows into their partitions.

        Args:
            frame: The rows.
            partition: Partition of each row.
            name: Place of these rows among all that are added; rows of a partition are read in this order.
        """
        for number, part in enumerate(divided(frame, partition, self.count)):
            if part.height:
                self._place(number).mkdir(parents=True, exist_ok=True)
                part.write_parquet(self._place(number) / f"{name:06d}.parquet", compression="lz4")

    def read(self) -> Iterator[pl.DataFrame]:
        """Give the rows of each partition that has some; its files are deleted afterwards."""
        for number in range(self.count):
            parts = sorted(self._place(number).iterdir()) if self._place(number).exists() else []
            if parts:
                yield pl.concat([pl.read_parquet(part) for part in parts], rechunk=True)
            for part in parts:
                part.unlink()

    def _place(self, number: int) -> Path:
        return self.folder / f"{number:06d}"


def deal(source: RawHistory, partition_of: Int, files: RowFiles, batch_rows: int) -> None:
    """Write every row, with the number of its subject, into the partition of its subject.

    Args:
        source: The history.
        partition_of: Partition of each subject.
        files: Where the rows go.
        batch_rows: Rows that are read at a time.
    """
    for batch, frame in enumerate(source.whole_rows(batch_rows)):
        owners = positions(frame[source.fields.subject], source.names)
        files.add(frame.with_columns(pl.Series(SUBJECT, owners)), partition_of[owners], batch)


def in_random_order(frames: Iterable[pl.DataFrame], folder: Path, count: int, seed: int) -> list[Path]:
    """Write all rows in random order, as files that follow one another.

    Every row goes to one of the files by chance, and the rows of each file are shuffled.

    Args:
        frames: The rows.
        folder: New folder for the files.
        count: Number of files, at most.
        seed: Seed of the release.
    """
    drawn = RowFiles(folder / "drawn", count)
    for place, frame in enumerate(frames):
        rng = seeds.generator(seed, "publish", "file", str(place))
        drawn.add(frame, rng.integers(0, count, frame.height), place)
    files = []
    for number, frame in enumerate(drawn.read()):
        order = seeds.generator(seed, "publish", "order", str(number)).permutation(frame.height)
        files.append(folder / f"{number:06d}.parquet")
        frame[order].write_parquet(files[-1])
    return files
