"""Sums over listed pairs: their weights by pair of levels, the evidence of a row; scores changed by a table."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import is_little
from icefire.kernels.types import Bool, Float, Float32, Int32

SPAN = 1024
"""Released rows per call of a kernel, at least."""
SMALL = 1 << 14
"""Listed pairs that are left to numpy."""
LOWEST = -40.0
"""Weights below exp of this, relative to the largest, are nothing."""


def sum_by_levels(
    rows: Int32, weights: Float32, y_levels: Int32, x_levels: Int32, some: Bool, shape: tuple[int, int]
) -> Float:
    """Return the weight of all listed pairs of some released rows by released and original level.

    Args:
        rows: Candidates of every released row; -1 for none.
        weights: Their weights.
        y_levels: Level of every released row.
        x_levels: Level of every original row.
        some: Which released rows count.
        shape: Number of released and of original levels.
    """
    if is_little(rows.size, SMALL):
        listed = (rows >= 0) & some[:, None]
        places = (y_levels[:, None].astype(np.int64) * shape[1] + x_levels[rows])[listed]
        counted = np.bincount(places, weights[listed], shape[0] * shape[1])
        return counted.reshape(shape).astype(np.float64, copy=False)
    spans = threads.spans(len(rows), SPAN, 16)
    sums = np.zeros((len(spans), *shape))
    threads.starmap(_sum, [(rows, weights, y_levels, x_levels, some, sums[at], *span) for at, span in enumerate(spans)])
    total: Float = sums.sum(axis=0)
    return total


@njit(nogil=True, cache=True)
def _sum(rows, weights, y_levels, x_levels, some, sums, start, stop):  # type: ignore[no-untyped-def]
    for j in range(start, stop):
        if some[j]:
            for k in range(rows.shape[1]):
                if rows[j, k] >= 0:
                    sums[y_levels[j], x_levels[rows[j, k]]] += weights[j, k]


def add_table(rows: Int32, scores: Float32, y_levels: Int32, x_levels: Int32, some: Bool, table: Float) -> None:
    """Add to the score of every listed pair of some released rows the entry of its levels, in place."""
    if is_little(rows.size, SMALL):
        listed = (rows >= 0) & some[:, None]
        scores[listed] += table[np.broadcast_to(y_levels[:, None], rows.shape)[listed], x_levels[rows[listed]]]
        return
    calls = [(rows, scores, y_levels, x_levels, some, table, a, b) for a, b in threads.spans(len(rows), SPAN, 16)]
    threads.starmap(_add, calls)


@njit(nogil=True, cache=True)
def _add(rows, scores, y_levels, x_levels, some, table, start, stop):  # type: ignore[no-untyped-def]
    for j in range(start, stop):
        if some[j]:
            for k in range(rows.shape[1]):
                if rows[j, k] >= 0:
                    scores[j, k] += table[y_levels[j], x_levels[rows[j, k]]]


def evidence(rows: Int32, scores: Float32, rest: Float32) -> Float:
    """Return for every released row the log of the summed weight of all original rows, listed or not.

    Args:
        rows: Candidates of every released row; -1 for none, after all others.
        scores: Their scores.
        rest: Log weight of all original rows that are not listed.
    """
    if is_little(rows.size, SMALL):
        return _evidence_by_numpy(rows, scores, rest)
    sums = np.empty(len(rows))
    threads.starmap(_evidence, [(rows, scores, rest, sums, a, b) for a, b in threads.spans(len(rows), SPAN, 16)])
    return sums


def _evidence_by_numpy(rows: Int32, scores: Float32, rest: Float32) -> Float:
    listed = np.column_stack([np.where(rows >= 0, scores, -np.inf), rest]).astype(float)
    top = np.maximum(listed.max(axis=1), -1e300)
    behind = listed - top[:, None]
    behind[:, :-1][behind[:, :-1] <= LOWEST] = -np.inf
    with np.errstate(divide="ignore"):  # a row without any candidate
        sums: Float = top + np.log(np.exp(behind).sum(axis=1))
    return sums


@njit(nogil=True, cache=True)
def _evidence(rows, scores, rest, sums, start, stop):  # type: ignore[no-untyped-def]
    for j in range(start, stop):
        size, top = 0, rest[j]
        while size < rows.shape[1] and rows[j, size] >= 0:
            top = max(top, scores[j, size])
            size += 1
        total = np.exp(rest[j] - top) if rest[j] > -np.inf else 0.0
        for k in range(size):
            if scores[j, k] - top > LOWEST:
                total += np.exp(scores[j, k] - top)
        sums[j] = top + np.log(total) if total > 0 else -np.inf
