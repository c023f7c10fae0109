"""Positions grouped by label, by counting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def positions_by_label(labels, count) -> Any:  # type: ignore[no-untyped-def]
    """Return `start` (count + 1) and `positions`: those with label x are positions[start[x]:start[x + 1]], ascending.

    Labels lie below `count`; positions with a negative label are left out. Time and memory are linear.
    """
    start = np.zeros(count + 1, np.int64)
    for label in labels:
        if label >= 0:
            start[label + 1] += 1
    for x in range(count):
        start[x + 1] += start[x]
    positions, place = np.empty(start[count], np.int64), start[:-1].copy()
    for i in range(labels.size):
        label = labels[i]
        if label >= 0:
            positions[place[label]] = i
            place[label] += 1
    return start, positions
