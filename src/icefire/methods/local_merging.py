"""Classes left out because they are too costly, and classes put together because one alone breaks a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from icefire.errors import ParameterError
from icefire.kernels.recoding_merge import mates
from icefire.kernels.recoding_tree import Codes, Forest, costs, summarise
from icefire.methods.local_classes import by_label
from icefire.release import Int

Allowed = Callable[[Int, Int], NDArray[np.bool_]]
"""A promise beside the size of classes: rows sorted by class and where each class begins → is the class fine?

It is always shown all rows that stay, so a model that compares a class with the table may take them for the table.
"""

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


def until_allowed(forest: Forest, codes: Codes, rows: Int, start: Int, allowed: Sequence[Allowed]) -> tuple[Int, Int]:
    """Put each class that breaks a promise together with the one that costs least, until all classes keep all."""
    while allowed:
        weak = ~np.logical_and.reduce([fine(rows, start) for fine in allowed])
        if not weak.any():
            break
        if len(weak) == 1:
            raise ParameterError(
                "k_anonymize: even all rows in one class break the models asked for; ask for less, or leave them out"
            )
        rows, start = _merged(forest, codes, rows, start, weak)
    return rows, start


def _merged(forest: Forest, codes: Codes, rows: Int, start: Int, weak: NDArray[np.bool_]) -> tuple[Int, Int]:
    """Join every weak class with its mate; the pair stands where the first of the two stood."""
    sizes = np.diff(start)
    reps, levels = summarise(forest, codes[rows], start)
    found = mates(forest, reps, levels, sizes, weak, REACH)
    places = np.arange(len(sizes))
    pairs = np.where(found >= 0, np.minimum(places, found), places)
    order, start = by_label(np.repeat(pairs, sizes))
    return rows[order], start
