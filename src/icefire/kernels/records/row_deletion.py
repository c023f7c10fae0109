"""Rows to delete: those of highest risk, as far as the averages of the remaining rows allow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.types import Float, Int

WEIGHTS = (0.3, 10.0, 300.0)
"""Price of an average twice as far off as tolerated, in units of risk; raised while one is too far off."""
INSIDE = 0.98
"""Share of the tolerance that is aimed at, since exchanges that near it gain little."""
ENOUGH = 1e-4
"""The price where one average is a hundredth beyond its aim, which is still within its tolerance."""
TRIES = 100
"""Exchanges tried for each row to choose."""
LEAST = 400_000


def choose_rows(
    features: NDArray[np.float32], tolerance: Float, risk: Float, pool: Int, size: int, rng: np.random.Generator
) -> Int:
    """Return `size` rows of the pool, ascending, so that no feature's mean over the others is off by its tolerance.

    To begin with, the rows of the pool with the highest risk are chosen, of equals some at random. Then pairs drawn at
    random are exchanged wherever that lowers the sum of the risk of the rows left and a price for every average beyond
    its tolerance. The tolerances may be missed where they cannot be met.

    Args:
        features: rows × features, centred: the mean of each over all rows is 0.
        tolerance: How far the mean of each feature may be off.
        risk: Risk of each row.
        pool: Rows that may be deleted.
        size: Rows to delete.
        rng: Source of the draws.

    Returns:
        The rows to delete.
    """
    drawn = rng.permutation(pool)
    drawn = drawn[np.argsort(-risk[drawn], kind="stable")]
    inside, outside = drawn[:size].copy(), drawn[size:].copy()
    if size and len(outside):
        tries = max(LEAST, TRIES * size)
        room = INSIDE * tolerance * max(len(features) - size, 1)
        total = features[inside].sum(axis=0, dtype=np.float64)
        for weight in WEIGHTS:
            draws = rng.random((2, tries))
            if _exchange(features, room, risk, weight, inside, outside, total, *draws) <= ENOUGH:
                break
    return np.sort(inside)


@njit(nogil=True, cache=True)
def _exchange(features, room, risk, weight, inside, outside, total, leaving, coming) -> Any:  # type: ignore[no-untyped-def]
    """Exchange rows; returns the price in the end, 0 if every average is within its tolerance."""
    owed = _owed(total, room)
    for step in range(leaving.size):
        a, b = int(leaving[step] * inside.size), int(coming[step] * outside.size)
        out, new = inside[a], outside[b]
        gain = risk[new] - risk[out]
        # Where every average is within its tolerance, only a riskier row can improve the sum.
        if owed <= ENOUGH and gain <= 0:
            continue
        after = 0.0
        for f in range(room.size):
            after += _beyond(total[f] + features[new, f] - features[out, f], room[f])
        if weight * (after - owed) < gain:
            for f in range(room.size):
                total[f] += features[new, f] - features[out, f]
            inside[a], outside[b], owed = new, out, _owed(total, room)
    return owed


@njit(nogil=True, cache=True)
def _owed(total, room) -> Any:  # type: ignore[no-untyped-def]
    """Return the price of all averages beyond their tolerance."""
    owed = 0.0
    for f in range(room.size):
        owed += _beyond(total[f], room[f])
    return owed


@njit(nogil=True, cache=True)
def _beyond(total, room) -> Any:  # type: ignore[no-untyped-def]
    """Return how far beyond its room a total lies, squared."""
    over = max(abs(total) / room - 1.0, 0.0)
    return over * over
