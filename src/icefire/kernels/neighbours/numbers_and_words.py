"""Nearest rows by numbers and words: differences of numbers, absolute or squared, and 2 for every unequal word."""

from __future__ import annotations

import numba
import numpy as np

from icefire.kernels.common.threads import spans, starmap
from icefire.kernels.types import Float, Int, Int32

UNEQUAL = 2.0
"""What an unequal word adds: one-hot vectors of two words differ in two places."""
EQUAL = 1e-9
"""Distances that differ by less are a tie."""


def nearest_rows_of_both(x: tuple[Float, Int32], y: tuple[Float, Int32], *, squared: bool) -> Int:
    """Return, for each row of y, the row of x at the smallest distance; the lowest of those within 1e-9.

    Args:
        x: Numbers and codes of words, one line per row.
        y: The same columns of other rows.
        squared: Whether differences of numbers are squared.

    Returns:
        A row of x for each row of y.
    """
    numbers, words = np.ascontiguousarray(x[0]), np.ascontiguousarray(x[1])
    order = np.argsort(-_spread(numbers), kind="stable")
    nearest = np.empty(len(y[0]), np.int64)
    first, second = np.ascontiguousarray(numbers[:, order]), np.ascontiguousarray(y[0][:, order])
    codes = np.ascontiguousarray(y[1])
    along = _walking_order(first, words)
    starmap(
        _search,
        [
            (first[along], words[along], along, second, codes, squared, nearest, low, high)
            for low, high in spans(len(nearest), smallest=64)
        ],
    )
    return nearest


def _spread(numbers: Float) -> Float:
    return numbers.std(axis=0) if len(numbers) else np.zeros(numbers.shape[1])


def _walking_order(numbers: Float, words: Int32) -> Int:
    """Return the rows of x by their words and then their widest number, so that near rows stand together."""
    keys = [*(numbers[:, :1].T), *words.T[::-1]]
    return np.lexsort(keys) if keys else np.arange(len(numbers))


@numba.njit(nogil=True, cache=True)
def _search(x, x_words, rows, y, y_words, squared, nearest, low, high):  # type: ignore[no-untyped-def]
    for target in range(low, high):
        smallest = np.inf
        for place in range(len(x)):
            distance = _distance(x, x_words, place, y, y_words, target, squared, smallest)
            if distance < smallest:
                smallest = distance
        best = len(x)
        for place in range(len(x)):
            if rows[place] < best:
                bound = smallest + EQUAL
                if _distance(x, x_words, place, y, y_words, target, squared, bound) <= bound:
                    best = rows[place]
        nearest[target] = best


@numba.njit(nogil=True, cache=True, inline="always")
def _distance(x, x_words, place, y, y_words, target, squared, bound):  # type: ignore[no-untyped-def]
    """Return the distance, or some larger number than the bound as soon as it is exceeded."""
    distance = 0.0
    for column in range(x_words.shape[1]):
        if x_words[place, column] != y_words[target, column]:
            distance += UNEQUAL
    if distance > bound:
        return distance
    for column in range(x.shape[1]):
        difference = abs(x[place, column] - y[target, column])
        distance += difference * difference if squared else difference
        if distance > bound:
            return distance
    return distance
