"""K-means on item sets as sparse vectors (a weight for each item), none of them empty.

Up to DENSE_CLUSTERS clusters the centres are a dense table with one row per item, so that whole rows are added. With
more clusters most of the table would be zeros, and each item lists the centres it occurs in.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.common.counting_sort import positions_by_label
from icefire.kernels.types import Float, Int

DENSE_CLUSTERS = 200
DENSE_CELLS = 1 << 25
"""A dense table of centres is never larger than this."""


class SparseVectors(NamedTuple):
    """Subject u has weight[start[u]:start[u+1]] at items[start[u]:start[u+1]]."""

    start: Int
    items: NDArray[np.int32]
    weight: Float
    squares: Float
    """Squared length of every subject's vector."""
    goods: int


class Clustering(NamedTuple):
    """The cluster of every subject, and how similar the subjects are to their centres, in all."""

    labels: Int
    likeness: float


def sparse_vectors(start: Int, items: NDArray[np.int32], weight: Float, goods: int) -> SparseVectors:
    """Take weights as they are."""
    return SparseVectors(start, items, weight, np.add.reduceat(weight * weight, start[:-1]), goods)


def unit_vectors(start: Int, items: NDArray[np.int32], weight: Float, goods: int) -> SparseVectors:
    """Scale every subject's vector to length 1."""
    lengths = np.sqrt(np.add.reduceat(weight * weight, start[:-1]))
    return sparse_vectors(start, items, weight / np.repeat(lengths, np.diff(start)), goods)


def kmeans(vectors: SparseVectors, seeds: Int, rounds: int, jaccard: bool) -> Clustering:
    """Start from the subjects `seeds` as centres and go on until nothing changes, at most so many rounds.

    Similarity is the cosine (of normalised vectors), or Jaccard's for vectors: x·m / (x·x + m·m − x·m). Equal
    similarity: the lowest cluster. A cluster that lost all its subjects gets the subject least like its own centre, so
    that none is ever empty.
    """
    labels = np.full(len(vectors.start) - 1, -1, np.int64)
    labels[seeds] = np.arange(len(seeds))
    likeness = np.zeros(len(labels))
    for _ in range(rounds):
        found = _nearest(vectors, labels, len(seeds), jaccard, likeness)
        _refill(found, likeness, len(seeds))
        if np.array_equal(found, labels):
            break
        labels = found
    return Clustering(labels, float(likeness.sum()))


def _nearest(vectors: SparseVectors, labels: Int, c: int, jaccard: bool, likeness: Float) -> Int:
    """Assign every subject to the nearest of the present clusters' centres."""
    start, items, weight, squares, goods = vectors
    found = np.empty_like(labels)
    dense = c <= DENSE_CLUSTERS and c * goods <= DENSE_CELLS
    *centres, lengths = (_dense_centres if dense else _listed_centres)(start, items, weight, labels, c, goods)
    scale = lengths if jaccard else 1 / np.sqrt(lengths)
    fixed = (start, items, weight, squares, *centres, scale, jaccard, found, likeness)
    threads.starmap(
        _assign_dense if dense else _assign_listed, [(*fixed, *part) for part in threads.spans(len(found), 64)]
    )
    return found


@numba.njit(nogil=True, cache=True)
def _dense_centres(start, items, weight, labels, c, goods) -> Any:  # type: ignore[no-untyped-def]
    """Means of the clusters, one line per item, and their squared lengths."""
    table, sizes, lengths = np.zeros((goods, c)), np.diff(positions_by_label(labels, c)[0]), np.zeros(c)
    for u in range(labels.size):
        x = labels[u]
        if x >= 0:
            for p in range(start[u], start[u + 1]):
                table[items[p], x] += weight[p] / sizes[x]
    for g in range(goods):
        for x in range(c):
            lengths[x] += table[g, x] * table[g, x]
    return table, lengths


@numba.njit(nogil=True, cache=True)
def _listed_centres(start, items, weight, labels, c, goods) -> Any:  # type: ignore[no-untyped-def]
    """Means of the clusters by item: item g occurs in owner[first[g]:first[g+1]], ascending, with these values."""
    begin, members = positions_by_label(labels, c)
    cell_item, cell_owner = np.empty(items.size, np.int32), np.empty(items.size, np.int32)
    cell_value, lengths = np.zeros(items.size), np.zeros(c)
    cell_of, count = np.full(goods, -1, np.int64), 0
    for x in range(c):
        begun = count
        for u in members[begin[x] : begin[x + 1]]:
            for p in range(start[u], start[u + 1]):
                if cell_of[items[p]] < begun:
                    cell_of[items[p]] = count
                    cell_item[count], cell_owner[count] = items[p], x
                    count += 1
                cell_value[cell_of[items[p]]] += weight[p] / (begin[x + 1] - begin[x])
        for cell in range(begun, count):
            lengths[x] += cell_value[cell] * cell_value[cell]
    first, order = positions_by_label(cell_item[:count], goods)
    return first, cell_owner[order], cell_value[order], lengths


@numba.njit(nogil=True, cache=True)
def _choose(dots, square, scale, jaccard) -> Any:  # type: ignore[no-untyped-def]
    """The most similar centre, the first of equals, and how similar it is."""
    best, chosen = -1.0, 0
    for x in range(dots.size):
        similar = dots[x] / (square + scale[x] - dots[x]) if jaccard else dots[x] * scale[x]
        if similar > best:
            best, chosen = similar, x
    return chosen, best


@numba.njit(nogil=True, cache=True)
def _assign_dense(  # type: ignore[no-untyped-def]
    start, items, weight, squares, table, scale, jaccard, found, likeness, low, high
) -> Any:
    dots = np.empty(scale.size)
    for u in range(low, high):
        dots[:] = 0.0
        for p in range(start[u], start[u + 1]):
            line = table[items[p]]
            for x in range(dots.size):
                dots[x] += weight[p] * line[x]
        found[u], likeness[u] = _choose(dots, squares[u], scale, jaccard)


@numba.njit(nogil=True, cache=True)
def _assign_listed(  # type: ignore[no-untyped-def]
    start, items, weight, squares, first, owner, value, scale, jaccard, found, likeness, low, high
) -> Any:
    dots = np.empty(scale.size)
    for u in range(low, high):
        dots[:] = 0.0
        for p in range(start[u], start[u + 1]):
            for q in range(first[items[p]], first[items[p] + 1]):
                dots[owner[q]] += weight[p] * value[q]
        found[u], likeness[u] = _choose(dots, squares[u], scale, jaccard)


@numba.njit(nogil=True, cache=True)
def _refill(labels, likeness, c) -> Any:  # type: ignore[no-untyped-def]
    """Give every empty cluster the subject least like its own centre, from a cluster that has others."""
    sizes = np.diff(positions_by_label(labels, c)[0])
    if sizes.min() > 0:
        return
    order, turn = np.argsort(likeness, kind="mergesort"), 0
    for x in range(c):
        while sizes[x] == 0:
            u = order[turn]
            turn += 1
            if sizes[labels[u]] > 1:
                sizes[labels[u]] -= 1
                labels[u], sizes[x], likeness[u] = x, 1, 1.0
