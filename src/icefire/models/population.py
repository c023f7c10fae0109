"""Models that look at the people a table was drawn from: k-map and δ-presence.

A released value stands for all values below a node of its hierarchy. In the order of the tree these are neighbours, so
that what a class is released as is a box, and the people who match it are the points inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icefire.core import blocks
from icefire.hierarchy import Fitted
from icefire.kernels.neighbours import weighted_boxes
from icefire.kernels.types import Bool, Float, Int, Int32
from icefire.models.statistics import TOLERANCE


@dataclass(frozen=True, eq=False, slots=True)
class PopulationIndex:
    """The people, and the nodes of every column as stretches of the order in which the people's values lie."""

    low: tuple[Int32, ...]
    high: tuple[Int32, ...]
    """By column: the first and the last place below the ancestor of each value (second) on each level (first)."""
    numbers: tuple[NDArray[np.integer], ...]
    """By column: the value of everybody, as the values of the table are numbered."""
    people: weighted_boxes.PointTree
    """Distinct combinations of values."""
    weights: Int
    """How many people have each."""

    @property
    def tops(self) -> Int32:
        """The highest level of each column."""
        return np.array([len(levels) - 1 for levels in self.low], np.int32)

    @property
    def rows(self) -> int:
        """Number of people."""
        return len(self.numbers[0])

    def matching(self, values: Int32, levels: Int32) -> Int:
        """Count for each class the people it may be: a value and a level per column make the node."""
        return weighted_boxes.weights_in_boxes(self.people, self.weights, *self._boxes(values, levels))

    def presence(self, sizes: Int, values: Int32, levels: Int32) -> Float:
        """Share each released row out among the people it may be: what everybody gets, 1 at most, is their chance."""
        low, high = self._boxes(values, levels)
        each = sizes / np.maximum(weighted_boxes.weights_in_boxes(self.people, self.weights, low, high), 1)
        return np.minimum(weighted_boxes.values_at_points(self.people, low, high, each), 1.0)

    def _boxes(self, values: Int32, levels: Int32) -> tuple[Int32, Int32]:
        columns = range(len(self.low))
        low = [self.low[c][levels[:, c], values[:, c]] for c in columns]
        high = [self.high[c][levels[:, c], values[:, c]] for c in columns]
        return np.column_stack(low), np.column_stack(high)


def index_population(columns: Sequence[Fitted], rows: int) -> PopulationIndex:
    """Make a population of the rows from number `rows` on; the rows before are the table that is released."""
    placed = [_placed(column) for column in columns]
    numbers = tuple(column.numbers[rows:] for column in columns)
    points = np.column_stack([ranks[values] for values, (ranks, _, _) in zip(numbers, placed, strict=True)])
    keys, _ = blocks.pack_keys([blocks.EncodedColumn(line, 0, int(line.max()) + 1) for line in points.T], len(points))
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    low, high = tuple(low for _, low, _ in placed), tuple(high for _, _, high in placed)
    return PopulationIndex(low, high, numbers, weighted_boxes.build_point_tree(points[first]), counts.astype(np.int64))


def _placed(column: Fitted) -> tuple[Int32, Int32, Int32]:
    """Order values so that those below a node are neighbours; returns their places and the ends of all nodes."""
    levels = [codes[column.places] for codes in column.hierarchy.codes]
    if not column.hierarchy.closed:
        levels.append(np.zeros(len(column.places), np.int32))
    order = np.lexsort(levels)
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order))
    low, high = [], []
    for codes in levels:
        ends = np.zeros(codes.max(initial=0) + 1, np.int32)
        ends[codes[order[::-1]]] = ranks[order[::-1]]
        low.append(ends[codes])
        ends[codes[order]] = ranks[order]
        high.append(ends[codes])
    return ranks, np.stack(low), np.stack(high)


@dataclass(frozen=True, slots=True)
class PopulationBounds:
    """Whom released rows may be: at least `k_map` people each, and nobody with a higher chance than `delta`."""

    population: PopulationIndex
    k_map: int | None = None
    delta: float | None = None

    @property
    def share(self) -> float | None:
        """Rows that people may be shared out among, as a share of the people; a hair above the bound is still fine."""
        return None if self.delta is None else self.delta + TOLERANCE

    @property
    def most_rows(self) -> int:
        """The largest number of rows that can be released: with more, somebody's chance is too high."""
        return math.floor((self.share or 1.0) * self.population.rows)

    def needs(self, sizes: Int) -> Int:
        """Return the least number of people that a class of each size must match; more than there are for δ = 0."""
        least = np.full(len(sizes), self.k_map or 0, np.int64)
        if self.delta is None:
            return least
        shared = np.minimum(sizes / (self.delta + TOLERANCE), self.population.rows + 1)
        return np.maximum(least, np.ceil(shared).astype(np.int64))

    def kept(self, sizes: Int, values: Int32, levels: Int32) -> Bool:
        """Tell for every class whether it keeps the bounds; for δ that is all there is to it if no two overlap."""
        kept: Bool = self.population.matching(values, levels) >= self.needs(sizes)
        return kept

    def reached(self, sizes: Int, values: Int32, levels: Int32) -> dict[str, float]:
        """Return what the classes reach, of what was asked for."""
        facts: dict[str, float] = {}
        if self.k_map is not None:
            facts["k_map"] = int(self.population.matching(values, levels).min())
        if self.delta is not None:
            facts["delta_presence"] = float(self.population.presence(sizes, values, levels).max())
        return facts
