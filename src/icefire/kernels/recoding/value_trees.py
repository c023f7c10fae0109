"""Hierarchies of values as arrays: the level on which the rows of a class meet in each column, and the loss there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common.inner import njit_inner
from icefire.kernels.types import Float, Int, Int32

"""Compiles functions that only compiled ones call: without wrappers for Python, a third of the time is saved."""

ColumnLevels = Sequence[tuple[Int32, Float]]
"""One column: for every level from the values up, the node of each value and the loss of each node."""


class ValueForest(NamedTuple):
    """One tree per column, all of one height, each with one root.

    The ancestor of leaf x of column c on level h is path[first[c] + h * size[c] + x], a number that no other node of
    any column has; level 0 is the leaf itself. So two leaves meet on the first level where these numbers agree. A class
    is described by a leaf (`rep`) and a level per column: all its rows lie below that ancestor of the leaf.
    """

    path: Int32
    loss: Float
    """What a cell loses when it is released as this node: 0 for a leaf, 1 for the root."""
    first: Int
    size: Int
    height: int


def build_forest(columns: Sequence[ColumnLevels]) -> tuple[ValueForest, Int]:
    """Return the forest of some columns, and the number of each column's first node. The last level is one root."""
    height = max(len(levels) for levels in columns)
    paths, losses, first, node, place = [], [], [], [0], 0
    for levels in columns:
        first.append(place)
        for codes, loss in levels:
            paths.append(codes + node[-1])
            losses.append(loss)
            node.append(node[-1] + len(loss))
        # Lower trees are extended by their root, so that every search upwards ends.
        paths += [paths[-1]] * (height - len(levels))
        place += height * len(levels[0][0])
    sizes = np.array([len(levels[0][0]) for levels in columns], np.int64)
    roots = np.cumsum([0, *(len(levels) for levels in columns)])
    forest = ValueForest(np.concatenate(paths).astype(np.int32), np.concatenate(losses), np.array(first), sizes, height)
    return forest, np.array(node)[roots]


def released_nodes(forest: ValueForest, reps: Int32, levels: Int32) -> Int32:
    """Return the node as which each class is released in each column (classes × columns)."""
    nodes: Int32 = forest.path[forest.first + levels * forest.size + reps]
    return nodes


def class_costs(forest: ValueForest, reps: Int32, levels: Int32) -> Float:
    """Return what a row of each class loses, summed over the columns."""
    lost: Float = forest.loss[released_nodes(forest, reps, levels)].sum(axis=1)
    return lost


@njit_inner
def common_level(forest, c, rep, level, leaf):  # type: ignore[no-untyped-def]
    """Return the level on which a leaf joins a class in one column.

    Args:
        forest: The trees.
        c: The column.
        rep: Leaf of the class.
        level: Level of the class.
        leaf: The leaf that joins.
    """
    size = forest.size[c]
    base = forest.first[c] + level * size
    while forest.path[base + rep] != forest.path[base + leaf]:
        base += size
        level += 1
    return level


@njit_inner
def class_cost(forest, reps, levels, a):  # type: ignore[no-untyped-def]
    """Return what a row of class a loses, summed over the columns.

    Args:
        forest: The trees.
        reps: classes × columns: a leaf of each class.
        levels: classes × columns: the levels of each class.
        a: The class.
    """
    total = 0.0
    for c in range(reps.shape[1]):
        total += forest.loss[forest.path[forest.first[c] + levels[a, c] * forest.size[c] + reps[a, c]]]
    return total


@njit_inner
def joint_cost(forest, reps, levels, a, others, b, other_levels):  # type: ignore[no-untyped-def]
    """Return what a row of class a would lose if class b of others joined it.

    Args:
        forest: The trees.
        reps: classes × columns: a leaf of each class.
        levels: classes × columns: the levels of each class.
        a: The class.
        others: Like `reps`, of the other classes.
        b: The class that joins.
        other_levels: Like `levels`, of the other classes.
    """
    total = 0.0
    for c in range(reps.shape[1]):
        level = common_level(forest, c, reps[a, c], max(levels[a, c], other_levels[b, c]), others[b, c])
        total += forest.loss[forest.path[forest.first[c] + level * forest.size[c] + reps[a, c]]]
    return total


@njit_inner
def add_row(forest, reps, levels, a, codes, row):  # type: ignore[no-untyped-def]
    """Raise the levels of class a so that a row lies below them.

    Args:
        forest: The trees.
        reps: classes × columns: a leaf of each class.
        levels: classes × columns: the levels of each class; changed in place.
        a: The class.
        codes: rows × columns: the leaves of each row.
        row: The row.
    """
    for c in range(reps.shape[1]):
        levels[a, c] = common_level(forest, c, reps[a, c], levels[a, c], codes[row, c])


@njit(nogil=True, cache=True)
def summarise_classes(forest, codes, start):  # type: ignore[no-untyped-def]
    """Return the first row and the levels of every class (classes × columns, each).

    Args:
        forest: The trees.
        codes: rows × columns, sorted by class.
        start: Where each class begins, and one more for the end.
    """
    count, columns = len(start) - 1, codes.shape[1]
    reps, levels = np.zeros((count, columns), np.int32), np.zeros((count, columns), np.int32)
    for a in range(count):
        for c in range(columns):
            reps[a, c] = codes[start[a], c]
        for row in range(start[a] + 1, start[a + 1]):
            add_row(forest, reps, levels, a, codes, row)
    return reps, levels


@njit_inner
def _leaves_present(sizes, codes, local, kept):  # type: ignore[no-untyped-def]
    """Number the leaves of each column in order of appearance; returns how many there are."""
    count = np.zeros(len(sizes), np.int64)
    for c in range(len(sizes)):
        place = np.zeros(sizes[c], np.int32)
        for i in range(len(codes)):
            leaf = codes[i, c]
            if place[leaf] == 0:
                kept[c, count[c]] = leaf
                count[c] += 1
                place[leaf] = count[c]
            local[i, c] = place[leaf] - 1
    return count


@njit(nogil=True, cache=True)
def restrict_forest(forest, codes):  # type: ignore[no-untyped-def]
    """Keep only the leaves that occur, so that tables over the leaves of a block are no longer than the block.

    Returns the smaller forest and the codes in it; nodes keep their numbers.
    """
    columns = codes.shape[1]
    local = np.empty(codes.shape, np.int32)
    kept = np.empty((columns, len(codes)), np.int32)
    size = _leaves_present(forest.size, codes, local, kept)
    first = np.zeros(columns, np.int64)
    for c in range(1, columns):
        first[c] = first[c - 1] + forest.height * size[c - 1]
    path = np.empty(first[-1] + forest.height * size[-1], np.int32)
    for c in range(columns):
        for h in range(forest.height):
            for x in range(size[c]):
                path[first[c] + h * size[c] + x] = forest.path[forest.first[c] + h * forest.size[c] + kept[c, x]]
    return ValueForest(path, forest.loss, first, size, forest.height), local
