"""Values as the leaves of a tree, for t-closeness by hierarchical distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from icefire import hierarchy
from icefire.core.errors import ParameterError, listing
from icefire.hierarchy import Hierarchy
from icefire.kernels.grouping import tree_distance
from icefire.kernels.types import Float, Int
from icefire.models.coding import CodedAttribute


@dataclass(frozen=True, slots=True)
class ValueTree:
    """The parents of all nodes, level by level from the leaves: those of level h begin at first[h]."""

    parents: Int
    first: Int
    about: str = ""
    """Where it comes from, in words."""

    @property
    def leaves(self) -> int:
        """Number of values."""
        return int(self.first[1])

    def checked(self, coded: CodedAttribute, column: str) -> CodedAttribute:
        """Return the column if its values are the leaves."""
        if coded.distinct != self.leaves:
            raise ParameterError(
                f"the hierarchy of {column!r} has {self.leaves} values, the column {coded.distinct}; "
                "give each value of the column, missing included, its place in the hierarchy"
            )
        return coded

    def distances(self, coded: CodedAttribute, rows: Int, start: Int) -> Float:
        """Return the distance of every class from the table."""
        return tree_distance.tree_distances(coded.codes, coded.totals, rows, start, self.parents, self.first)


def place_in_tree(column: pl.Series, known: Hierarchy | None = None) -> tuple[CodedAttribute, ValueTree]:
    """Place a column in a hierarchy, or in the one its values suggest; a level that joins nothing has no height."""
    fitted = hierarchy.fit_inferred(column) if known is None else hierarchy.fit(known, column)
    codes = fitted.places[fitted.numbers].astype(np.int32)
    tree = tree_from_levels(fitted.hierarchy.thinned().codes[1:])
    coded = CodedAttribute(codes, np.bincount(codes, minlength=fitted.hierarchy.size))
    return coded, replace(tree, about=("inferred: " if known is None else "") + fitted.hierarchy.about)


def read_hierarchies(place: str | None, columns: Sequence[str]) -> dict[str, Hierarchy | None]:
    """Read the hierarchy of each sensitive attribute from a folder, or of the only one from a file; None: no place."""
    if place is None:
        return dict.fromkeys(columns)
    if Path(place).is_dir() or not Path(place).exists():
        return {**hierarchy.read_folder(place, columns)}
    if len(columns) != 1:
        raise ParameterError(
            f"the hierarchy {place!r} is one file, but there are several sensitive attributes ({listing(columns)}); "
            "name one with sa, or give a folder with a file for each"
        )
    return {columns[0]: hierarchy.read(place, columns[0])}


def tree_from_levels(levels: Sequence[ArrayLike]) -> ValueTree:
    """Make a tree from level codes: levels[h][v] is the node of value v on the h-th level above the values.

    Values are numbered as `encode` does. A first level that keeps all values apart is the values themselves and
    adds no height; a last level of several nodes gets a root above it.
    """
    dense = [np.unique(np.asarray(level), return_inverse=True)[1].reshape(-1) for level in levels]
    if not dense or not len(dense[0]):
        raise ParameterError("the hierarchy has no level; give the group of each value on at least one level")
    leaves = np.arange(len(dense[0]))
    if len(leaves) > 1 and dense[0].max() == len(leaves) - 1:
        dense = dense[1:]
    if not dense or dense[-1].max() > 0:
        dense.append(np.zeros(len(leaves), np.int64))
    steps = [_parents(below, above) for below, above in zip([leaves, *dense], dense, strict=False)]
    first = np.cumsum([0, *(len(step) for step in steps)])
    return ValueTree(np.concatenate(steps), first)


def _parents(below: Int, above: Int) -> Int:
    """Return the parent of each node of a level; one with two parents makes it no tree."""
    if len(below) != len(above):
        raise ParameterError(f"the hierarchy has levels of {len(below)} and {len(above)} values; give each value once")
    parents = np.empty(below.max() + 1, np.int64)
    parents[below] = above
    wrong = np.flatnonzero(parents[below] != above)
    if len(wrong):
        raise ParameterError(
            f"the hierarchy is no tree: value number {wrong[0]} shares a group with others on one level, "
            "but not on the next; correct its groups"
        )
    return parents
