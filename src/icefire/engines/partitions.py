"""Partitions of one table, in which the steps of a recipe run: where rows go, and what an engine must be able to do.

A row goes to a partition by its number or by its key alone, and the rows of a partition are sorted by their number, so
that every engine works on the same rows in the same order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.core.dataset import ORIGIN
from icefire.engines.hashing import mix
from icefire.kernels.types import Int

Worked = tuple[pl.DataFrame, list[dict[str, Any]]]
Work = Callable[[pl.DataFrame, int], Worked]
"""What is done to the rows of a partition, by its number: the new rows, and the notes of every step."""
ROWS = "__rows__"


class Partitions(ABC):
    """The rows of a table, each with its number (`ORIGIN`), held by an engine and dealt to partitions."""

    @property
    @abstractmethod
    def height(self) -> int:
        """Number of rows."""

    @abstractmethod
    def deal(self, keys: Sequence[str], count: int, salt: int) -> list[int]:
        """Divide the rows anew: rows that agree on the keys are together; without keys by chance, which `salt` decides.

        Returns:
            The number of rows of every partition.
        """

    @abstractmethod
    def counts(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the distinct values of some columns, sorted, and how many rows have them (`ROWS`)."""

    @abstractmethod
    def work(self, work: Work) -> Iterator[list[dict[str, Any]]]:
        """Replace the rows of every partition by what is made of them; gives the notes, in the order of partitions."""

    @abstractmethod
    def files(self) -> list[Path]:
        """Return Parquet files with all rows, partition by partition; none if no row is left."""

    def close(self) -> None:  # noqa: B027 (an engine that holds nothing but files has nothing to give back)
        """Give back what the engine holds."""


def partition_numbers(frame: pl.DataFrame, keys: Sequence[str], count: int, salt: int) -> Int:
    """Return the partition of every row, 0 to count - 1.

    Args:
        frame: Rows with their numbers.
        keys: Rows that agree on these columns are in one partition, missing values being equal; none: by chance.
        count: Number of partitions.
        salt: Decides which way chance goes.
    """
    if not keys:
        mixed = mix(mix(frame[ORIGIN].to_numpy().astype(np.uint64)) ^ np.uint64(salt))
    else:
        mixed = np.zeros(frame.height, np.uint64)
        for name in keys:
            text = frame[name].cast(pl.String).fill_null("\0")
            mixed = mixed * np.uint64(31) + text.hash(17).to_numpy()
    return (mixed % np.uint64(count)).astype(np.int64)


def divided(frame: pl.DataFrame, numbers: Int, count: int) -> Iterator[pl.DataFrame]:
    """Give the rows of each partition in turn."""
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=count))
    sorted_rows = frame[order]
    for start, stop in zip([0, *ends[:-1]], ends, strict=True):
        yield sorted_rows[int(start) : int(stop)]


def together(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of some pieces of a partition, sorted by their number."""
    return pl.concat(frames, how="vertical_relaxed", rechunk=True).sort(ORIGIN, maintain_order=True)


def counted(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return the distinct values of some columns, and how many rows have them."""
    return frame.group_by(columns).agg(pl.len().cast(pl.Int64).alias(ROWS))
