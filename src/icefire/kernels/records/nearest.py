"""The k records nearest to each target, by squared Euclidean distance or by loss; ties go to the lowest row.

The index sorts rows by one number into strips of about equal size and, inside a strip, by another. A search starts at
the target's place in its own strip, moves away from it, and stops where the two numbers alone make a row farther than
the worst row kept.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.common.sorted_arrays import lower_bound
from icefire.kernels.records.loss import Records, row_loss, row_squared_distance
from icefire.kernels.records.strip_index import strip_bounds
from icefire.kernels.types import Float, Int

By = Literal["squared", "loss"]

STEPS = 1e9
"""Losses are compared in whole billionths: 31.9 - 27.9 and 4 are equal."""
MOST_STRIPS = 1 << 14
SAMPLE = 1 << 16
"""Size of the sample from which the edges of the strips are taken."""
SLACK = 1 + 1e-12
"""The same squares summed in another order may differ in the last digit, and must not cut off a tie."""


class NearestRecords(NamedTuple):
    """For each target the nearest rows, best first, and their distances; -1 and infinite where there are fewer."""

    rows: Int
    distances: Float
    """Squared distances, or losses."""


class NearestIndex(NamedTuple):
    """Rows in the order of the index, and the strips."""

    rows: Int
    records: Any
    second: Float
    start: Int
    """First place of each strip, and one more for the end."""
    lowest: Float
    highest: Float


def nearest_records(
    targets: Records, rows: Records, k: int, by: By = "squared", own: Int | None = None
) -> NearestRecords:
    """Return the k nearest rows of each target.

    Args:
        targets: Records to search for.
        rows: The table, encoded together with the targets.
        k: Number of rows.
        by: Squared Euclidean distance, or loss (ties by squared distance).
        own: Each target's own row, which is left out, or -1.

    Returns:
        Rows and distances, targets × k; ties go to the lowest row.
    """
    count = len(targets.numbers)
    first, second = _leading_columns(rows.numbers)
    index = _build_index(rows, first, second)
    home = np.full(count, -1, np.int64) if own is None else own
    kept = np.full((count, k), -1, np.int64)
    keys = np.full((count, k, 2), np.inf)
    asked = (_column(targets, first), _column(targets, second))
    order = np.lexsort(asked[::-1])
    common = (targets, *asked, order, home, index, by == "loss", kept, keys)
    threads.starmap(_search, [(*common, *span) for span in threads.spans(count, 16)])
    distances = keys[:, :, 0] / STEPS if by == "loss" else keys[:, :, 0]
    return NearestRecords(kept, np.ascontiguousarray(distances))


def _leading_columns(numbers: Float) -> tuple[int, int]:
    """Return the two columns that vary most: they decide most distances. -1: there is none."""
    widest = np.argsort(-numbers.std(axis=0), kind="stable") if len(numbers) else np.arange(numbers.shape[1])
    chosen = [*widest[:2].tolist(), -1, -1]
    return chosen[0], chosen[1]


def _column(records: Records, column: int) -> Float:
    """Return one column of numbers, zeros for column -1."""
    return np.zeros(len(records.numbers)) if column < 0 else np.ascontiguousarray(records.numbers[:, column])


def _build_index(rows: Records, first: int, second: int) -> NearestIndex:
    """Sort the rows into strips of one number and, inside, by another."""
    lead, inner = _column(rows, first), _column(rows, second)
    strip = _strips(lead)
    order = np.argsort(inner, kind="stable")
    order = order[np.argsort(strip[order], kind="stable")]
    return NearestIndex(order, rows.take(order), inner[order], *strip_bounds(strip[order], lead[order]))


def _strips(lead: Float) -> NDArray[np.int16]:
    """Return the strip of each row; the edges are taken from a sample, so that strips are of about equal size."""
    count = max(1, min(MOST_STRIPS, int(math.sqrt(len(lead)) / 4)))
    sample = np.sort(lead[:: 1 + len(lead) // SAMPLE])
    edges = np.unique(sample[np.arange(1, count) * len(sample) // count]) if len(sample) else sample
    # numpy sorts 16-bit integers by radix sort, which is fast.
    return np.searchsorted(edges, lead, side="right").astype(np.int16)


@njit(nogil=True, cache=True)
def _search(targets, first, second, order, home, index, by_loss, kept, keys, begin, end):  # type: ignore[no-untyped-def]
    """Find the nearest rows of targets begin … end - 1 in the order of the search, nearest strips first."""
    # Unpacked once: reading the fields for every row would cost more than the search.
    known = (targets.numbers, targets.words, targets.tops, targets.flags)
    shown = (index.rows, index.records.numbers, index.records.words, index.second)
    strips, last = index.lowest.size, kept.shape[1] - 1
    for at in range(begin, end):
        t = order[at]
        right = np.searchsorted(index.lowest, first[t], side="right")
        left = right - 1
        while left >= 0 or right < strips:
            before = max(0.0, first[t] - index.highest[left]) if left >= 0 else np.inf
            after = max(0.0, index.lowest[right] - first[t]) if right < strips else np.inf
            gap, strip = (before, left) if before <= after else (after, right)
            if _beyond(gap, 0.0, keys[t, last, 0], by_loss):
                break
            left, right = (left - 1, right) if strip == left else (left, right + 1)
            low, high = index.start[strip], index.start[strip + 1]
            middle = lower_bound(index.second, low, high, second[t])
            _walk(known, t, shown, (middle, high, 1), gap, second[t], home[t], by_loss, kept, keys)
            _walk(known, t, shown, (middle - 1, low - 1, -1), gap, second[t], home[t], by_loss, kept, keys)


@njit(nogil=True, cache=True)
def _walk(known, t, shown, way, gap, second, home, by_loss, kept, keys):  # type: ignore[no-untyped-def]
    """Compare the rows of a strip in one direction, until the second number alone is too far."""
    x, x_words, tops, flags = known
    rows, y, y_words, inner = shown
    last = kept.shape[1] - 1
    for place in range(way[0], way[1], way[2]):
        if _beyond(gap, abs(inner[place] - second), keys[t, last, 0], by_loss):
            break
        main, other = row_squared_distance(x, x_words, t, y, y_words, place, tops, flags), 0.0
        if by_loss:
            main, other = np.floor(row_loss(x, x_words, t, y, y_words, place, tops) * STEPS + 0.5), main
        if main <= keys[t, last, 0] and rows[place] != home:
            _insert(main, other, rows[place], t, kept, keys)


@njit(nogil=True, cache=True)
def _beyond(one, other, worst, by_loss) -> Any:  # type: ignore[no-untyped-def]
    """Tell whether a row that differs so much in the two numbers is certainly farther than the worst one kept."""
    if by_loss:
        return np.floor(max(one, other) * STEPS + 0.5) > worst
    return one * one + other * other > worst * SLACK


@njit(nogil=True, cache=True)
def _insert(main, other, row, t, kept, keys):  # type: ignore[no-untyped-def]
    """Insert a row into the sorted list of those kept, and drop the worst."""
    rank = kept.shape[1]
    while rank > 0 and _better(main, other, row, keys[t, rank - 1, 0], keys[t, rank - 1, 1], kept[t, rank - 1]):
        rank -= 1
        if rank + 1 < kept.shape[1]:
            kept[t, rank + 1] = kept[t, rank]
            keys[t, rank + 1, 0], keys[t, rank + 1, 1] = keys[t, rank, 0], keys[t, rank, 1]
    if rank < kept.shape[1]:
        kept[t, rank] = row
        keys[t, rank, 0], keys[t, rank, 1] = main, other


@njit(nogil=True, cache=True)
def _better(main, other, row, kept_main, kept_other, kept_row) -> Any:  # type: ignore[no-untyped-def]
    """Tell whether a row comes before another: by distance, second distance, row."""
    if main != kept_main:
        return main < kept_main
    if other != kept_other:
        return other < kept_other
    return row < kept_row
