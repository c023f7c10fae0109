"""Candidates that stand out in some way, so that an attacker with a few guesses would name them."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.records.loss import Records, row_loss, row_squared_distance
from icefire.kernels.types import Bool, Float, Int, Int32

PLACES = 4
"""Ways to stand out by position: nearest or farthest, by distance or by loss."""
CROWDS = 2
"""Ways to stand out by rarity: fewest neighbours, least demand."""
DEEPER = 5
"""Of rare rows, up to so many times the guesses stand out; the number is drawn for each target."""
SPARED = 2
"""At least one candidate in so many stays inconspicuous."""


def inconspicuous(
    targets: Records,
    rows: Records,
    start: Int,
    listed: Int32,
    rarity: tuple[Float, Float],
    guesses: int,
    draws: Float,
) -> Bool:
    """Tell for each candidate of each target whether it stands out in no way.

    By its position, the first candidates of each list stand out (nearest or farthest, by distance or by loss), as many
    as the attacker has guesses. Rows with few neighbours must be somebody's: if they were never among the first, they
    would always be among the next. So how many of them stand out is drawn for each target, from the number of guesses
    up. In short lists fewer stand out. Ties go to the lowest row.

    Args:
        targets: The targets.
        rows: The table of the candidates, encoded together with the targets.
        start: Target t has the candidates listed[start[t]:start[t + 1]], ascending.
        listed: See `start`.
        rarity: For every row of the table how many neighbours it has, and how many targets ask for it.
        guesses: Guesses of the attacker.
        draws: One random number from 0 to 1 per target.

    Returns:
        One flag per candidate.
    """
    plain = np.ones(len(listed), np.bool_)
    depth = guesses + (draws * ((DEEPER - 1) * guesses + 1)).astype(np.int64)
    common = (targets, rows, start, listed, *rarity, guesses, depth, plain)
    threads.starmap(_mark, [(*common, *span) for span in threads.spans(len(start) - 1, 256)])
    return plain


@njit(nogil=True, cache=True)
def _mark(targets, rows, start, listed, neighbours, demand, guesses, depth, plain, first, last):  # type: ignore[no-untyped-def]
    """Clear the flags of conspicuous candidates of targets first … last - 1."""
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
