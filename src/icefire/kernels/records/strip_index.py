"""Index of rows for searches within a limit: strips of the first number, sorted inside by the second.

The rows of a strip whose second number is within reach are adjacent, and only they are compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.records.loss import TOLERANCE, Records
from icefire.kernels.types import Float, Int, UInt64

PARTS = 4
"""Strips per limit: with more, fewer rows are compared in vain; with fewer, strips are found faster."""


class StripIndex(NamedTuple):
    """Rows in the order of the index (places), and where each strip lies in it."""

    rows: Int
    """For each place the row of the table."""
    numbers: Float
    words: UInt64
    second: Float
    start: Int
    """First place of each strip, and one more for the end."""
    lowest: Float
    """Smallest first number of each strip."""
    highest: Float


def leading_column(records: Records, column: int) -> Float:
    """Return one column of numbers, zeros where there is none."""
    wide = records.numbers.shape[1] > column
    return np.ascontiguousarray(records.numbers[:, column]) if wide else np.zeros(len(records.numbers))


def build_index(records: Records, limit: float) -> StripIndex:
    """Index rows for searches within about this limit."""
    first, second = leading_column(records, 0), leading_column(records, 1)
    strip = np.floor(first / _width(first, limit))
    rows = np.lexsort((second, strip))
    start, lowest, highest = strip_bounds(strip[rows], first[rows])
    numbers, words = np.ascontiguousarray(records.numbers[rows]), np.ascontiguousarray(records.words[rows])
    return StripIndex(rows, numbers, words, second[rows], start, lowest, highest)


def strip_bounds(strips: NDArray[np.number], first: Float) -> tuple[Int, Float, Float]:
    """Return where each strip starts (and one more for the end), and the extremes of its first number.

    Both arrays are in the order of the index: the strip of each row, ascending, and its first number.
    """
    edges = np.flatnonzero(np.append(True, strips[1:] != strips[:-1])[: len(strips)])
    lowest = np.minimum.reduceat(first, edges) if len(first) else np.empty(0)
    highest = np.maximum.reduceat(first, edges) if len(first) else np.empty(0)
    return np.append(edges, len(first)), lowest, highest


def _width(first: Float, limit: float) -> float:
    """Return the width of a strip."""
    if np.isfinite(limit) and limit > 0:
        return limit / PARTS
    return float(np.ptp(first) / 64 if len(first) else 0.0) or 1.0


@njit(nogil=True, cache=True)
def strips_in_reach(lowest, highest, first, reach) -> Any:  # type: ignore[no-untyped-def]
    """Return the strips that hold a first number within reach: the first, and the one after the last.

    Args:
        lowest: Smallest first number of each strip.
        highest: Largest first number of each strip.
        first: First number of the target.
        reach: How far numbers may differ.
    """
    return (
        np.searchsorted(highest, first - reach),
        np.searchsorted(lowest, first + reach, side="right"),
    )


@njit(nogil=True, cache=True)
def places_in_reach(seconds, start, end, second, reach) -> Any:  # type: ignore[no-untyped-def]
    """Return the places of a strip whose second number is within reach: the first, and the one after the last.

    Args:
        seconds: Second number at each place, ascending in the strip.
        start: First place of the strip.
        end: Last place of the strip, plus one.
        second: Second number of the target.
        reach: How far numbers may differ.
    """
    # Bisection without a branch: the processor could not predict it, and a wrong prediction costs most.
    low, size = start, end - start
    while size > 0:
        half = (size + 1) >> 1
        low += half * (seconds[low + half - 1] < second - reach)
        size -= half
    high, size = low, end - low
    while size > 0:
        half = (size + 1) >> 1
        high += half * (seconds[high + half - 1] <= second + reach)
        size -= half
    return low, high


@njit(nogil=True, cache=True)
def numbers_in_reach(numbers_x, i, numbers_y, place, reach) -> Any:  # type: ignore[no-untyped-def]
    """Tell whether all numbers of a row are within reach of those at a place.

    Args:
        numbers_x: rows × numbers of the targets.
        i: The target.
        numbers_y: places × numbers, in the order of the index.
        place: Place in the index.
        reach: How far numbers may differ.
    """
    largest = 0.0
    for c in range(numbers_x.shape[1]):
        largest = max(largest, abs(numbers_x[i, c] - numbers_y[place, c]))
    return largest <= reach


def tolerances(limit: float) -> tuple[float, int]:
    """Return by how much numbers may differ, and how many categories, for a limit."""
    return limit + TOLERANCE, int(min(limit + TOLERANCE, 1 << 30))
