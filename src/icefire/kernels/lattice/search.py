"""Search for the levels of generalisation that lose least, without counting most nodes of the lattice.

Every node has a lower bound of its loss that is known without the rows: what generalisation alone costs. A node that
was counted bounds all nodes below it (its specialisations): rows in a small class there are in a small class below,
too. So either all of them suppress too many rows, or their bounds rise. The search first descends from the top to a
good node, then visits the rest level by level, and counts only nodes whose bound does not exceed the best loss.

The loss is ARX's: by column, the values of the hierarchy that a released value may stand for (all of them for a
suppressed row), summed over rows and scaled from 0 (nothing changed) to 1 (nothing left); over columns, the geometric
mean of one plus that. It is computed from whole numbers, and the search compares the plain product over the columns,
so that a bound never exceeds the loss it bounds, not even by rounding. Of nodes with the same loss (to 12 decimals),
the one with the fewest suppressed rows is taken, then the one with the smallest sum of levels, then the first in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from icefire.kernels.common import threads
from icefire.kernels.lattice.node_bounds import raise_bounds
from icefire.kernels.lattice.nodes import LatticeTable, NodeOutcome
from icefire.kernels.lattice.packed_table import Levels
from icefire.kernels.types import Bool, Float, Int

ClassFilter = Callable[[Levels, Int, Int], Bool]
"""Tells which classes are released: from the levels, the rows sorted by class, and where each class begins."""

DIGITS = 12
"""Losses that agree in this many decimals are equal: the order of multiplication must not decide."""
BATCH = 8
"""Nodes counted together: fixed, so that the number of threads changes nothing."""
THREADED = 1 << 17
"""Least number of classes in a batch that is counted on the thread pool."""
MOST_NODES = 1 << 22
"""A larger lattice is not visited as a whole; the search then stops where no step to a neighbour helps."""


@dataclass(frozen=True, slots=True)
class BestNode:
    """The node of least loss."""

    levels: Levels
    suppressed: int
    loss: float
    optimal: bool
    """Whether no other node can be better: true unless the lattice is too large to be visited as a whole."""
    counted: int
    """How many nodes were counted to find it."""


class LatticeSearch:
    """One search for the node of least loss of a table."""

    def __init__(self, table: LatticeTable, k: int, limit: int, keep: ClassFilter | None = None) -> None:
        """Prepare a search.

        Args:
            table: The table and its lattice.
            k: Least size of a class that is released.
            limit: Rows that may be suppressed at most.
            keep: Tells which classes are released; never one of fewer than k rows. Default: all others.
        """
        self.table, self.k, self.limit, self.keep = table, k, limit, keep
        self.shape = tuple(column.levels for column in table.columns)
        self.top = tuple(levels - 1 for levels in self.shape)
        self.nodes = int(np.prod(np.array(self.shape, dtype=object)))
        self.swept = self.nodes <= MOST_NODES
        self.strides = np.cumprod([1, *self.shape[:0:-1]])[::-1].astype(np.int64)
        self.covered = table.values_covered()
        self.seen: dict[Levels, float] = {}
        self.best: tuple[float, int, int, Levels] | None = None
        self.bounds = np.ones(self.nodes if self.swept else 0)
        self._raise(self.top, self._factors(np.zeros_like(self.covered)), 1.0)

    def _factors(self, lost: Int) -> Float:
        """Return one plus the loss of each column at each level, between 1 (nothing) and 2 (all)."""
        n = self.table.rows
        most = np.array([max(1, column.size - 1) for column in self.table.columns]) * n
        factors: Float = 1.0 + (self.covered + lost - n) / most[:, None]
        return factors

    def _product(self, factors: Float, levels: Levels) -> float:
        """Return the product of the factors at these levels."""
        product = 1.0
        for j, level in enumerate(levels):
            product *= float(factors[j, level])
        return product

    def _raise(self, levels: Levels, factors: Float, value: float) -> None:
        """Raise the bounds of all nodes at or below these levels."""
        if self.swept:
            raise_bounds(self.bounds, np.array(levels, np.int64), self.strides, factors, value)

    @property
    def _ceiling(self) -> float:
        """The largest bound of a node that may still be the best."""
        return np.inf if self.best is None else self.best[0] + 10.0**-DIGITS

    def _open(self, levels: Levels) -> bool:
        """Tell whether a node not yet counted may still be the best, or as good."""
        bound = float(self.bounds[np.dot(levels, self.strides)]) if self.swept else 1.0
        return levels not in self.seen and bound < np.inf and bound <= self._ceiling

    def best_node(self) -> BestNode | None:
        """Search the lattice; None if no node counted keeps the promises within the suppression limit."""
        self._count([self.top])
        self._descend(self.top, _below)
        if self.swept:
            self._sweep()
        elif self.best is not None:
            self._descend(self.best[3], self._around)
        if self.best is None:
            return None
        product, suppressed, _, levels = self.best
        loss = round(product ** (1 / len(levels)) - 1, DIGITS)
        return BestNode(levels, suppressed, loss, self.swept, len(self.seen))

    def _descend(self, here: Levels, choices: Callable[[Levels], list[Levels]]) -> None:
        """Step to the neighbour that loses least, while it loses less."""
        while True:
            beside = choices(here)
            self._count([levels for levels in beside if self._open(levels)])
            loss, levels = min(((self.seen.get(one, np.inf), one) for one in beside), default=(np.inf, here))
            if loss >= self.seen[here]:
                return
            here = levels

    def _around(self, levels: Levels) -> list[Levels]:
        """Return the nodes with one column one level up or down, or one up and another down."""
        up = [(*levels[:j], levels[j] + 1, *levels[j + 1 :]) for j in range(len(levels)) if levels[j] < self.top[j]]
        return [*_below(levels), *up, *(one for higher in up for one in _below(higher) if one != levels)]

    def _sweep(self) -> None:
        """Count, from the most general down, every node that may still be the best."""
        heights = np.zeros(self.shape, np.int16)
        for j, levels in enumerate(self.shape):
            heights += np.arange(levels, dtype=np.int16).reshape([-1] + [1] * (len(self.shape) - 1 - j))
        order = np.argsort(-heights.ravel(), kind="stable")
        for nodes in np.split(order, np.flatnonzero(np.diff(heights.ravel()[order])) + 1):
            self._sweep_height(nodes)

    def _sweep_height(self, nodes: Int) -> None:
        """Count nodes of one height, which prove nothing about one another: lowest bounds first, in batches."""
        bounds = self.bounds[nodes]
        nodes = nodes[(bounds <= self._ceiling) & (bounds < np.inf)]
        nodes = nodes[np.argsort(self.bounds[nodes], kind="stable")]
        for first in range(0, len(nodes), BATCH):
            several = np.stack(np.unravel_index(nodes[first : first + BATCH], self.shape), axis=1)
            self._count([one for one in map(tuple, several.tolist()) if self._open(one)])

    def _count(self, nodes: Sequence[Levels]) -> None:
        """Count several nodes at once, then use their outcomes in order."""
        sources = [self.table.source_for(levels) for levels in nodes]
        calls = [(source, levels, self.k, self.limit) for source, levels in zip(sources, nodes, strict=True)]
        if sum(map(len, sources)) > THREADED:
            outcomes = threads.starmap(self.table.outcome, calls)
        else:
            outcomes = [self.table.outcome(*call) for call in calls]
        for outcome in outcomes:
            self._learn(outcome)

    def _learn(self, outcome: NodeOutcome) -> None:
        """Raise bounds by the outcome of a node, and note the node if it is the best so far."""
        levels, suppressed = outcome.levels, outcome.suppressed
        self.seen[levels] = np.inf
        if outcome.lost is None:
            self._raise(levels, np.ones(self.covered.shape), np.inf)
            return
        factors = self._factors(outcome.lost)
        self._raise(levels, factors, 1.0)
        loss = self._product(factors, levels)
        if self.keep is not None and loss <= self._ceiling:
            gone = np.flatnonzero(~self.released_rows(levels))
            loss, suppressed = self._product(self._factors(self.table.losses_of_rows(gone)), levels), len(gone)
        if suppressed > self.limit:
            return
        self.seen[levels] = loss
        rank = (round(loss, DIGITS), suppressed, sum(levels), levels)
        if self.best is None or rank < self.best:
            self.best = rank

    def released_rows(self, levels: Levels) -> Bool:
        """Tell for every row whether it is released at these levels."""
        if self.keep is None:
            return self.table.class_size_of_rows(levels) >= self.k
        rows, start = self.table.packed.group_rows(levels)
        kept = np.empty(self.table.rows, np.bool_)
        kept[rows] = np.repeat(self.keep(levels, rows, start), np.diff(start))
        return kept


def _below(levels: Levels) -> list[Levels]:
    """Return the nodes with one column one level down."""
    return [(*levels[:j], levels[j] - 1, *levels[j + 1 :]) for j in range(len(levels)) if levels[j]]
