"""Classes left out because they are too costly, and classes put together because one alone breaks a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.recoding_merge import mates
from icefire.kernels.recoding_tree import Codes, Forest, costs, summarise
from icefire.methods.local_classes import by_label
from icefire.release import Int

Bools = NDArray[np.bool_]
Allowed = Callable[[Int, Int], Bools]
"""A promise beside the size of classes: rows sorted by class and where each class begins → is the class fine?"""

OUTLIER = 0.5
"""A class is an outlier if its rows lose more than this share of their detail."""
REACH = 200
"""A class looks for a mate among so many before it and after it; in the order of classes like ones are near."""


def without_outliers(forest: Forest, codes: Codes, rows: Int, start: Int, share: float) -> tuple[Int, Int]:
    """Leave out the classes that lose most of all, as long as these are at most a share of the rows; one stays."""
    room = int(np.floor(share * len(rows) + 1e-9))
    if not room:
        return rows, start
    sizes = np.diff(start)
    reps, levels = summarise(forest, codes[rows], start)
    lost = costs(forest, reps, levels) / codes.shape[1]
    worst = np.argsort(-lost, kind="stable")[: len(sizes) - 1]
    gone = worst[(lost[worst] > OUTLIER) & (np.cumsum(sizes[worst]) <= room)]
    stays = np.ones(len(sizes), np.bool_)
    stays[gone] = False
    return rows[np.repeat(stays, sizes)], np.concatenate([[0], np.cumsum(sizes[stays])])


def until_allowed(
    forest: Forest, codes: Codes, rows: Int, start: Int, allowed: Sequence[Allowed], bound: float = np.inf
) -> tuple[Int, Int] | None:
    """Put each class that breaks a promise together with the one that costs least, until all classes keep all.

    None if no less than `bound` is lost by then. All rows together must keep all promises.
    """
    while True:
        reps, levels = summarise(forest, codes[rows], start)
        sizes = np.diff(start)
        if costs(forest, reps, levels) @ sizes >= bound:
            return None
        weak = ~np.logical_and.reduce([fine(rows, start) for fine in allowed])
        if not weak.any() or len(weak) == 1:
            return rows, start
        found = mates(forest, reps, levels, sizes, weak, REACH)
        places = np.arange(len(sizes))
        # The pair stands where the first of the two stood, so that like classes stay near.
        pairs = np.where(found >= 0, np.minimum(places, found), places)
        order, start = by_label(np.repeat(pairs, sizes))
        rows = rows[order]
