"""Random pairs of ranks that are at most a given distance apart, for rank swapping."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from icefire.kernels.types import Int


def swap_partners(count: int, reach: int, rng: np.random.Generator) -> Int:
    """Return for each of `count` ranks the rank to swap with, at most `reach` away, or itself where none is left.

    From the lowest rank up, every rank without a partner draws one among those at most `reach` above that have none
    either, all with the same probability. Linear in time and memory.
    """
    partners: Int = _swap_partners(reach, rng.random(count))
    return partners


@numba.njit(nogil=True, cache=True)
def _swap_partners(reach, draws) -> Any:  # type: ignore[no-untyped-def]
    """Return the partner of every rank, from one draw per rank."""
    partner = np.arange(draws.size)
    # The free ranks within reach, in any order, and the place of each: drawing and removing take constant time.
    free, place = np.empty(draws.size, np.int64), np.empty(draws.size, np.int64)
    count, seen = 0, 0
    for rank in range(draws.size):
        while seen < draws.size and seen <= rank + reach:
            free[count], place[seen] = seen, count
            count += 1
            seen += 1
        if partner[rank] == rank:
            count = _remove(free, place, count, rank)
            if count > 0:
                other = free[int(draws[rank] * count)]
                count = _remove(free, place, count, other)
                partner[rank], partner[other] = other, rank
    return partner


@numba.njit(nogil=True, cache=True)
def _remove(free, place, count, rank) -> Any:  # type: ignore[no-untyped-def]
    """Remove a rank from the free ones: the last takes its place. Returns how many are left."""
    last = free[count - 1]
    free[place[rank]], place[last] = last, place[rank]
    return count - 1
