"""Posterior weights of listed pairs, summed by pair of levels, and scores of listed pairs changed by a table."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.types import Bool, Float, Int32


def sum_by_levels(
    rows: Int32, weights: Float, y_levels: Int32, x_levels: Int32, some: Bool, shape: tuple[int, int]
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
    sums = np.zeros(shape)
    _sum(rows, weights, y_levels, x_levels, some, sums)
    return sums


@njit(nogil=True, cache=True)
def _sum(rows, weights, y_levels, x_levels, some, sums):  # type: ignore[no-untyped-def]
    for j in range(rows.shape[0]):
        if some[j]:
            for k in range(rows.shape[1]):
                if rows[j, k] >= 0:
                    sums[y_levels[j], x_levels[rows[j, k]]] += weights[j, k]


def add_table(rows: Int32, scores: Float, y_levels: Int32, x_levels: Int32, some: Bool, table: Float) -> None:
    """Add to the score of every listed pair of some released rows the entry of its levels, in place."""
    _add(rows, scores, y_levels, x_levels, some, table)


@njit(nogil=True, cache=True)
def _add(rows, scores, y_levels, x_levels, some, table):  # type: ignore[no-untyped-def]
    for j in range(rows.shape[0]):
        if some[j]:
            for k in range(rows.shape[1]):
                if rows[j, k] >= 0:
                    scores[j, k] += table[y_levels[j], x_levels[rows[j, k]]]
