"""Pairs of a record and one of its candidates: their distances, and the best pairs of each record.

The candidates of record t are rows[start[t]:start[t + 1]].
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.records.loss import Records, row_loss, row_squared_distance
from icefire.kernels.types import Float, Int, Int32


def pair_distances(records: Records, table: Records, start: Int, rows: Int32) -> tuple[Float, Float]:
    """Return for every pair the squared Euclidean distance and the loss, to nine digits so that ties are equal.

    Args:
        records: The records.
        table: The table of the candidates, encoded together with the records.
        start: Record t has the candidates rows[start[t]:start[t + 1]].
        rows: See `start`.
    """
    apart, lost = np.empty(len(rows)), np.empty(len(rows))
    x, y = records, table
    common = (x.numbers, x.words, y.numbers, y.words, x.tops, x.flags, start, rows, apart, lost)
    threads.starmap(_measure, [(*common, *span) for span in threads.spans(len(start) - 1, 8)])
    return apart.round(9), lost.round(9)


@njit(nogil=True, cache=True)
def _measure(x, x_words, y, y_words, tops, flags, start, rows, apart, lost, first, last):  # type: ignore[no-untyped-def]
    """Write the distances of the pairs of records first … last - 1."""
    for t in range(first, last):
        for pair in range(start[t], start[t + 1]):
            apart[pair] = row_squared_distance(x, x_words, t, y, y_words, rows[pair], tops, flags)
            lost[pair] = row_loss(x, x_words, t, y, y_words, rows[pair], tops)


def best_pairs(start: Int, values: Float, k: int) -> Int:
    """Return the k pairs of largest value of each record (records × k), ties to the first; -1 where there are fewer."""
    best = np.full((len(start) - 1, k), -1, np.int64)
    threads.starmap(_best_pairs, [(start, values, best, *span) for span in threads.spans(len(best), 8)])
    return best


@njit(nogil=True, cache=True)
def _best_pairs(start, values, best, first, last):  # type: ignore[no-untyped-def]
    """Write the best pairs of records first … last - 1."""
    k = best.shape[1]
    for t in range(first, last):
        for pair in range(start[t], start[t + 1]):
            rank = k
            while rank > 0 and (best[t, rank - 1] < 0 or values[best[t, rank - 1]] < values[pair]):
                rank -= 1
                if rank + 1 < k:
                    best[t, rank + 1] = best[t, rank]
            if rank < k:
                best[t, rank] = pair
