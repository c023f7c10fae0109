"""Weights of pairs of sampled and original rows, balanced to those of a matching, and their sums by level.

Most original rows are next to impossible for a sampled row. Where so few pairs are left that it is worth it, they alone
are listed, and numpy does the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from icefire.kernels.common.interpreted import is_little
from icefire.kernels.linkage import ascent
from icefire.kernels.types import Float, Int, Int32

NOTHING = 1e-9
"""Weights below this share of the largest of their row are left out."""
DENSE, SMALL = 8, 1 << 16
"""Pairs are listed where at most one in so many is left, or where they are so few in all."""


class PairWeights(NamedTuple):
    """Posterior weights of some pairs."""

    rows: Int
    """Sampled row of every pair."""
    originals: Int
    """Original row of every pair."""
    weights: Float

    def by_levels(self, y_levels: Int, x_levels: Int32, shape: tuple[int, int]) -> Float:
        """Return the weight of all pairs by the levels of their sampled and original rows."""
        places = y_levels[self.rows] * shape[1] + x_levels[self.originals]
        sums = np.bincount(places, self.weights, shape[0] * shape[1])
        return sums.reshape(shape).astype(np.float64, copy=False)


class AllWeights(NamedTuple):
    """Posterior weights of all pairs: sampled rows × original rows."""

    weights: Float

    def by_levels(self, y_levels: Int, x_levels: Int32, shape: tuple[int, int]) -> Float:
        """Return the weight of all pairs by the levels of their sampled and original rows."""
        sums = ascent.level_sums(self.weights, np.ones((len(self.weights), shape[1])), x_levels, shape[1])
        seen = np.zeros(shape)
        np.add.at(seen, y_levels, sums)
        return seen


def balanced(weights: Float, rounds: int) -> PairWeights | AllWeights:
    """Return the posterior weights of a matching: 1 per sampled row, at most 1 per original row.

    Args:
        weights: Sampled rows × original rows. They are used up.
        rounds: How often both sides are balanced; the sampled rows come last.
    """
    kept = weights > NOTHING * weights.max(axis=1, keepdims=True)
    if DENSE * np.count_nonzero(kept) > weights.size and not is_little(weights.size, SMALL):
        ascent.balance(weights, rounds)
        return AllWeights(weights)
    rows, originals = np.nonzero(kept)
    return PairWeights(rows, originals, _balanced_pairs(rows, originals, weights[kept], weights.shape, rounds))


def _balanced_pairs(rows: Int, originals: Int, weights: Float, shape: tuple[int, int], rounds: int) -> Float:
    """Balance listed pairs as `ascent.balance` does all."""
    share = np.ones(shape[1])
    for turn in range(rounds + 1):
        totals = np.bincount(rows, weights * share[originals], shape[0]) + ascent.TINY
        if turn < rounds:
            share = 1.0 / np.maximum(1.0, np.bincount(originals, weights / totals[rows], shape[1]))
    balanced: Float = weights * share[originals] / totals[rows]
    return balanced
