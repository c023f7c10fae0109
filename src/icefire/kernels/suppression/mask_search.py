"""The sets of columns to hide (masks) that are tried, and the greedy search over them.

Both meanings of a hidden cell use them, each with functions of its own for prices and for what is hidden.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np

from icefire.kernels.suppression.cell_keys import KeyedCells, empty_key_numbers, masked_keys, number_of_key

MOST = 1 << 11  # up to so many masks all are tried; of more, the best of a beam search
WIDE = 1 << 12  # masks compared in the beam search
TOLERANCE = 1.05  # groups up to so many times the best price are settled at once
PATIENCE = 1.25  # a mask without further offers is asked again at so many times the price


class QueuedMask(NamedTuple):
    """A mask in the queue: the lowest tuple comes first."""

    tier: float
    price: float
    gain: int  # negative: of equal prices, the one that helps most rows
    mask: int


def mask_cost(cells: KeyedCells, mask: int) -> float:
    """Return the cost of hiding the columns of a mask in one row."""
    return float(sum(weight for c, weight in enumerate(cells.weights) if mask >> c & 1))


def masks_to_try(cells: KeyedCells, k: int) -> list[int]:
    """Return the masks to try: all, or those of a beam search for masks that leave most rows in classes of k."""
    columns = len(cells.weights)
    everything = (1 << columns) - 1
    if everything < MOST:
        return list(range(everything + 1))
    width = max(1, 2 * WIDE // (columns * (columns + 1)))
    level, masks = [0], {0, everything}
    for _ in range(columns - 1):
        wider = sorted({mask | 1 << c for mask in level for c in range(columns) if not mask >> c & 1})
        level = sorted(wider, key=lambda mask: (-_alike(cells, mask, k), mask))[:width]
        masks.update(wider)
    return sorted(masks)


@numba.njit(nogil=True, cache=True)
def _alike(cells, mask, k) -> Any:  # type: ignore[no-untyped-def]
    """Count the rows in classes of at least k where the mask is hidden in all rows."""
    keys, _ = masked_keys(cells, np.arange(cells.parts.shape[1]), mask)
    index, counts = empty_key_numbers(keys.size), np.zeros(keys.size, np.int64)
    for key in keys:
        counts[number_of_key(index, key, True)] += 1
    return counts[counts >= k].sum()


def greedy_cover(
    turns: list[QueuedMask],
    survey: Callable[[int], Any],
    settle: Callable[[int, Any, float], None],
    waiting: Callable[[], bool],
) -> None:
    """Take the cheapest offers of masks, until no row waits or no mask has anything to offer.

    An offer consists of groups of rows (from start[g] to start[g + 1]) and their prices. Known prices are mostly those
    of the last time a mask was asked: a mask that has become dearer goes back into the queue. Every round either
    settles rows or asks a mask whose price was not known, so that the search ends.

    Args:
        turns: The queue to begin with.
        survey: Returns the offer of a mask.
        settle: Takes all groups of an offer that cost no more than a limit.
        waiting: Tells whether any row waits.
    """
    heapq.heapify(turns)
    while turns and waiting():
        turn = heapq.heappop(turns)
        offer = survey(turn.mask)
        best = float(offer.prices.min())
        if best == np.inf:
            continue
        limit = max(turn.price, best) * TOLERANCE
        gain = int(np.diff(offer.start)[offer.prices <= limit].sum())
        known = QueuedMask(turn.tier, best, -gain, turn.mask)
        if turns and known[:3] > turns[0][:3]:
            heapq.heappush(turns, known)
            continue
        settle(turn.mask, offer, limit)
        dearer = offer.prices[(offer.prices > limit) & (offer.prices < np.inf)]
        heapq.heappush(turns, QueuedMask(turn.tier, float(dearer.min(initial=limit * PATIENCE)), 0, turn.mask))
