"""Random order inside blocks (Fisher and Yates)."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.types import Int


@njit(nogil=True, cache=True)
def _shuffle(start, draws, order):  # type: ignore[no-untyped-def]
    """Shuffle the positions of every block in place."""
    for block in range(len(start) - 1):
        low = start[block]
        for last in range(start[block + 1] - 1, low, -1):
            other = low + int(draws[last] * (last - low + 1))
            order[last], order[other] = order[other], order[last]


def shuffled_within_blocks(start: Int, rng: np.random.Generator) -> Int:
    """Return the positions 0 … n - 1, those of every block start[b]:start[b + 1] in random order."""
    total = int(start[-1])
    order = np.arange(total, dtype=np.int64)
    compiled_if_worth(_shuffle, total)(start, rng.random(total), order)
    return order
