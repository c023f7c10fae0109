"""Generalise classes beyond what their rows have in common, until each matches enough people of a population.

Nodes are raised one level at a time: in the column where that brings most people for what it loses, up to the number
that is needed. What turns out to be more than needed is lowered again.
"""

from __future__ import annotations

import numpy as np

from icefire.kernels.recoding.value_trees import ValueForest, released_nodes
from icefire.kernels.types import Float, Int, Int32
from icefire.models import PopulationBounds

EVEN = 1e-9
"""Added to what a step costs and brings, so that one that costs nothing, or brings nobody yet, can be compared."""


def generalized(forest: ValueForest, bounds: PopulationBounds, reps: Int32, levels: Int32, needs: Int) -> Int32:
    """Raise each class until it may be as many people as it needs, or everybody; then lower what is not needed."""
    raised = levels.copy()
    weak = todo = np.flatnonzero(bounds.population.matching(reps, raised) < needs)
    while len(todo):
        raised[todo] = _one_level_up(forest, bounds, reps[todo], raised[todo], needs[todo])
        matching = bounds.population.matching(reps[todo], raised[todo])
        todo = todo[(matching < needs[todo]) & (raised[todo] < bounds.population.tops).any(axis=1)]
    raised[weak] = _lowered(bounds, reps[weak], levels[weak], raised[weak], needs[weak])
    return raised


def _one_level_up(forest: ValueForest, bounds: PopulationBounds, reps: Int32, levels: Int32, needs: Int) -> Int32:
    """Raise every class in the one column where that is worth most."""
    worth = np.column_stack([_worth(forest, bounds, reps, levels, needs, c) for c in range(reps.shape[1])])
    chosen = worth.argmax(axis=1)
    higher = levels.copy()
    higher[np.arange(len(higher)), chosen] += 1
    return higher


def _worth(forest: ValueForest, bounds: PopulationBounds, reps: Int32, levels: Int32, needs: Int, column: int) -> Float:
    """Return how many times more people a class may be if a column is raised (logarithm), by what that loses."""
    possible = levels[:, column] < bounds.population.tops[column]
    higher = levels.copy()
    higher[possible, column] += 1
    before, after = bounds.population.matching(reps, levels), bounds.population.matching(reps, higher)
    more = np.log(np.maximum(np.minimum(after, needs), 0.5)) - np.log(np.maximum(before, 0.5))
    lost = forest.loss[released_nodes(forest, reps, higher)] - forest.loss[released_nodes(forest, reps, levels)]
    worth: Float = np.where(possible, (more + EVEN) / (lost[:, column] + EVEN), -1.0)
    return worth


def _lowered(bounds: PopulationBounds, reps: Int32, least: Int32, levels: Int32, needs: Int) -> Int32:
    """Lower columns, but not below `least`, as long as classes may be enough people."""
    raised = levels.copy()
    while True:
        changed = False
        for column in range(reps.shape[1]):
            lower = raised.copy()
            lower[:, column] -= raised[:, column] > least[:, column]
            fine = (lower[:, column] < raised[:, column]) & (bounds.population.matching(reps, lower) >= needs)
            raised[fine] = lower[fine]
            changed = changed or bool(fine.any())
        if not changed:
            return raised
