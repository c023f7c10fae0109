"""Sets of an index in classes of about equal size, and in each class the holders of every item, by its position.

A search that knows how similar a set has to be knows for each class how many items must be shared, and therefore how
many of the rarest items of either set have to be looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.baskets.inverted_index import SetIndex
from icefire.kernels.types import Int, Int32

RATIO = 1.12
"""The largest set of a class has at most so many times the items of the smallest."""
CELLS_PER_ENTRY = 0.5
"""Classes are made wider until there are at most so many lists of holders for each entry of the sets."""


class SizeClasses(NamedTuple):
    """Class c holds the places first[c] … first[c + 1] - 1 of the index; sets without items are in none.

    Its holders of rank r are places[cells[c, r]:cells[c, r + 1]], and position is where the item stands in each, the
    rarest item at 0; positions ascend.
    """

    first: Int
    cells: Int
    places: Int32
    position: Int32


def size_classes(index: SetIndex) -> SizeClasses:
    """Divide the sets of an index into classes."""
    begin, ratio = int(np.searchsorted(index.sizes, 1)), RATIO
    first = _borders(index.sizes, begin, ratio)
    while len(first) > 2 and (len(first) - 1) * (index.held + 1) > CELLS_PER_ENTRY * len(index.ranks):
        ratio *= ratio
        first = _borders(index.sizes, begin, ratio)
    return SizeClasses(first, *_lists(index.start, index.ranks, first, index.held))


def _borders(sizes: Int, begin: int, ratio: float) -> Int:
    borders = [begin]
    while borders[-1] < len(sizes):
        largest = int(sizes[borders[-1]] * ratio)
        borders.append(int(np.searchsorted(sizes, largest, side="right")))
    return np.array(borders, np.int64)


@njit(nogil=True, cache=True)
def _lists(start, ranks, first, held) -> Any:  # type: ignore[no-untyped-def]
    """Return cells, places and positions of `SizeClasses`."""
    classes = len(first) - 1
    cells = np.zeros((classes, held + 1), np.int64)
    places, position = np.empty(len(ranks), np.int32), np.empty(len(ranks), np.int32)
    free, written = np.empty(held, np.int64), 0
    for c in range(classes):
        for k in range(start[first[c]], start[first[c + 1]]):
            cells[c, ranks[k] + 1] += 1
        cells[c, 0] = written
        for rank in range(held):
            free[rank] = cells[c, rank]
            cells[c, rank + 1] += cells[c, rank]
        written = cells[c, held]
        low = first[c]
        for at in range(start[first[c + 1]] - start[first[c + 1] - 1]):
            while start[low + 1] - start[low] <= at:  # sizes ascend: the sets that have an item here are the last ones
                low += 1
            for place in range(low, first[c + 1]):
                rank = ranks[start[place] + at]
                places[free[rank]], position[free[rank]] = place, at
                free[rank] += 1
    return cells, places, position
