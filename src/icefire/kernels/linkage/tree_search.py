"""The best original rows of every released row by a search through a tree of the original rows.

Nodes are visited in the order of the highest score that a row in them can have. The search ends when no node can hold
a better row than those kept, and then nothing was missed, or when it has compared as many rows as it may.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.linkage.best_candidates import ROOT, CandidateLists, sink, sorted_out
from icefire.kernels.linkage.level_trees import LevelTrees, Peaks, level_trees, peaks
from icefire.kernels.linkage.row_tree import RowTree, expected_visits, row_tree
from icefire.kernels.types import Bool, Float, Float32, Int, Int32

SAMPLE = 512
"""Original rows that stand for all that are not kept."""
ROUNDING = 1e-3
"""Bounds are sums of float32 numbers: they are trusted up to this."""
BEHIND = 20.0
"""Rows whose score is lower than the best by more than this are not worth finding."""


class ScoreTables(NamedTuple):
    """The tables of all columns with the trees of their levels, and the original rows."""

    trees: LevelTrees
    peaks: Peaks
    visits: list[Float]
    """See `expected_visits`."""
    x_rows: np.ndarray
    """Levels of the original rows: rows × columns (uint16)."""
    telling: Int
    """Columns, those in which most rows fall far behind first."""


class SearchTree(NamedTuple):
    """A tree of the original rows with the tables to search it by."""

    tables: ScoreTables
    rows: RowTree
    x_rows: np.ndarray
    """Levels of the original rows in the order of the leaves: rows × columns (uint16)."""


def score_tables(ratios: Sequence[Float], x_shares: list[Float], x_levels: np.ndarray, y_sample: Int32) -> ScoreTables:
    """Prepare the tables.

    Args:
        ratios: Table of each column: released × original levels, ratios to chance.
        x_shares: Frequency of the original levels of each column.
        x_levels: Columns × original rows (uint16).
        y_sample: Some released rows: the row of each table.
    """
    trees = level_trees(x_shares)
    highest = peaks(trees, ratios)
    visits = expected_visits(trees, highest, y_sample)
    left = [share @ of_nodes[: len(share)] / of_nodes.max() for share, of_nodes in zip(x_shares, visits, strict=True)]
    return ScoreTables(trees, highest, visits, np.ascontiguousarray(x_levels.T), np.argsort(left, kind="stable"))


def search_tree(tables: ScoreTables, dividing: Bool, rows: RowTree | None = None) -> SearchTree:
    """Build a tree of the original rows, to be searched by the scores of all columns.

    Args:
        tables: The tables.
        dividing: The columns that divide its nodes.
        rows: The tree, if one was built before, whatever the tables were then.
    """
    if rows is None:
        rows = row_tree(tables.trees, tables.visits, tables.x_rows, dividing)
    return SearchTree(tables, rows, tables.x_rows[rows.order])


def highest_scores(tables: ScoreTables, y_rows: Int32) -> Float32:
    """Return the highest score that any combination of original levels has with each released row."""
    total = np.zeros(len(y_rows), np.float32)
    for c, root in enumerate(tables.trees.roots):
        total += tables.peaks.entries[tables.peaks.base[c] + y_rows[:, c] * tables.trees.nodes[c] + root]
    return total


def no_candidates(released: int, keep: int) -> CandidateLists:
    """Return empty lists of candidates."""
    rows, scores = np.full((released, keep), -1, np.int32), np.full((released, keep), -np.inf, np.float32)
    return CandidateLists(rows, scores, np.full(released, -np.inf, np.float32))


def search(tree: SearchTree, y_rows: Int32, some: Int, budget: int, lists: CandidateLists) -> None:
    """Add the best original rows of some released rows to their lists.

    The lists hold the best of all that was compared so far, equal scores by ascending row. The weight of all other
    rows is estimated from a sample of the original rows.

    Args:
        tree: See `search_tree`.
        y_rows: Released rows × columns: the row of each table.
        some: The released rows to search for.
        budget: How many original rows are compared with a released row at most, up to one leaf more.
        lists: The lists, changed in place.
    """
    n = len(tree.x_rows)
    sample = np.unique(np.linspace(0, n - 1, SAMPLE).astype(np.int64))
    trees, highest = tree.tables.trees, tree.tables.peaks
    fixed = (*highest, trees.nodes, trees.roots, *tree.rows, tree.x_rows, tree.tables.telling, sample, y_rows, some)
    threads.starmap(_search, [(*fixed, budget, *lists, a, b) for a, b in threads.spans(len(some), 64, 256)])


@njit(nogil=True, cache=True)
def _search(  # type: ignore[no-untyped-def]
    entries, base, nodes, roots, order, first, last, child, column, inside, x_rows, telling, sample,
    y_rows, some, budget, rows, scores, rest, start, stop,
):  # fmt: skip
    columns = nodes.size
    kept = rows.shape[1]
    heap_score, heap_row = np.empty(kept), np.empty(kept, np.int64)
    open_bound, open_node = np.empty(child.size, np.float32), np.empty(child.size, np.int32)
    offset, highest = np.empty(columns, np.int64), np.empty(columns, np.float32)
    for at in range(start, stop):
        j = some[at]
        bound = np.float32(0.0)
        for c in range(columns):
            offset[c] = base[c] + y_rows[j, c] * nodes[c]
            bound += entries[offset[c] + roots[c]]
        size = _heap(rows[j], scores[j], heap_score, heap_row)
        limit = _limit(scores[j, 0], heap_score, size)
        compared, opened = 0, 1
        open_bound[0], open_node[0] = bound, 0
        while opened > 0 and compared < budget:
            bound, node = open_bound[0], open_node[0]
            if bound < limit:
                break
            opened -= 1
            _down(open_bound, open_node, opened, open_bound[opened], open_node[opened])
            while child[node] >= 0:
                c, near = column[node], child[node]
                here = entries[offset[c] + inside[node, c]]
                one = bound + (entries[offset[c] + inside[near, c]] - here)
                two = bound + (entries[offset[c] + inside[near + 1, c]] - here)
                far, worse = near + 1, two
                if two > one:
                    near, far, worse, one = near + 1, near, one, two
                if worse >= limit:
                    _up(open_bound, open_node, opened, worse, far)
                    opened += 1
                node, bound = near, one
            for c in range(columns):
                highest[c] = entries[offset[c] + inside[node, c]]
            compared += last[node] - first[node]
            for i in range(first[node], last[node]):
                reach = bound
                for c in telling:
                    reach += entries[offset[c] + x_rows[i, c]] - highest[c]
                    if reach < limit:
                        break
                if reach < limit:
                    continue
                score = _score(entries, offset, x_rows[i])
                size = _enter(heap_score, heap_row, size, score, order[i])
                limit = max(limit, _limit(score, heap_score, size))
        sorted_out(heap_score, heap_row, size, rows[j], scores[j])
        rest[j] = _others(entries, offset, x_rows, order, sample, rows[j], scores[j], size)


@njit(nogil=True, cache=True)
def _heap(rows, scores, heap_score, heap_row):  # type: ignore[no-untyped-def]
    """Make a heap of the candidates listed so far; returns their number."""
    size = 0
    while size < rows.size and rows[size] >= 0:
        heap_score[size], heap_row[size] = scores[size], rows[size]
        size += 1
    if size == rows.size:
        for at in range(size // 2 - 1, -1, -1):
            sink(heap_score, heap_row, at, size)
    return size


@njit(nogil=True, cache=True)
def _limit(score, heap_score, size):  # type: ignore[no-untyped-def]
    """Return the lowest score worth finding when one candidate has the given score."""
    if size == heap_score.size:
        return np.float32(max(score - BEHIND, heap_score[0] - ROUNDING))
    return np.float32(score - BEHIND)


@njit(nogil=True, cache=True)
def _score(entries, offset, levels):  # type: ignore[no-untyped-def]
    score = np.float32(0.0)
    for c in range(offset.size):
        score += entries[offset[c] + levels[c]]
    return score


@njit(nogil=True, cache=True)
def _enter(heap_score, heap_row, size, score, row):  # type: ignore[no-untyped-def]
    """Put a row into the heap if it is better than the worst and not there yet; returns the size."""
    kept = heap_row.size
    if size == kept and (score < heap_score[0] or (score == heap_score[0] and row >= heap_row[0])):
        return size
    for at in range(size):
        if heap_row[at] == row:
            return size
    if size < kept:
        heap_score[size], heap_row[size] = score, row
        size += 1
        if size == kept:
            for at in range(kept // 2 - 1, -1, -1):
                sink(heap_score, heap_row, at, kept)
    else:
        heap_score[0], heap_row[0] = score, row
        sink(heap_score, heap_row, ROOT, kept)
    return size


@njit(nogil=True, cache=True)
def _others(entries, offset, x_rows, order, sample, rows, scores, size):  # type: ignore[no-untyped-def]
    """Return the log of the summed weight of all rows that are not kept, estimated from sampled rows."""
    if size == 0 or x_rows.shape[0] <= size:
        return -np.inf
    best = scores[0]
    worst = scores[size - 1] if size == scores.size else best - BEHIND
    mass = 0.0
    for i in sample:
        score = _score(entries, offset, x_rows[i])
        listed = False
        if score >= worst:
            for at in range(size):
                listed |= rows[at] == order[i]
        if not listed:
            mass += np.exp(min(score, worst) - best)
    if mass == 0.0:
        return -np.inf
    return best + np.log(mass * (x_rows.shape[0] - size) / sample.size)


@njit(nogil=True, cache=True)
def _up(bounds, nodes, at, bound, node):  # type: ignore[no-untyped-def]
    """Put a node into the heap whose highest bound is first; of equal bounds the lower node is first."""
    while at > 0:
        parent = (at - 1) // 2
        if bounds[parent] > bound or (bounds[parent] == bound and nodes[parent] < node):
            break
        bounds[at], nodes[at] = bounds[parent], nodes[parent]
        at = parent
    bounds[at], nodes[at] = bound, node


@njit(nogil=True, cache=True)
def _down(bounds, nodes, size, bound, node):  # type: ignore[no-untyped-def]
    """Put a node in the place of the first one of a heap."""
    at = 0
    while 2 * at + 1 < size:
        next_one = 2 * at + 1
        other = next_one + 1
        if other < size and (
            bounds[other] > bounds[next_one] or (bounds[other] == bounds[next_one] and nodes[other] < nodes[next_one])
        ):
            next_one = other
        if bound > bounds[next_one] or (bound == bounds[next_one] and node < nodes[next_one]):
            break
        bounds[at], nodes[at] = bounds[next_one], nodes[next_one]
        at = next_one
    bounds[at], nodes[at] = bound, node
