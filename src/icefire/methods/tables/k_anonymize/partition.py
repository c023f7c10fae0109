"""Partition a table from the top into classes that do not overlap: nodes are cut into their children.

Where several classes may be the same person, their chances add up. The lower a chance is asked for, the better is it
to have parts that exclude one another. A part is cut only if all pieces with rows in them are fine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.kernels.recoding.value_trees import ValueForest, released_nodes
from icefire.kernels.types import Bool, Float, Int, Int32
from icefire.methods.tables.k_anonymize.assignment import ClassAssignment, concatenated
from icefire.methods.tables.k_anonymize.classes import by_label
from icefire.models import Constraint, PopulationBounds, classes_keeping

EVEN = 1e-9
"""What a cut is worth at least: one that gains nothing by itself may lead to others that do."""


@dataclass(frozen=True, slots=True)
class Partitioner:
    """All that parts must keep: a size, constraints, and bounds over a population."""

    forest: ValueForest
    codes: Int32
    bounds: PopulationBounds
    k: int
    constraints: Sequence[Constraint]

    def partition(self, rows: Int) -> ClassAssignment | None:
        """Cut the rows into parts; None if not even all of them in one are fine."""
        start, reps = np.array([0, len(rows)]), self.codes[rows[:1]]
        open_parts, finished = ClassAssignment(rows, start, reps, self.bounds.population.tops[None, :]), []
        if not self._fine(open_parts).all():
            return None
        while len(open_parts.rows):
            worth = np.column_stack([self._worth(open_parts, column) for column in range(reps.shape[1])])
            cut = worth.max(axis=1) > 0
            finished.append(open_parts.some(~cut))
            open_parts, _ = self._pieces(open_parts.some(cut), worth[cut].argmax(axis=1))
        return concatenated(finished)

    def _fine(self, parts: ClassAssignment) -> Bool:
        fine: Bool = (parts.sizes >= self.k) & self.bounds.kept(parts.sizes, parts.reps, parts.levels)
        return fine & classes_keeping(self.constraints, parts.rows, parts.start)

    def _worth(self, parts: ClassAssignment, column: int) -> Float:
        """Return what each part gains if it is cut along a column; -1 where it cannot be."""
        lower = parts.levels[:, column] > 0
        worth = np.full(len(lower), -1.0)
        if lower.any():
            chosen = parts.some(lower)
            pieces, of = self._pieces(chosen, np.full(len(chosen.sizes), column))
            before = self.forest.loss[released_nodes(self.forest, chosen.reps, chosen.levels)[:, column]]
            after = self.forest.loss[released_nodes(self.forest, pieces.reps, pieces.levels)[:, column]]
            gains = np.bincount(of, pieces.sizes * (before[of] - after)) + EVEN
            gains[of[~self._fine(pieces)]] = -1.0
            worth[lower] = gains
        return worth

    def _pieces(self, parts: ClassAssignment, columns: Int) -> tuple[ClassAssignment, Int]:
        """Cut each part along its column into the nodes one level down; returns the pieces and the part of each."""
        of = np.repeat(np.arange(len(columns)), parts.sizes)
        column = columns[of]
        level = parts.levels[of, column] - 1
        place = self.forest.first[column] + level * self.forest.size[column] + self.codes[parts.rows, column]
        order, start = by_label(of * len(self.forest.loss) + self.forest.path[place])
        of, rows = of[order[start[:-1]]], parts.rows[order]
        levels = parts.levels[of]
        levels[np.arange(len(of)), columns[of]] -= 1
        return ClassAssignment(rows, start, self.codes[rows[start[:-1]]], levels), of
