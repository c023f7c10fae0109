"""The type `ClassAssignment`: classes of rows, and the node of each hierarchy that each class is released as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.kernels.recoding.value_trees import ValueForest, class_costs
from icefire.kernels.types import Bool, Int, Int32
from icefire.models import select_classes


@dataclass(frozen=True, slots=True)
class ClassAssignment:
    """Rows sorted by class and where each class begins; and a value and a level per class and column: its nodes."""

    rows: Int
    start: Int
    reps: Int32
    levels: Int32

    @property
    def sizes(self) -> Int:
        """Rows of each class."""
        return np.diff(self.start)

    def some(self, which: Bool) -> ClassAssignment:
        """Return the classes marked."""
        return ClassAssignment(*select_classes(self.rows, self.start, which), self.reps[which], self.levels[which])

    def lost(self, forest: ValueForest) -> float:
        """Sum what the cells of all rows lose."""
        return float(class_costs(forest, self.reps, self.levels) @ self.sizes)


def concatenated(parts: Sequence[ClassAssignment]) -> ClassAssignment:
    """Return the classes of several assignments as one."""
    return ClassAssignment(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([[0], np.cumsum(np.concatenate([part.sizes for part in parts]))]),
        np.concatenate([part.reps for part in parts]),
        np.concatenate([part.levels for part in parts]),
    )
