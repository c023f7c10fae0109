"""Nearest rows by squared Euclidean distance, everywhere or inside blocks; ties go to the lowest row.

Distances are summed over the columns in order, in double precision, and compared exactly. Blocks are four arrays:
block b holds the rows x_rows[x_start[b]:x_start[b + 1]] of X, ascending, and y_rows likewise of Y.
"""

from __future__ import annotations

import numba
import numpy as np

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.common.ranges import offsets
from icefire.kernels.neighbours.kd_search import search_forest
from icefire.kernels.neighbours.kd_trees import KDForest, build_forest
from icefire.kernels.neighbours.median_splits import median_split_order
from icefire.kernels.neighbours.scan import scan_blocks, scan_by_numpy, squared_distance
from icefire.kernels.types import Bool, Float, Int

SCAN_CANDIDATES = 512  # up to so many candidates in a block are scanned
SCAN_TARGETS = 16  # for so few targets candidates are scanned: building a tree would take longer
TASKS = 64  # most tasks for the threads
TASK = 1 << 15  # least cost of a task, in candidates
QUERY_BITS = 5  # targets are sorted into groups of some 32 near ones


def nearest_in_blocks(x: Float, y: Float, x_rows: Int, x_start: Int, y_rows: Int, y_start: Int) -> Int:
    """Return for each row of y the nearest row of x in its block, -1 without a candidate or a block.

    Small blocks are scanned, for large ones kd-trees are built; the result is the same.

    Args:
        x: Candidates, rows × columns.
        y: Targets, rows × columns.
        x_rows: Block b holds the candidates x_rows[x_start[b]:x_start[b + 1]], ascending.
        x_start: See `x_rows`.
        y_rows: Block b holds the targets y_rows[y_start[b]:y_start[b + 1]].
        y_start: See `y_rows`.

    Returns:
        One row of x for each row of y; of equally near ones the lowest.
    """
    x, y = _contiguous(x), _contiguous(y)
    nearest = np.full(len(y), -1, np.int64)
    candidates, targets = np.diff(x_start), np.diff(y_start)
    large = (candidates > SCAN_CANDIDATES) & (targets > SCAN_TARGETS)
    common = (x, y, x_rows, x_start, y_rows, y_start, large, nearest)
    scan = compiled_if_worth(scan_blocks, int((candidates * targets).sum()) * x.shape[1], scan_by_numpy)
    threads.starmap(scan, [(*common, *part) for part in _even_parts(np.where(large, 0, candidates + 4), y_start)])
    if large.any():
        forest = build_forest(x, *_chosen_blocks(x_rows, x_start, large))
        _search_sorted(forest, y, *_chosen_blocks(y_rows, y_start, large), np.full(len(y), -1.0), nearest)
    return nearest


def nearest_rows(x: Float, y: Float, targets: Int | None = None) -> Int:
    """Return for each target (row of y; default: all) the nearest of all rows of x, -1 if x is empty.

    Both tables are rows × columns. Of equally near rows the lowest is taken.
    """
    y_rows = np.arange(len(y)) if targets is None else targets
    nearest = nearest_in_blocks(x, y, np.arange(len(x)), np.array([0, len(x)]), y_rows, np.array([0, len(y_rows)]))
    return nearest if targets is None else nearest[targets]


def nearer_exists(x: Float, y: Float, squared: Float) -> Bool:
    """Tell for each row of y whether any row of x is strictly nearer than the given squared distance."""
    if len(x) <= SCAN_CANDIDATES:
        return squared_distances(x, y, nearest_rows(x, y)) < squared
    nearer = np.full(len(y), -1, np.int64)
    asked = np.flatnonzero(squared > 0)
    if len(asked):
        forest = build_forest(_contiguous(x), np.arange(len(x)), np.array([0, len(x)]))
        _search_sorted(
            forest, _contiguous(y), asked, np.array([0, len(asked)]), np.ascontiguousarray(squared, np.float64), nearer
        )
    return nearer >= 0


def squared_distances(x: Float, y: Float, rows: Int) -> Float:
    """Return the squared distance of y[j] to x[rows[j]], infinite where rows[j] is -1."""
    squared = np.full(len(y), np.inf)
    write = compiled_if_worth(_squared_distances, y.size)
    threads.starmap(write, [(_contiguous(x), _contiguous(y), rows, squared, *span) for span in threads.spans(len(y))])
    return squared


@numba.njit(nogil=True, cache=True)
def _squared_distances(x, y, rows, squared, first, last):  # type: ignore[no-untyped-def]
    """Write the squared distances of targets first … last - 1."""
    for j in range(first, last):
        if rows[j] >= 0:
            squared[j] = squared_distance(x, rows[j], y, j)


def _search_sorted(forest: KDForest, y: Float, y_rows: Int, y_start: Int, bounds: Float, nearest: Int) -> None:
    """Search the trees for their rows of y, near ones one after another, so that the tree stays in the cache."""
    halvings = np.log2(np.maximum(np.diff(y_start) >> QUERY_BITS, 1)).astype(np.int64)
    order = median_split_order(y, y_rows, y_start, halvings)
    spans = threads.spans(len(order), 64)
    threads.starmap(search_forest, [(forest, y, order, y_start, bounds, nearest, *span) for span in spans])


def _contiguous(values: Float) -> Float:
    """Return a contiguous table; one without columns gets a column of zeros: all rows tie either way."""
    if values.shape[1] == 0:
        return np.zeros((len(values), 1))
    return np.ascontiguousarray(values, np.float64)


def _chosen_blocks(rows: Int, start: Int, chosen: Bool) -> tuple[Int, Int]:
    """Return the rows of the chosen blocks, and where each of them starts."""
    sizes = np.diff(start)
    return rows[np.repeat(chosen, sizes)], offsets(sizes[chosen])


def _even_parts(cost: Int, start: Int) -> list[tuple[int, int, int]]:
    """Cut the positions of all blocks into parts of equal cost: first block, first position, end.

    `cost` is what every position of a block costs.
    """
    ends = np.cumsum(cost * np.diff(start))
    total = int(ends[-1]) if len(ends) else 0
    pieces = min(TASKS, 1 + total // TASK)
    marks = total * np.arange(1, pieces) // pieces
    block = np.searchsorted(ends, marks)
    into = marks - (ends - cost * np.diff(start))[block]
    edges = np.concatenate([[0], start[block] + into // cost[block], start[-1:]])
    first_block = np.searchsorted(start, edges[:-1], side="right") - 1
    parts = zip(first_block.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    return [part for part in parts if part[1] < part[2]]
