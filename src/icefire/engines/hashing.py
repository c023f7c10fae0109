"""The bucket of every row, by a hash of the columns that make its class. The same on every machine and version."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.kernels.types import Int

MISSING = np.uint64(0x9E3779B97F4A7C15)
TILE = 1 << 14
"""Rows that are hashed at a time: they stay in the processor's cache."""
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def bucket_numbers(frame: pl.DataFrame, keys: Sequence[str], buckets: int) -> Int:
    """Return the bucket of each row, 0 to buckets - 1; rows that agree on the keys are in one bucket.

    Args:
        frame: Rows as numbers, each key of the same type in both tables.
        keys: Columns that make the classes.
        buckets: Number of buckets.
    """
    numbers, bits = np.empty(frame.height, np.int64), [_bits(frame[name]) for name in keys]
    for first in range(0, frame.height, TILE):
        mixed = np.zeros(min(TILE, frame.height - first), np.uint64)
        for values, missing in bits:
            part = values[first : first + TILE]
            if missing is not None:
                part = np.where(missing[first : first + TILE], MISSING, part)
            mixed = mix(mixed * np.uint64(31) + part)
        numbers[first : first + TILE] = mixed % np.uint64(buckets)
    return numbers


def _bits(column: pl.Series) -> tuple[NDArray[np.uint64], NDArray[np.bool_] | None]:
    """Return each value as 64 bits, equal for equal values, and which are missing, if any."""
    missing = column.is_null().to_numpy() if column.null_count() else None
    if column.dtype.is_float():
        # Adding 0 makes one of the two zeros.
        return (column.cast(pl.Float64).fill_null(0.0).to_numpy() + 0.0).view(np.uint64), missing
    return column.cast(pl.Int64).fill_null(0).to_numpy().view(np.uint64), missing


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of each number over all of its bits (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * FIRST
    values = (values ^ (values >> np.uint64(27))) * SECOND
    mixed: NDArray[np.uint64] = values ^ (values >> np.uint64(31))
    return mixed
