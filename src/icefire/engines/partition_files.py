"""Partitions of one table as Parquet files on the disk of one machine; one partition at a time is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from icefire.engines.partitions import ROWS, Partitions, Work, divided, partition_numbers, together


class PartitionFiles(Partitions):
    """The rows of a table in files, which are replaced when they are worked on."""

    def __init__(self, table: pl.LazyFrame, folder: Path, rows_at_once: int) -> None:
        """Take a table whose rows carry their number.

        Args:
            table: The rows; read in parts.
            folder: Where the partitions are kept.
            rows_at_once: Rows that are read at a time.
        """
        self._table, self._folder, self._rows_at_once = table, folder, rows_at_once
        self._files: list[Path] | None = None
        self._partitions: list[Path] = []
        self._stage = 0

    @property
    def height(self) -> int:
        """Number of rows."""
        return int(self._table.select(pl.len()).collect().item())

    def deal(self, keys: Sequence[str], count: int, salt: int) -> list[int]:
        """Write every row into the folder of its partition."""
        self._stage += 1
        self._partitions = [self._folder / f"{self._stage}-{number}" for number in range(count)]
        for folder in self._partitions:
            folder.mkdir(parents=True)
        rows, at_once = [0] * count, max(1, self._rows_at_once // 2)
        for piece, first in enumerate(range(0, self.height, at_once)):
            frame = self._table.slice(first, at_once).collect()
            numbers = partition_numbers(frame, keys, count, salt)
            for number, part in enumerate(divided(frame, numbers, count)):
                rows[number] += part.height
                if part.height:
                    part.write_parquet(self._partitions[number] / f"{piece:06d}.parquet", compression="lz4")
        return rows

    def counts(self, columns: Sequence[str]) -> pl.DataFrame:
        """Count the values in the whole table."""
        names = list(columns)
        counts = self._table.group_by(names).agg(pl.len().cast(pl.Int64).alias(ROWS))
        return counts.collect(engine="streaming").sort(names)

    def work(self, work: Work) -> Iterator[list[dict[str, Any]]]:
        """Work on one partition after another; the rows of a partition are deleted when it is done."""
        files = []
        for number, folder in enumerate(self._partitions):
            parts = sorted(folder.iterdir())
            if not parts:
                continue
            frame, notes = work(together([pl.read_parquet(part) for part in parts]), number)
            if frame.height:
                files.append(self._folder / f"{self._stage}-{number}.parquet")
                frame.write_parquet(files[-1])
            for part in parts:
                part.unlink()
            yield notes
        self._files = files
        self._table = joined(files) if files else self._table.clear()

    def files(self) -> list[Path]:
        """Return the files of the partitions as they were worked on last."""
        return self._files or []


def joined(files: Sequence[Path]) -> pl.LazyFrame:
    """Return all rows of some files, each column with one type that holds the values of all of them."""
    return pl.concat([pl.scan_parquet(file) for file in files], how="vertical_relaxed")
