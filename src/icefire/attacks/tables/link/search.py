"""Candidates of released rows: all pairs in small tables, a search through trees of the original rows in large ones.

The search has several passes. The first compares every released row with few original rows, those that agree with it in
the columns that tell most. Rows for which nothing was found that stands out from chance get more: a longer search, and
searches through trees of the numbers alone and of all other columns, since methods often change the one or the other.
So get rows whose best candidate is a better one of another row, and the rows that are farthest from a perfect match.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from icefire.core import blocks
from icefire.core.blocks import Blocks, EncodedColumn
from icefire.kernels.linkage import best_candidates, tree_search
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.linkage.row_tree import RowTree
from icefire.kernels.linkage.tree_search import ScoreTables, SearchTree
from icefire.kernels.types import Bool, Float, Float32, Int, Int32

PAIRS = 100_000_000
"""Up to so many pairs all are scored."""
FEW = 100
"""So few released rows are compared with all original rows: trees would not pay."""
SAMPLED = 256
"""Released rows that decide how trees are built."""
FIRST = 1000
"""Original rows that every released row is compared with in the first pass."""
FURTHER, COMPARED = 2000, 600_000_000
"""Original rows per released row in all further passes on average, at least; comparisons of a whole release in all of
them, at least."""
MOST = 32_000
"""Most original rows per released row in one pass."""
PIECE = 2_000_000
"""Original rows of one tree; more are searched in pieces."""
HARDEST = 0.1
"""Share of the released rows that get further passes in any case."""
STANDS_OUT = 8.0
"""A score this far above the log of the number of rows is no chance, even where columns depend on one another."""


def equal_rows(y_rows: Int32) -> Blocks:
    """Return the groups of released rows with the same levels in all columns."""
    codes = [EncodedColumn(levels, 0, int(levels.max()) + 1) for levels in y_rows.T]
    return blocks.blocks_of_columns(codes, len(y_rows), 0)


@dataclass(frozen=True)
class CandidateSearch:
    """The tables of the columns that say something, ready to search original rows by them."""

    ratios: Sequence[Float]
    """Released levels or classes × original levels."""
    x_shares: Sequence[Float]
    """Frequency of the original levels."""
    x_levels: np.ndarray
    """Columns × original rows (uint16)."""
    numeric: Bool
    """Which columns are numbers."""
    y_sample: Int32
    """Some rows of the release: the row of each table. They decide how trees are built."""
    different: int
    """How many different rows the release has. They share the comparisons; others get as many each as they do."""
    first: int = 0
    """Number of the first original row, where they are a piece of all."""
    row_trees: dict[tuple[int, bytes], RowTree] = field(default_factory=dict, compare=False)
    """Trees built so far, by their first row and the columns that divide them."""

    def with_ratios(self, ratios: Sequence[Float]) -> CandidateSearch:
        """Return the same search by other tables; trees stay, since any tree of the rows serves any tables."""
        return replace(self, ratios=ratios)

    def part(self, places: Int) -> CandidateSearch:
        """Return the search by some of the columns."""
        ratios, shares = [self.ratios[place] for place in places], [self.x_shares[place] for place in places]
        numeric, sample = self.numeric[places], self.y_sample[:, places]
        return CandidateSearch(ratios, shares, self.x_levels[places], numeric, sample, self.different)

    def is_large(self, released: int) -> bool:
        """Tell whether scoring all pairs would take long."""
        return released > FEW and int(self.x_levels.shape[1]) * released > PAIRS

    def candidates(self, y_rows: Int32, keep: int) -> CandidateLists:
        """Return the best original rows of released rows.

        Args:
            y_rows: Released rows × columns: the row of each table.
            keep: How many are kept for each.
        """
        keep = min(keep, int(self.x_levels.shape[1]))
        if not self.is_large(len(y_rows)) or not len(self.ratios):
            return self._of_all_pairs(y_rows, keep)
        groups = equal_rows(y_rows)
        if groups.count == len(y_rows):
            return self.by_trees(y_rows, keep)
        lists, labels = self.by_trees(y_rows[groups.x_rows[groups.x_start[:-1]]], keep), groups.x_labels
        return lists.part(labels)

    def _of_all_pairs(self, y_rows: Int32, keep: int) -> CandidateLists:
        tables = [np.log(table).astype(np.float32).ravel() for table in self.ratios]
        base = np.cumsum([0] + [len(table) for table in tables])[:-1].astype(np.int64)
        widths = np.array([table.shape[1] for table in self.ratios], np.int64)
        flat = np.concatenate(tables) if tables else np.zeros(1, np.float32)
        return best_candidates.best_candidates(flat, base, y_rows, widths, self.x_levels, keep)

    def by_trees(self, y_rows: Int32, keep: int) -> CandidateLists:
        """Return the best original rows of released rows by searches through trees, as in large tables."""
        originals = self.x_levels.shape[1]
        if originals > PIECE:
            pieces = [self._piece(first) for first in range(0, originals, PIECE)]
            return merged_pieces((piece.by_trees(y_rows, keep), piece.first) for piece in pieces)
        lists = tree_search.no_candidates(len(y_rows), keep)
        whole = self._tree(np.ones_like(self.numeric))
        tree_search.search(whole, y_rows, np.arange(len(y_rows)), FIRST, lists)
        parts = [part for part in (self.numeric, ~self.numeric) if part.any() and not part.all()]
        highest = tree_search.highest_scores(self._tables, y_rows)
        further = max(FURTHER, COMPARED // self.different) // (1 + len(parts))
        for turn in range(1 + len(parts)):
            unsettled = np.flatnonzero(self._is_unsettled(lists, highest))
            budget = further * len(y_rows) // len(unsettled)
            tree = whole if turn == len(parts) else self._tree(parts[turn])
            tree_search.search(tree, y_rows, unsettled, min(MOST, budget), lists)
        return lists

    def _piece(self, first: int) -> CandidateSearch:
        """Return the search through some of the original rows."""
        return replace(self, x_levels=self.x_levels[:, first : first + PIECE], first=first)

    @cached_property
    def _tables(self) -> ScoreTables:
        return tree_search.score_tables(self.ratios, list(self.x_shares), self.x_levels, self.y_sample)

    def _tree(self, dividing: Bool) -> SearchTree:
        """Return the tree whose nodes are divided by some columns, built once."""
        key = self.first, dividing.tobytes()
        tree = tree_search.search_tree(self._tables, dividing, self.row_trees.get(key))
        self.row_trees[key] = tree.rows
        return tree

    def _is_unsettled(self, lists: CandidateLists, highest: Float32) -> Bool:
        """Tell which released rows have a best candidate that may be chance or that suits another row better.

        So have the rows that are farthest from the highest score they could reach.
        """
        originals = self.x_levels.shape[1]
        first, score = lists.rows[:, 0], lists.scores[:, 0]
        claimed = np.full(originals, -np.inf, np.float32)
        np.maximum.at(claimed, first, score)
        missing = highest - score
        far = missing >= np.quantile(missing, 1 - HARDEST)
        unsettled: Bool = far | (score < np.log(originals) + STANDS_OUT) | (score < claimed[first])
        return unsettled


def merged_pieces(lists_of_pieces: Iterable[tuple[CandidateLists, int]]) -> CandidateLists:
    """Return the best candidates of several pieces of the original rows; equal scores by ascending row.

    Args:
        lists_of_pieces: Candidates in each piece, and the number of its first row.
    """
    best: CandidateLists | None = None
    for lists, first in lists_of_pieces:
        numbered = lists._replace(rows=np.where(lists.rows >= 0, lists.rows + np.int32(first), np.int32(-1)))
        best = numbered if best is None else _merged(best, numbered)
    assert best is not None
    return best


def _merged(one: CandidateLists, other: CandidateLists) -> CandidateLists:
    keep = one.rows.shape[1]
    rows, scores = np.concatenate([one.rows, other.rows], axis=1), np.concatenate([one.scores, other.scores], axis=1)
    # Rows of later pieces are higher, and the sort is stable.
    order = np.argsort(-scores, axis=1, kind="stable")
    rows, scores = np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1)
    rest = np.logaddexp(one.rest, other.rest)
    if scores.shape[1] > keep:
        rest = np.logaddexp(rest, np.logaddexp.reduce(scores[:, keep:], axis=1))
    return CandidateLists(rows[:, :keep].copy(), scores[:, :keep].copy(), rest.astype(np.float32))
