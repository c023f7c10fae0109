"""Merge classes that break a privacy model, and leave out classes that lose too much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.recoding.merge import merge_partners
from icefire.kernels.recoding.value_trees import ValueForest, class_costs, summarise_classes
from icefire.kernels.types import Bool, Float, Int, Int32
from icefire.methods.tables.k_anonymize.classes import by_label
from icefire.models import Constraint, classes_keeping, select_classes

ReleasedValues = Callable[[Int, Int], NDArray[np.integer]]
"""From classes: what each is released as, one line per class."""

OUTLIER = 0.5
"""A class is an outlier if its rows lose more than this share of their detail."""
REACH = 200
"""A class looks for a mate among so many before it and after it; in the order of classes like ones are near."""


def without_outliers(forest: ValueForest, codes: Int32, rows: Int, start: Int, room: int) -> tuple[Int, Int]:
    """Leave out the classes that lose most of all, as long as they have at most `room` rows; one class stays."""
    if not room:
        return rows, start
    reps, levels = summarise_classes(forest, codes[rows], start)
    lost = class_costs(forest, reps, levels) / codes.shape[1]
    return select_classes(rows, start, ~mark_while_room(lost, lost > OUTLIER, np.diff(start), room))


def mark_while_room(worth: Float, which: Bool, sizes: Int, room: int) -> Bool:
    """Mark classes in question, those worth most first, as long as all together have room; one class stays."""
    order = np.argsort(-worth, kind="stable")
    order = order[which[order]][: len(sizes) - 1]
    marked = np.zeros(len(sizes), np.bool_)
    marked[order[np.cumsum(sizes[order]) <= room]] = True
    return marked


@dataclass(frozen=True, slots=True)
class ClassMerger:
    """Classes put together, or left out, until all keep all constraints in the table they make."""

    forest: ValueForest
    codes: Int32
    constraints: Sequence[Constraint]
    shown: ReleasedValues

    def lost(self, rows: Int, start: Int) -> float:
        """Sum what all cells lose; a row that is left out loses all."""
        reps, levels = summarise_classes(self.forest, self.codes[rows], start)
        return self._lost(np.diff(start), reps, levels)

    def _lost(self, sizes: Int, reps: Int32, levels: Int32) -> float:
        gone = (len(self.codes) - int(sizes.sum())) * self.codes.shape[1]
        return float(class_costs(self.forest, reps, levels) @ sizes + gone)

    def merged_until_kept(
        self, rows: Int, start: Int, room: int = 0, eager: bool = False, bound: float = np.inf
    ) -> tuple[Int, Int] | None:
        """Put each class that breaks a constraint together with the one that costs least, until all classes keep all.

        Up to `room` rows are left out instead: those of a class that would lose more by joining another, or `eager`ly
        any. None if no less than `bound` is lost in the end, or if not even one class keeps the constraints.
        """
        constraints = self._over(rows)
        while True:
            reps, levels = summarise_classes(self.forest, self.codes[rows], start)
            if self._lost(np.diff(start), reps, levels) >= bound:
                return None
            weak = ~classes_keeping(constraints, rows, start)
            if not weak.any():
                before = len(start)
                rows, start = merged_where_equal(rows, start, self.shown(rows, start))
                if len(start) == before:
                    return rows, start
            elif len(weak) == 1:
                return None
            else:
                sizes = np.diff(start)
                partners, more = merge_partners(self.forest, reps, levels, sizes, weak, REACH)
                left = sizes * (self.codes.shape[1] - class_costs(self.forest, reps, levels))
                gone = mark_while_room(more / sizes, weak & (eager | (more > left)), sizes, room)
                if gone.any():
                    rows, start = select_classes(rows, start, ~gone)
                    room, constraints = room - int(sizes[gone].sum()), self._over(rows)
                else:
                    rows, start = _paired(rows, start, partners)

    def _over(self, rows: Int) -> list[Constraint]:
        return [constraint.over(rows) for constraint in self.constraints]

    def keeps(self, rows: Int, start: Int) -> bool:
        """Tell whether all classes keep all constraints in the table they make."""
        return bool(classes_keeping(self._over(rows), rows, start).all())


def merged_where_equal(rows: Int, start: Int, shown: NDArray[np.integer]) -> tuple[Int, Int]:
    """Put together classes that are released as the same: nobody else can tell them apart."""
    _, first, same = np.unique(shown, axis=0, return_index=True, return_inverse=True)
    return _relabelled(rows, start, first[same.reshape(-1)])


def _paired(rows: Int, start: Int, partners: Int) -> tuple[Int, Int]:
    """Put mates together; the pair stands where the first of the two stood, so that like classes stay near."""
    places = np.arange(len(partners))
    return _relabelled(rows, start, np.where(partners >= 0, np.minimum(places, partners), places))


def _relabelled(rows: Int, start: Int, label: Int) -> tuple[Int, Int]:
    """Put classes of one label together, in the order of the labels."""
    order, start = by_label(np.repeat(label, np.diff(start)))
    return rows[order], start
