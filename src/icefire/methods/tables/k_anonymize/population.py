"""Choose what classes are released as, so that each matches enough people of a population."""

from __future__ import annotations

import numpy as np

from icefire.core.errors import ParameterError
from icefire.kernels.recoding.value_trees import class_costs, released_nodes, summarise_classes
from icefire.kernels.types import Int
from icefire.methods.tables.k_anonymize.assignment import ClassAssignment
from icefire.methods.tables.k_anonymize.generalize import generalized
from icefire.methods.tables.k_anonymize.merge import OUTLIER, ClassMerger, mark_while_room, merged_where_equal
from icefire.methods.tables.k_anonymize.partition import Partitioner
from icefire.models import PopulationBounds, select_classes


def matched_to_population(
    merger: ClassMerger, bounds: PopulationBounds, rows: Int, start: Int, k: int, room: int
) -> ClassAssignment:
    """Release classes as so much more than their rows have in common that they may be enough people.

    Where a low chance of being there is asked for, the table is cut anew instead, into parts that do not overlap.
    `room` more rows may be left out.
    """
    classes = _small_enough(merger, bounds, rows, start, room)
    if classes is None:
        assignment = None
    elif bounds.delta is None:
        assignment = _generalized(merger, bounds, *classes)
    else:
        assignment = _partitioned(merger, bounds, np.sort(classes[0]), k)
    if assignment is None:
        raise ParameterError("k_anonymize: no classes keep the models and hide in the population; ask for less")
    return _without_outliers(merger, assignment, room - len(rows) + len(assignment.rows))


def _small_enough(
    merger: ClassMerger, bounds: PopulationBounds, rows: Int, start: Int, room: int
) -> tuple[Int, Int] | None:
    """Leave out the classes that lose most if there are too many rows for chances as low as asked; None: no room."""
    sizes, most = np.diff(start), bounds.most_rows
    if len(rows) <= most:
        return rows, start
    worst = np.argsort(
        -class_costs(merger.forest, *summarise_classes(merger.forest, merger.codes[rows], start)), kind="stable"
    )
    stays = np.ones(len(sizes), np.bool_)
    stays[worst[: np.searchsorted(np.cumsum(sizes[worst]), len(rows) - most) + 1]] = False
    left = select_classes(rows, start, stays)
    if not stays.any() or len(rows) - len(left[0]) > room:
        return None
    return left if merger.keeps(*left) else merger.merged_until_kept(*left)


def _partitioned(merger: ClassMerger, bounds: PopulationBounds, rows: Int, k: int) -> ClassAssignment | None:
    constraints = [constraint.over(rows) for constraint in merger.constraints]
    return Partitioner(merger.forest, merger.codes, bounds, k, constraints).partition(rows)


def _generalized(merger: ClassMerger, bounds: PopulationBounds, rows: Int, start: Int) -> ClassAssignment | None:
    """Raise classes; those that end at the same nodes are one class to everybody else.

    Where that breaks a constraint, they are joined and mended, and raised again.
    """
    while True:
        reps, levels = summarise_classes(merger.forest, merger.codes[rows], start)
        higher = generalized(merger.forest, bounds, reps, levels, bounds.needs(np.diff(start)))
        joined = merged_where_equal(rows, start, released_nodes(merger.forest, reps, higher))
        if merger.keeps(*joined):
            return ClassAssignment(rows, start, reps, higher)
        mended = merger.merged_until_kept(*joined)
        if mended is None:
            return None
        rows, start = mended


def _without_outliers(merger: ClassMerger, assignment: ClassAssignment, room: int) -> ClassAssignment:
    """Leave out classes that had to be raised too far, unless the others need them to keep a constraint."""
    lost = class_costs(merger.forest, assignment.reps, assignment.levels) / assignment.reps.shape[1]
    left = assignment.some(~mark_while_room(lost, lost > OUTLIER, assignment.sizes, room))
    shown = released_nodes(merger.forest, left.reps, left.levels)
    return left if merger.keeps(*merged_where_equal(left.rows, left.start, shown)) else assignment
