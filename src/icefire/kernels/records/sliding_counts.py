"""Candidates counted through a window that slides over the second number, for many rows of few kinds.

All targets of one first number look at the same rows. Sorted by their second number, they see a window of these rows
that only moves on: every row enters once and leaves once. Inside the window it is enough to know how many rows there
are of each kind (combination of categories), so that a target costs as much as there are kinds, however many rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.sorted_arrays import lower_bound
from icefire.kernels.records.loss import Records, differing_lanes, popcount
from icefire.kernels.records.strip_index import leading_column
from icefire.kernels.types import Float, Int, UInt64

LEAST_PAIRS = 1 << 26
"""Below so many pairs of rows within reach of each other comparing them takes a moment."""
MOST_KINDS = 12_000
"""Kinds of rows at most; which of them are near each other is kept for all pairs, a byte each."""
SAMPLE = 1 << 9
"""Targets, and rows, by which the number of pairs within reach is estimated."""
KINDS_AT_ONCE = 4
"""Kinds that are added up in the time of one comparison."""


class Bands(NamedTuple):
    """Rows by first number, and for each target the consecutive first numbers within reach."""

    groups: Int
    """Where the rows of each first number start, and one more for the end."""
    low: Int
    """Of each target, the lowest first number within reach, by its place among all."""
    high: Int
    """The highest, plus one."""


def sliding_counts(targets: Records, rows: Records, reach: float, most: int, pairs: float) -> Int | None:
    """Return for each target the number of rows within reach, itself included; None where comparing is faster.

    Args:
        targets: Records to search for.
        rows: The table, encoded together with the targets.
        reach: How far numbers may differ.
        most: How many categories may differ.
        pairs: About how many pairs of a target and a row would have to be compared.
    """
    if targets.numbers.shape[1] > 2 or targets.tops.size != 1:
        return None
    kinds = np.unique(np.concatenate([np.unique(targets.words[:, 0]), np.unique(rows.words[:, 0])]))
    first, second = leading_column(rows, 0), leading_column(rows, 1)
    placed = np.lexsort((second, first))
    bands = _bands(leading_column(targets, 0), first[placed], reach)
    if len(kinds) > MOST_KINDS or _steps(bands, len(kinds)) > pairs:
        return None
    return _slide(targets, bands, second[placed], _places(rows, kinds)[placed], kinds, reach, most)


def pairs_within_reach(targets: Records, rows: Records, reach: float) -> int:
    """Estimate how many pairs of a target and a row have all numbers within reach, by some of them."""
    n, m = len(targets.numbers), len(rows.numbers)
    x, y = targets.numbers[:: n // SAMPLE + 1], rows.numbers[:: m // SAMPLE + 1]
    if not len(x) or not len(y):
        return 0
    near = np.ones((len(x), len(y)), np.bool_)
    for column in range(x.shape[1]):
        near &= np.abs(x[:, column, None] - y[None, :, column]) <= reach
    return int(near.mean() * n * m)


def _bands(wanted: Float, first: Float, reach: float) -> Bands:
    """Find the first numbers (ascending) within reach of each target."""
    starts = np.flatnonzero(np.append(True, first[1:] != first[:-1])[: len(first)])
    values = first[starts]
    low = np.searchsorted(values, wanted - reach)
    high = np.searchsorted(values, wanted + reach, side="right")
    return Bands(np.append(starts, len(first)), low, high)


def _steps(bands: Bands, kinds: int) -> int:
    """Return about how many steps sliding takes: for each target, and for the rows that enter and leave."""
    targets = int((bands.high - bands.low).sum()) * 2 + len(bands.low) * kinds // KINDS_AT_ONCE
    distinct = np.unique(np.stack([bands.low, bands.high], axis=1), axis=0)
    return targets + 2 * int((bands.groups[distinct[:, 1]] - bands.groups[distinct[:, 0]]).sum())


def _places(records: Records, kinds: UInt64) -> Int:
    """Return the place of each row's categories among all kinds."""
    return np.searchsorted(kinds, records.words[:, 0])


def _slide(targets: Records, bands: Bands, seconds: Float, codes: Int, kinds: UInt64, reach: float, most: int) -> Int:
    """Count on all threads, targets of one first number one after another, by their second."""
    near = np.zeros((len(kinds), len(kinds)), np.int8)
    _mark_near(kinds, targets.tops[0], most, near)
    second = leading_column(targets, 1)
    order = np.lexsort((second, bands.high, bands.low))
    totals = np.zeros(len(order), np.int64)
    common = (order, _places(targets, kinds), second, bands, seconds, codes, near, reach, totals)
    threads.starmap(_count_sliding, [(*common, *span) for span in threads.spans(len(order))])
    return totals


@njit(nogil=True, cache=True)
def _mark_near(kinds, tops, most, near):  # type: ignore[no-untyped-def]
    """Write -1, all bits set, for every two kinds that differ in at most `most` categories; 0 for all others."""
    for i in range(kinds.size):
        for j in range(kinds.size):
            near[i, j] = -(popcount(differing_lanes(kinds[i], kinds[j], tops)) <= most)


@njit(nogil=True, cache=True)
def _count_sliding(order, kinds, second, bands, seconds, codes, near, reach, totals, start, stop):  # type: ignore[no-untyped-def]
    """Count for targets start … stop - 1 of the order."""
    held = np.zeros(near.shape[0], np.int32)
    enters, leaves = np.empty(bands.groups.size, np.int64), np.empty(bands.groups.size, np.int64)
    begin, end = np.int64(-1), np.int64(-1)
    for at in range(start, stop):
        t = order[at]
        if bands.low[t] != begin or bands.high[t] != end:
            begin, end = bands.low[t], bands.high[t]
            held[:] = 0
            for g in range(begin, end):
                enters[g] = lower_bound(seconds, bands.groups[g], bands.groups[g + 1], second[t] - reach)
                leaves[g] = enters[g]
        for g in range(begin, end):
            while enters[g] < bands.groups[g + 1] and seconds[enters[g]] <= second[t] + reach:
                held[codes[enters[g]]] += 1
                enters[g] += 1
            while leaves[g] < enters[g] and seconds[leaves[g]] < second[t] - reach:
                held[codes[leaves[g]]] -= 1
                leaves[g] += 1
        total = np.int64(0)
        for kind in range(held.size):
            total += held[kind] & near[kinds[t], kind]
        totals[t] = total
