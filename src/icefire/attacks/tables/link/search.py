"""Candidates of released rows: all pairs in small tables, a search through trees of the original rows in large ones.

The search has several passes. The first compares every released row with few original rows, those that agree with it in
the columns that tell most. Rows for which nothing was found that stands out from chance get more: a longer search, and
searches through trees of the numbers alone and of all other columns, since methods often change the one or the other.
So get rows whose best candidate is a better one of another row, and the rows that are farthest from a perfect match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.core import blocks
from icefire.core.blocks import EncodedColumn
from icefire.kernels.linkage import best_candidates, tree_search
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.types import Bool, Float, Float32, Int32

PAIRS = 100_000_000
"""Up to so many pairs all are scored."""
FEW = 2000
"""Fewer released rows than this count as so many."""
SAMPLED = 256
"""Released rows that decide how trees are built."""
FIRST = 1000
"""Original rows that every released row is compared with in the first pass."""
FURTHER, COMPARED = 2000, 600_000_000
"""Original rows per released row in all further passes on average, at least; comparisons in all of them, at least."""
MOST = 32_000
"""Most original rows per released row in one pass."""
HARDEST = 0.1
"""Share of the released rows that get further passes in any case."""
STANDS_OUT = 8.0
"""A score this far above the log of the number of rows is no chance, even where columns depend on one another."""


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

    def is_large(self, released: int) -> bool:
        """Tell whether scoring all pairs would take long."""
        return int(self.x_levels.shape[1]) * max(released, FEW) > PAIRS

    def candidates(self, y_rows: Int32, keep: int) -> CandidateLists:
        """Return the best original rows of released rows.

        Args:
            y_rows: Released rows × columns: the row of each table.
            keep: How many are kept for each.
        """
        keep = min(keep, int(self.x_levels.shape[1]))
        if not self.is_large(len(y_rows)) or not len(self.ratios):
            return self._of_all_pairs(y_rows, keep)
        codes = [EncodedColumn(levels, 0, int(levels.max()) + 1) for levels in y_rows.T]
        groups = blocks.blocks_of_columns(codes, len(y_rows), 0)
        if groups.count == len(y_rows):
            return self._by_trees(y_rows, keep)
        lists, labels = self._by_trees(y_rows[groups.x_rows[groups.x_start[:-1]]], keep), groups.x_labels
        return CandidateLists(lists.rows[labels], lists.scores[labels], lists.rest[labels])

    def _of_all_pairs(self, y_rows: Int32, keep: int) -> CandidateLists:
        tables = [np.log(table).astype(np.float32).ravel() for table in self.ratios]
        base = np.cumsum([0] + [len(table) for table in tables])[:-1].astype(np.int64)
        widths = np.array([table.shape[1] for table in self.ratios], np.int64)
        flat = np.concatenate(tables) if tables else np.zeros(1, np.float32)
        return best_candidates.best_candidates(flat, base, y_rows, widths, self.x_levels, keep)

    def _by_trees(self, y_rows: Int32, keep: int) -> CandidateLists:
        sample = y_rows[:: max(1, len(y_rows) // SAMPLED)]
        tables = tree_search.score_tables(self.ratios, list(self.x_shares), self.x_levels, sample)
        lists = tree_search.no_candidates(len(y_rows), keep)
        whole = tree_search.search_tree(tables, np.ones_like(self.numeric))
        tree_search.search(whole, y_rows, np.arange(len(y_rows)), FIRST, lists)
        parts = [part for part in (self.numeric, ~self.numeric) if part.any() and not part.all()]
        highest = tree_search.highest_scores(tables, y_rows)
        for turn in range(1 + len(parts)):
            unsettled = np.flatnonzero(self._is_unsettled(lists, highest))
            budget = max(FURTHER * len(y_rows), COMPARED) // (1 + len(parts)) // len(unsettled)
            tree = whole if turn == len(parts) else tree_search.search_tree(tables, parts[turn])
            tree_search.search(tree, y_rows, unsettled, min(MOST, budget), lists)
        return lists

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
