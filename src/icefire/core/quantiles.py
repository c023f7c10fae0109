"""Quantiles of values of which many are equal: only the different ones are put in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.kernels.types import Float, Int


def quantiles_of_counted(values: Float, counts: Int, shares: Sequence[float] | Float) -> Float:
    """Return what numpy.quantile returns for values that occur so often.

    Args:
        values: Values without gaps, in any order; a value may be listed twice.
        counts: How often each occurs; at least one does.
        shares: Which quantiles, from 0 to 1.
    """
    order = np.argsort(values, kind="stable")
    up_to = np.cumsum(counts[order])
    below, above, part = _places(int(up_to[-1]), np.asarray(shares))
    rows = [np.searchsorted(up_to, place, "right") for place in (below, above)]
    return _between(rows[0], rows[1], part, values[order])


def quantiles_of_sorted(ascending: Float, shares: Sequence[float] | Float) -> Float:
    """Return what numpy.quantile returns for values that are in ascending order already; at least one."""
    return _between(*_places(len(ascending), np.asarray(shares)), ascending)


def _places(rows: int, shares: Float) -> tuple[Int, Int, Float]:
    """Return the places between which each quantile lies, and how far from the lower one."""
    place = (rows - 1) * shares
    below = np.floor(place).astype(np.int64)
    return below, np.minimum(below + 1, rows - 1), place - below


def _between(below: Int, above: Int, part: Float, ascending: Float) -> Float:
    low, high = ascending[below], ascending[above]
    step = high - low
    between: Float = np.where(part >= 0.5, high - step * (1 - part), low + step * part)
    return between
