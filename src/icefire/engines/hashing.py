"""The bucket of every row, by a hash of the columns that make its class. The same on every machine and version."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.kernels.types import Int

MISSING = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def bucket_numbers(frame: pl.DataFrame, keys: Sequence[str], buckets: int) -> Int:
    """Return the bucket of each row, 0 to buckets - 1; rows that agree on the keys are in one bucket.

    Args:
        frame: Rows as numbers, each key of the same type in both tables.
        keys: Columns that make the classes.
        buckets: Number of buckets.
    """
    mixed = np.zeros(frame.height, np.uint64)
    for name in keys:
        mixed = mix(mixed * np.uint64(31) + _bits(frame[name]))
    return (mixed % np.uint64(buckets)).astype(np.int64)


def _bits(column: pl.Series) -> NDArray[np.uint64]:
    """Return each value as 64 bits; equal values have equal bits, and missing ones have their own."""
    if column.dtype.is_float():
        # Adding 0 makes one of the two zeros.
        bits = (column.cast(pl.Float64).fill_null(0.0).to_numpy() + 0.0).view(np.uint64)
    else:
        bits = column.cast(pl.Int64).fill_null(0).to_numpy().view(np.uint64)
    return np.where(column.is_null().to_numpy(), MISSING, bits)


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of each number over all of its bits (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * FIRST
    values = (values ^ (values >> np.uint64(27))) * SECOND
    mixed: NDArray[np.uint64] = values ^ (values >> np.uint64(31))
    return mixed
