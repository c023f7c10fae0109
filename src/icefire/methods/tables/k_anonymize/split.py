"""Split a table from the top into classes, as long as all parts keep all constraints.

Joining small classes until a strict model holds (t-closeness above all) ends with one giant, because like classes
break it in like ways. From the top the model holds all the time, and cutting stops where it would not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.kernels.recoding.value_trees import ValueForest, released_nodes, summarise_classes
from icefire.kernels.types import Bool, Float, Int, Int32
from icefire.methods.tables.k_anonymize.classes import by_label
from icefire.models import Constraint, classes_keeping


@dataclass(frozen=True, slots=True)
class _ClassRequirement:
    """What every class must keep: a size, and models."""

    k: int
    others: Sequence[Constraint]

    def kept(self, rows: Int, start: Int) -> Bool:
        fine: Bool = (np.diff(start) >= self.k) & classes_keeping(self.others, rows, start)
        return fine


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts so far: rows sorted by part, where each begins, the part of each row, and what a part has in common."""

    rows: Int
    start: Int
    of: Int
    nodes: Int32
    levels: Int32


def split(forest: ValueForest, codes: Int32, rows: Int, k: int, constraints: Sequence[Constraint]) -> tuple[Int, Int]:
    """Cut rows, which keep all constraints together, into classes; returns them sorted by class, and where each begins.

    A part is cut along one column into the groups one level further down. Groups that would break a constraint stay
    together; so does the smallest other group, if they break it still. Of the columns that allow a cut the one that
    gains most is taken.
    """
    requirement = _ClassRequirement(k, constraints)
    label, still_open = np.zeros(len(rows), np.int64), np.ones(1, np.bool_)
    while True:
        order, start = by_label(label)
        parts = _parts(forest, codes, rows[order], start)
        gains, pieces = _best_cuts(forest, codes, parts, still_open, requirement)
        if not gains.any():
            return parts.rows, start
        keys = parts.of * (len(forest.loss) + 1) + pieces
        groups, numbers = np.unique(keys, return_inverse=True)
        label[order] = numbers.reshape(-1)
        still_open = gains[groups // (len(forest.loss) + 1)] > 0


def _parts(forest: ValueForest, codes: Int32, rows: Int, start: Int) -> _Parts:
    reps, levels = summarise_classes(forest, codes[rows], start)
    of = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return _Parts(rows, start, of, released_nodes(forest, reps, levels), levels)


def _best_cuts(
    forest: ValueForest, codes: Int32, parts: _Parts, still_open: Bool, requirement: _ClassRequirement
) -> tuple[Float, Int]:
    """Return what the best cut of each part gains (0: none is possible), and the piece of each row in it."""
    gains, pieces = np.zeros(len(still_open)), np.zeros(len(parts.rows), np.int64)
    for column in range(codes.shape[1]):
        where = np.flatnonzero((still_open & (parts.levels[:, column] > 0))[parts.of])
        if len(where):
            gain, piece = _cut(forest, codes, column, parts, where, requirement)
            better = gain > gains
            gains[better] = gain[better]
            chosen = better[parts.of]
            pieces[chosen] = piece[chosen]
    return gains, pieces


def _cut(
    forest: ValueForest, codes: Int32, column: int, parts: _Parts, where: Int, requirement: _ClassRequirement
) -> tuple[Float, Int]:
    """Cut parts along a column: the gain of each, and for each row its group, 0 where groups stay together."""
    part, rows = parts.of[where], parts.rows[where]
    below = parts.levels[part, column] - 1
    group = forest.path[forest.first[column] + below * forest.size[column] + codes[rows, column]]
    keys = part * len(forest.loss) + group
    order = np.argsort(keys, kind="stable")
    rows, start = rows[order], np.append(np.flatnonzero(np.diff(keys[order], prepend=-1)), len(keys))
    part, group, sizes = part[order][start[:-1]], group[order][start[:-1]], np.diff(start)
    folded = ~requirement.kept(rows, start)
    spoilt = _spoilt(folded, part, sizes, rows, len(parts.levels), requirement)
    if spoilt.any():
        folded[_smallest(part, sizes, ~folded & spoilt[part])] = True
        spoilt = _spoilt(folded, part, sizes, rows, len(parts.levels), requirement)
    better = forest.loss[parts.nodes[part, column]] - forest.loss[group]
    gain = np.bincount(part, np.where(folded, 0.0, sizes * better), len(parts.levels)).astype(np.float64)
    gain[spoilt] = 0
    pieces = np.zeros(len(parts.rows), np.int64)
    pieces[where[order]] = np.repeat(np.where(folded, 0, group + 1), sizes)
    return gain, pieces


def _spoilt(folded: Bool, part: Int, sizes: Int, rows: Int, count: int, requirement: _ClassRequirement) -> Bool:
    """Tell which parts cannot be cut so, because the groups that stay together break a constraint."""
    spoilt = np.zeros(count, np.bool_)
    if folded.any():
        together = np.repeat(part[folded], sizes[folded])
        start = np.append(np.flatnonzero(np.diff(together, prepend=-1)), len(together))
        spoilt[together[start[:-1]]] = ~requirement.kept(rows[np.repeat(folded, sizes)], start)
    return spoilt


def _smallest(part: Int, sizes: Int, which: Bool) -> Int:
    """Return the smallest of the groups in question of each part."""
    groups = np.flatnonzero(which)
    groups = groups[np.lexsort((sizes[groups], part[groups]))]
    return groups[np.unique(part[groups], return_index=True)[1]]
