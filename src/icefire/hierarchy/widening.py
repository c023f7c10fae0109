"""Numbers that stand for others: rounded ones, and the last ones of a column that was cut off.

Seen from the two tables alone: a number that the release holds more often than the original cannot always be itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from icefire.kernels.types import Bool, Float, Int

DIGITS = 6
"""Units are looked for down to the millionth."""
LARGEST = 2.0**52


def widened(values: Float, counts: Int, released: Float, seen: Int) -> tuple[Float, Float]:
    """Return the least and the greatest value that each released number may stand for.

    `values` are the distinct original ones, ascending, and `counts` how often they occur; likewise `released`, of
    which there are at least two, and `seen`. Where the release holds multiples of a coarser unit than the original,
    they were rounded: to the nearest, down or up, whichever explains how often each occurs. The last number at either
    end, if there are still too many of it, stands for all beyond it.
    """
    before = np.concatenate([[0], np.cumsum(counts)])

    def fitting(low: Float, high: Float) -> Int:
        rows: Int = before[np.searchsorted(values, high, "right")] - before[np.searchsorted(values, low)]
        return rows

    low, high = released.copy(), released.copy()
    if (fitting(low, high) < seen).any() and (unit := _unit(released)) > _unit(values):
        low, high = _rounded(released, unit, lambda a, b: fitting(a, b) >= seen)
    lacking = fitting(low, high) < seen
    if lacking[0]:
        low[0] = -np.inf
    if lacking[-1]:
        high[-1] = np.inf
    return low, high


def _rounded(released: Float, unit: float, explained: Callable[[Float, Float], Bool]) -> tuple[Float, Float]:
    """Choose the way of rounding that explains all counts, or all but those at the ends: the narrowest of them."""
    under, over = np.nextafter(released - unit, np.inf), np.nextafter(released + unit, -np.inf)
    low, high = released - unit / 2, released + unit / 2
    inner_low, inner_high = np.nextafter(low, np.inf), np.nextafter(high, -np.inf)
    even = np.rint(released / unit) % 2 == 0
    halves_to_even = np.where(even, low, inner_low), np.where(even, high, inner_high)
    ways = (halves_to_even, (low, inner_high), (inner_low, high), (released, over), (under, released), (under, over))
    fits = [explained(*way) for way in ways]
    for inner in (slice(None), slice(1, -1)):
        for way, fit in zip(ways, fits, strict=True):
            if len(fit[inner]) and fit[inner].all():
                return way
    return under, over


def _unit(values: Float) -> float:
    """Return the largest number of which all are multiples; 0 if there is none."""
    for digits in range(DIGITS + 1):
        scaled = values * 10.0**digits
        whole = np.rint(scaled)
        if np.abs(whole).max(initial=0) > LARGEST:
            return 0.0
        if (np.abs(scaled - whole) <= 1e-9 * np.maximum(1, np.abs(scaled))).all():
            return float(np.gcd.reduce(whole.astype(np.int64))) / 10.0**digits
    return 0.0
