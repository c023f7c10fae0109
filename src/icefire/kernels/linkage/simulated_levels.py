"""Released levels drawn at random by a channel, for simulated releases."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.types import Float, Int32


def draw_levels(ratios: Float, y_share: Float, x_levels: Int32, draws: Float) -> Int32:
    """Draw a released level for every original level given.

    Args:
        ratios: Channel: released × original levels, as ratios to chance.
        y_share: Frequency of each released level.
        x_levels: Original levels.
        draws: A random number from 0 to 1 for each.

    Returns:
        A released level for each, drawn in proportion to its share and ratio.
    """
    sums = np.cumsum(ratios * y_share[:, None], axis=0).T.copy()
    drawn = np.empty(len(x_levels), np.int32)
    compiled_if_worth(_draw, 8 * len(x_levels))(sums, x_levels, draws, drawn)
    return drawn


@njit(nogil=True, cache=True)
def _draw(sums, x_levels, draws, drawn):  # type: ignore[no-untyped-def]
    for j in range(x_levels.size):
        line = sums[x_levels[j]]
        drawn[j] = min(np.searchsorted(line, draws[j] * line[-1], "right"), line.size - 1)
