"""Candidates that stand out in some way, so that an attacker with a few guesses would name them."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.records.loss import Records, row_loss, row_squared_distance
from icefire.kernels.types import Float, Int, Int32

PLACES = 4
"""Ways to stand out by where a candidate lies: nearest or farthest, by distance or by loss."""
CROWDS = 2
"""Ways to stand out by who else is there: fewest neighbours, least demand."""
DEEPER = 5
"""Rows with few neighbours stand out up to so many times deeper, a depth drawn for each target."""
SPARED = 2
"""One candidate in so many, at least, is left in every list."""


def inconspicuous(
    targets: Records,
    rows: Records,
    start: Int,
    listed: Int32,
    crowds: tuple[Float, Float],
    guesses: int,
    draws: Float,
) -> NDArray[np.bool_]:
    """Tell for each candidate of each target whether it stands out in no way.

    The candidates of target t are listed[start[t]:start[t + 1]], rows with so many neighbours and so much demand, which
    `crowds` says of every row. By where they lie, the first of each list stand out, as many as an attacker has guesses.
    Int32 with few neighbours must be somebody's: if they were never one of the first, they would be one of the next. So
    how many of them stand out is drawn for each target, from as many as there are guesses up. In short lists fewer do.
    """
    plain = np.ones(len(listed), np.bool_)
    depth = guesses + (draws * ((DEEPER - 1) * guesses + 1)).astype(np.int64)
    common = (targets, rows, start, listed, *crowds, guesses, depth, plain)
    threads.starmap(_mark, [(*common, *span) for span in threads.spans(len(start) - 1, 256)])
    return plain


@njit(nogil=True, cache=True)
def _mark(targets, rows, start, listed, neighbours, demand, guesses, depth, plain, first, last):  # type: ignore[no-untyped-def]
    numbers_x, words_x, numbers_y, words_y = targets.numbers, targets.words, rows.numbers, rows.words
    for t in range(first, last):
        low, size = start[t], start[t + 1] - start[t]
        most = size // ((PLACES + CROWDS) * SPARED)
        keys = np.empty((PLACES + CROWDS, size))
        for i in range(size if most else 0):
            r = listed[low + i]
            keys[0, i] = row_squared_distance(numbers_x, words_x, t, numbers_y, words_y, r, targets.tops, targets.flags)
            keys[2, i] = row_loss(numbers_x, words_x, t, numbers_y, words_y, r, targets.tops)
            keys[1, i], keys[3, i] = -keys[0, i], -keys[2, i]
            keys[4, i], keys[5, i] = neighbours[r], demand[r]
        for way in range(PLACES + CROWDS):
            for _ in range(min(most, guesses if way < PLACES else depth[t])):
                # Lists ascend, so that of equals the lowest row is found first.
                least = np.argmin(keys[way])
                plain[low + least] = False
                keys[way, least] = np.inf
