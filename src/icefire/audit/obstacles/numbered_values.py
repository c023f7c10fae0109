"""The distinct values of a column, which of them each row has, and how many rows have each."""

from __future__ import annotations

import numpy as np

from icefire.kernels.types import Float, Int

LARGEST = 2.0**53
"""Larger numbers are not exact."""


def numbered(values: Float) -> tuple[Float, Int, Int]:
    """Return the distinct values in ascending order, the number of that of each row, and how many rows have each.

    Whole numbers that are not far apart are counted, which takes a fraction of the time that sorting takes.

    Args:
        values: One or more, none of them missing.
    """
    counted = _counted(values)
    if counted is None:
        distinct, number, counts = np.unique(values, return_inverse=True, return_counts=True)
        return distinct, number, counts.astype(np.int64)
    least, places, rows = counted
    occurring = np.flatnonzero(rows)
    return (occurring + least).astype(np.float64), (np.cumsum(rows > 0) - 1)[places], rows[occurring]


def distinct_values(values: Float) -> tuple[Float, Int]:
    """Return the distinct values that are not missing in ascending order, and how many rows have each."""
    known = values[~np.isnan(values)]
    if not len(known):
        return known, np.empty(0, np.int64)
    counted = _counted(known)
    if counted is None:
        known.sort()
        first = np.flatnonzero(np.append(True, known[1:] != known[:-1]))
        return known[first], np.diff(np.append(first, len(known))).astype(np.int64)
    least, _, rows = counted
    occurring = np.flatnonzero(rows)
    return (occurring + least).astype(np.float64), rows[occurring]


def _counted(values: Float) -> tuple[float, Int, Int] | None:
    """Return of whole numbers the least, how far each is above it, and how many are so far; None if they are others."""
    least, most = float(values.min()), float(values.max())
    if least <= -LARGEST or most >= LARGEST or most - least >= 2 * len(values) or (values != np.floor(values)).any():
        return None
    places = (values - least).astype(np.int64)
    return least, places, np.bincount(places).astype(np.int64)
