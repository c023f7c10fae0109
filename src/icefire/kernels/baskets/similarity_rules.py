"""Four rules for how well one set fits another, and bounds on the score of sets not compared yet.

Scores are fractions of whole numbers and compared by cross-multiplication, so that equality is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.common.sorted_arrays import lower_bound

JACCARD, CONTAINED, COVERING, OVERLAP = range(4)


@njit(nogil=True, cache=True)
def score(rule, shared, size, asked) -> Any:  # type: ignore[no-untyped-def]
    """Return how well a set fits: a fraction, and a number that decides between equal fractions; larger is better.

    Args:
        rule: JACCARD, CONTAINED, COVERING or OVERLAP.
        shared: Items that both sets hold.
        size: Items of the known set.
        asked: Items of the given set.
    """
    if rule == JACCARD:
        return shared, size + asked - shared, 0
    if rule == CONTAINED:
        return shared, size, size
    return shared, 1, -size if rule == COVERING else 0


@njit(nogil=True, cache=True)
def best_possible(rule, left, asked) -> Any:  # type: ignore[no-untyped-def]
    """Return the best score of a set that holds none of the items so far, and at most all those left."""
    if rule == JACCARD:
        return left, asked, 0
    if rule == CONTAINED:
        return 1, 1, left
    return left, 1, -left if rule == COVERING else 0


@njit(nogil=True, cache=True)
def compare(score, best) -> Any:  # type: ignore[no-untyped-def]
    """Return a number above zero if the score is better, zero if it is equal."""
    gap = score[0] * best[1] - best[0] * score[1]
    return gap if gap != 0 else score[2] - best[2]


@njit(nogil=True, cache=True)
def size_window(rule, best, asked, known, sizes) -> Any:  # type: ignore[no-untyped-def]
    """Return the places whose size alone does not exclude them: the first, and the one after the last.

    Args:
        rule: JACCARD, CONTAINED, COVERING or OVERLAP.
        best: The best score so far.
        asked: Items of the given set.
        known: Those among them that any known set holds.
        sizes: Sizes of the known sets, ascending.
    """
    least, most = 1, np.int64(1) << 40
    if rule == JACCARD and best[0] > 0:
        least, most = -(-best[0] * asked // best[1]), best[1] * asked // best[0]
    elif rule == CONTAINED and best[0] == best[1]:
        least = best[2]
    elif rule in (COVERING, OVERLAP):
        least = best[0]
        if rule == COVERING and best[0] == known:
            most = -best[2]
    return lower_bound(sizes, 0, len(sizes), least), lower_bound(sizes, 0, len(sizes), most + 1)
