"""Rows that match where a missing cell matches anything.

A row is one or more 64-bit words that hold the codes of its cells side by side; its gaps are words in which the bits of
the missing cells are set. Two rows match if they differ in gaps only. Rows are distinct and sorted by pattern, which is
the set of missing columns. All rows of two patterns are compared on the same columns, so that each pair of patterns is
one join.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int, UInt64

FEW = 16
"""Joins of up to this many rows on the smaller side compare all pairs; larger ones hash."""


@njit(nogil=True, cache=True)
def _agree(a, i, b, j, gaps_a, gaps_b):  # type: ignore[no-untyped-def]
    """Tell whether two rows match: they differ in gaps only."""
    for word in range(a.shape[1]):  # noqa: SIM110 (numba)
        if (a[i, word] ^ b[j, word]) & ~(gaps_a[word] | gaps_b[word]):
            return False
    return True


@njit(nogil=True, cache=True)
def _slot(a, i, b, slots, mask, gaps_a, gaps_b):  # type: ignore[no-untyped-def]
    """Return where a row equal to row i of a is in the hash table of rows of b, or the empty place where it belongs."""
    mixed = np.uint64(0)
    for word in range(a.shape[1]):
        mixed = (mixed ^ (a[i, word] & ~(gaps_a[word] | gaps_b[word]))) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    at = np.int64(mixed & mask)
    while slots[at] >= 0 and not _agree(a, i, b, slots[at], gaps_a, gaps_b):
        at = (at + 1) & np.int64(mask)
    return at


@njit(nogil=True, cache=True)
def _join(a, b, weights, gaps_a, gaps_b, slots, sums, out):  # type: ignore[no-untyped-def]
    """Add to each row of a the weights of the rows of b that match it; rows with equal hashes are compared in full."""
    size = 1
    while size < 2 * len(b):
        size <<= 1
    mask = np.uint64(size - 1)
    for at in range(size):
        slots[at] = -1
    for j in range(len(b)):
        at = _slot(b, j, b, slots, mask, gaps_a, gaps_b)
        if slots[at] < 0:
            slots[at], sums[at] = j, 0.0
        sums[at] += weights[j]
    for i in range(len(a)):
        at = _slot(a, i, b, slots, mask, gaps_a, gaps_b)
        if slots[at] >= 0:
            out[i] += sums[at]


@njit(nogil=True, cache=True)
def _compare(a, b, weights, gaps_a, gaps_b, out):  # type: ignore[no-untyped-def]
    """Do the same as `_join` by comparing all pairs."""
    for i in range(len(a)):
        for j in range(len(b)):
            if _agree(a, i, b, j, gaps_a, gaps_b):
                out[i] += weights[j]


@njit(nogil=True, cache=True)
def _matching_weights(x, x_gaps, x_first, y, y_gaps, y_first, weights, out, begin, end):  # type: ignore[no-untyped-def]
    """Add up matching weights for patterns begin … end - 1 of x."""
    largest = 1
    for right in range(len(y_first) - 1):
        largest = max(largest, y_first[right + 1] - y_first[right])
    slots, sums = np.empty(4 * largest, np.int64), np.empty(4 * largest)
    for left in range(begin, end):
        low, high = x_first[left], x_first[left + 1]
        for right in range(len(y_first) - 1):
            first, last = y_first[right], y_first[right + 1]
            a, b, some_weights, some_out = x[low:high], y[first:last], weights[first:last], out[low:high]
            if min(high - low, last - first) <= FEW:
                _compare(a, b, some_weights, x_gaps[low], y_gaps[first], some_out)
            else:
                _join(a, b, some_weights, x_gaps[low], y_gaps[first], slots, sums, some_out)


def matching_weights(
    x: UInt64, x_gaps: UInt64, x_first: Int, y: UInt64, y_gaps: UInt64, y_first: Int, weights: Float
) -> Float:
    """Return for each row of x the sum of the weights of the rows of y that match it.

    Args:
        x: Distinct rows as words, rows × words, sorted by pattern of gaps.
        x_gaps: The gaps of each row, in the same shape.
        x_first: Where each pattern begins in x, and one more for the end.
        y: Like x.
        y_gaps: Like `x_gaps`.
        y_first: Like `x_first`.
        weights: One weight per row of y.

    Returns:
        One sum per row of x.
    """
    out = np.zeros(len(x))
    arguments = (x, x_gaps, x_first, y, y_gaps, y_first, weights, out)
    threads.starmap(_matching_weights, [(*arguments, begin, end) for begin, end in threads.spans(len(x_first) - 1, 1)])
    return out


@njit(nogil=True, cache=True)
def _fill_matching_rows(x, gaps, complete, rows, start, begin, end, out, at):  # type: ignore[no-untyped-def]
    """Write the table rows that match rows begin … end - 1 of x from position `at` on."""
    for i in range(begin, end):
        for j in range(len(x)):
            if i < complete and j < complete and i != j:
                continue  # two distinct rows without gaps
            if _agree(x, i, x, j, gaps[i], gaps[j]):
                for place in range(start[j], start[j + 1]):
                    out[at] = rows[place]
                    at += 1


def matching_rows(x: UInt64, gaps: UInt64, rows: Int, start: Int, begin: int, end: int, ends: Int) -> Int:
    """Return the table rows that match rows begin … end - 1 of x, one list after the other.

    Args:
        x: Distinct rows as words, rows × words; those without gaps come first.
        gaps: The gaps of each row, in the same shape.
        rows: Table rows: row i of x stands for rows[start[i]:start[i + 1]].
        start: See `rows`.
        begin: First row of x to answer for.
        end: Last row of x to answer for, plus one.
        ends: ends[i] is the number of table rows that match rows 0, …, i of x together.

    Returns:
        The table rows.
    """
    complete = int((~gaps.any(axis=1)).sum())
    done = int(ends[begin - 1]) if begin else 0
    out = np.empty(int(ends[end - 1]) - done, np.int64)
    calls = []
    for low, high in threads.spans(end - begin, 64):
        at = int(ends[begin + low - 1]) - done if begin + low else 0
        calls.append((x, gaps, complete, rows, start, begin + low, begin + high, out, at))
    threads.starmap(_fill_matching_rows, calls)
    return out
