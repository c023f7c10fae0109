"""Rows in the order of their values, of tables so long that sorting them at once would take too much memory."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.types import Float, Int

AT_ONCE = 1 << 22
"""Rows that are sorted at once."""
SAMPLED = 1 << 12
"""Values by which ranges are laid."""
SMALL = np.iinfo(np.int32).max


def rows_in_order(values: Float | Int, at_once: int = AT_ONCE) -> NDArray[np.integer[Any]]:
    """Return the rows by ascending value, equal ones by row.

    Long columns are cut into ranges of values, and each range is sorted by itself.

    Args:
        values: Values without gaps: decimals, or whole numbers.
        at_once: Rows that are sorted at once, about.
    """
    if np.issubdtype(values.dtype, np.integer) and len(values):
        packed = _packed(values.astype(np.int64, copy=False))
        if packed is not None:
            return packed
    if len(values) <= at_once:
        return np.argsort(values, kind="stable")
    ranked: NDArray[np.integer[Any]] = np.empty(len(values), np.int32 if len(values) <= SMALL else np.int64)
    filled = 0
    for low, high in pairwise(
        (-np.inf, *_limits(values.astype(np.float64, copy=False), -(-len(values) // at_once)), np.nan)
    ):
        inside = values >= low
        if not np.isnan(high):
            inside &= values < high
        rows = np.flatnonzero(inside)
        ranked[filled : filled + len(rows)] = rows[np.argsort(values[rows], kind="stable")]
        filled += len(rows)
    return ranked


def _packed(values: Int) -> Int | None:
    """Order whole numbers by sorting value and row as one number, which is faster; None where both do not fit in it."""
    lowest, bits = int(values.min()), len(values).bit_length()
    if (int(values.max()) - lowest).bit_length() + bits > 63:
        return None
    keys = (values - lowest) << bits
    keys |= np.arange(len(values))
    keys.sort()
    keys &= (1 << bits) - 1
    return keys


def _limits(values: Float, ranges: int) -> Float:
    """Return ascending values between which about equally many rows lie."""
    sample = np.sort(values[:: max(1, len(values) // SAMPLED)])
    places = np.linspace(0, len(sample), ranges + 1)[1:-1].astype(np.int64)
    return np.unique(sample[places])
