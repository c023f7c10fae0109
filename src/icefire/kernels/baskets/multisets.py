"""How many elements one multiset has beyond another, summed over owners."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.ranges import offsets
from icefire.kernels.common.sorted_arrays import count_common
from icefire.kernels.types import Int


def surplus(x_owners: Int, x_keys: Int, y_owners: Int, y_keys: Int, owners: int) -> tuple[int, int]:
    """Return how many keys of y exceed those of x with the same owner, and how many of x exceed those of y.

    A key that an owner has three times in y and once in x counts twice.

    Args:
        x_owners: Owner of each key of x, from 0 to `owners` - 1.
        x_keys: Keys of x.
        y_owners: Owner of each key of y.
        y_keys: Keys of y.
        owners: Number of owners.

    Returns:
        Two totals over all owners.
    """
    x_start, x_grouped = _by_owner(x_owners, x_keys, owners)
    y_start, y_grouped = _by_owner(y_owners, y_keys, owners)
    calls = [(x_grouped, x_start, y_grouped, y_start, *span) for span in threads.spans(owners, 256)]
    common = sum(threads.starmap(_common, calls))
    return len(y_keys) - common, len(x_keys) - common


def _by_owner(owners: Int, keys: Int, count: int) -> tuple[Int, Int]:
    """Return offsets and keys, sorted by owner."""
    start = offsets(np.bincount(owners, minlength=count))
    grouped: Int = _grouped_keys(owners, keys, start[:-1].copy())
    return start, grouped


@njit(nogil=True, cache=True)
def _grouped_keys(owners, keys, place):  # type: ignore[no-untyped-def]
    """Return the keys sorted by owner."""
    grouped = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        grouped[place[owners[i]]] = keys[i]
        place[owners[i]] += 1
    return grouped


@njit(nogil=True, cache=True)
def _common(x, x_start, y, y_start, first, last):  # type: ignore[no-untyped-def]
    """Count the keys that both sides share; each owner's keys are sorted in place."""
    common = 0
    for owner in range(first, last):
        i, x_end = x_start[owner], x_start[owner + 1]
        j, y_end = y_start[owner], y_start[owner + 1]
        x[i:x_end].sort()
        y[j:y_end].sort()
        common += count_common(x, i, x_end, y, j, y_end)
    return common
