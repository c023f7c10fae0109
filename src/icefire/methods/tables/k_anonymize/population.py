"""Classes and what they are released as, so that they may be enough people of a population."""

from __future__ import annotations

import numpy as np

from icefire.core.errors import ParameterError
from icefire.kernels.recoding.value_trees import class_costs, released_nodes, summarise_classes
from icefire.kernels.types import Int
from icefire.methods.tables.k_anonymize.assignment import Placing
from icefire.methods.tables.k_anonymize.generalize import lifted
from icefire.methods.tables.k_anonymize.merge import OUTLIER, Joining, alike, first_that_fit
from icefire.methods.tables.k_anonymize.partition import Parting
from icefire.models import PopulationBounds, select_classes


def hidden(joining: Joining, crowd: PopulationBounds, rows: Int, start: Int, k: int, room: int) -> Placing:
    """Release classes as so much more than their rows have in common that they may be enough people.

    Where a low chance of being there is asked for, the table is cut anew instead, into parts that do not overlap.
    `room` more rows may be left out.
    """
    found = _few_enough(joining, crowd, rows, start, room)
    if found is None:
        made = None
    elif crowd.delta is None:
        made = _lifted(joining, crowd, *found)
    else:
        made = _parted(joining, crowd, np.sort(found[0]), k)
    if made is None:
        raise ParameterError("k_anonymize: no classes keep the models and hide in the population; ask for less")
    return _without_outliers(joining, made, room - len(rows) + len(made.rows))


def _few_enough(joining: Joining, crowd: PopulationBounds, rows: Int, start: Int, room: int) -> tuple[Int, Int] | None:
    """Leave out the classes that lose most if there are too many rows for chances as low as asked; None: no room."""
    sizes, most = np.diff(start), crowd.most_rows
    if len(rows) <= most:
        return rows, start
    worst = np.argsort(
        -class_costs(joining.forest, *summarise_classes(joining.forest, joining.codes[rows], start)), kind="stable"
    )
    stays = np.ones(len(sizes), np.bool_)
    stays[worst[: np.searchsorted(np.cumsum(sizes[worst]), len(rows) - most) + 1]] = False
    left = select_classes(rows, start, stays)
    if not stays.any() or len(rows) - len(left[0]) > room:
        return None
    return left if joining.keeps(*left) else joining.until_kept(*left)


def _parted(joining: Joining, crowd: PopulationBounds, rows: Int, k: int) -> Placing | None:
    promises = [promise.over(rows) for promise in joining.promises]
    return Parting(joining.forest, joining.codes, crowd, k, promises).of(rows)


def _lifted(joining: Joining, crowd: PopulationBounds, rows: Int, start: Int) -> Placing | None:
    """Raise classes; those that end at the same nodes are one class to everybody else.

    Where that breaks a promise, they are joined and mended, and raised again.
    """
    while True:
        reps, levels = summarise_classes(joining.forest, joining.codes[rows], start)
        higher = lifted(joining.forest, crowd, reps, levels, crowd.needs(np.diff(start)))
        joined = alike(rows, start, released_nodes(joining.forest, reps, higher))
        if joining.keeps(*joined):
            return Placing(rows, start, reps, higher)
        mended = joining.until_kept(*joined)
        if mended is None:
            return None
        rows, start = mended


def _without_outliers(joining: Joining, made: Placing, room: int) -> Placing:
    """Leave out classes that had to be raised too far, unless the others need them to keep a promise."""
    lost = class_costs(joining.forest, made.reps, made.levels) / made.reps.shape[1]
    left = made.some(~first_that_fit(lost, lost > OUTLIER, made.sizes, room))
    shown = released_nodes(joining.forest, left.reps, left.levels)
    return left if joining.keeps(*alike(left.rows, left.start, shown)) else made
