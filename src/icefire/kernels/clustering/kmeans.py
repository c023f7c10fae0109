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
from icefire.kernels.types import Float, Int, Int32

DENSE_CLUSTERS = 200
DENSE_CELLS = 1 << 25
"""A dense table of centres is never larger than this."""


class SparseVectors(NamedTuple):
    """Subjects as vectors: subject u has weight[start[u]:start[u + 1]] at items[start[u]:start[u + 1]]."""

    start: Int
    items: Int32
    weight: Float
    squares: Float
    """Squared length of every subject's vector."""
    goods: int


class Centres(NamedTuple):
    """Means of clusters: a dense table with one row per item, or the centres in which each item occurs."""

    is_dense: bool
    tables: tuple[NDArray[Any], ...]
    lengths: Float
    """Squared length of every centre."""


class KMeansResult(NamedTuple):
    """The cluster of every subject, and the sum of the similarities of subjects to their centres."""

    labels: Int
    likeness: float


def sparse_vectors(start: Int, items: Int32, weight: Float, goods: int) -> SparseVectors:
    """Return vectors with these weights.

    Args:
        start: Subject u holds items[start[u]:start[u + 1]]; none is empty.
        items: See `start`.
        weight: One weight per item of a subject.
        goods: Number of items; all lie below it.
    """
    return SparseVectors(start, items, weight, np.add.reduceat(weight * weight, start[:-1]), goods)


def unit_vectors(start: Int, items: Int32, weight: Float, goods: int) -> SparseVectors:
    """Return vectors with these weights, scaled to length 1.

    Args:
        start: Subject u holds items[start[u]:start[u + 1]]; none is empty.
        items: See `start`.
        weight: One weight per item of a subject.
        goods: Number of items; all lie below it.
    """
    lengths = np.sqrt(np.add.reduceat(weight * weight, start[:-1]))
    return sparse_vectors(start, items, weight / np.repeat(lengths, np.diff(start)), goods)


def kmeans(vectors: SparseVectors, seeds: Int, rounds: int, jaccard: bool) -> KMeansResult:
    """Cluster subjects, starting from the subjects `seeds` as centres, until nothing changes.

    Ties go to the lowest cluster. A cluster that lost all its subjects gets the subject least similar to its own
    centre, so that none is ever empty.

    Args:
        vectors: The subjects.
        seeds: One subject per cluster.
        rounds: Rounds at most.
        jaccard: Use x·m / (x·x + m·m − x·m) for the similarity, instead of the cosine (of unit vectors).

    Returns:
        The clusters.
    """
    labels = np.full(len(vectors.start) - 1, -1, np.int64)
    labels[seeds] = np.arange(len(seeds))
    likeness = np.zeros(len(labels))
    for _ in range(rounds):
        nearest = _nearest(vectors, centres_of(vectors, labels, len(seeds)), jaccard, likeness)
        _refill(nearest, likeness, len(seeds))
        if np.array_equal(nearest, labels):
            break
        labels = nearest
    return KMeansResult(labels, float(likeness.sum()))


def centres_of(vectors: SparseVectors, labels: Int, c: int) -> Centres:
    """Return the means of clusters.

    Args:
        vectors: The subjects.
        labels: Cluster of each subject; negative: in no cluster. None is empty.
        c: Number of clusters.
    """
    is_dense = c <= DENSE_CLUSTERS and c * vectors.goods <= DENSE_CELLS
    means = _dense_centres if is_dense else _listed_centres
    *tables, lengths = means(vectors.start, vectors.items, vectors.weight, labels, c, vectors.goods)
    return Centres(is_dense, tuple(tables), lengths)


def nearest_centres(vectors: SparseVectors, centres: Centres) -> Int:
    """Return for every subject the centre that is most similar by cosine (ties: the first).

    Args:
        vectors: The subjects, of length 1; they need not be those that the centres are means of.
        centres: The centres, over the same items.
    """
    return _nearest(vectors, centres, False, np.zeros(len(vectors.start) - 1))


def _nearest(vectors: SparseVectors, centres: Centres, jaccard: bool, likeness: Float) -> Int:
    """Assign every subject to the most similar centre."""
    start, items, weight, squares, _ = vectors
    nearest = np.empty(len(start) - 1, np.int64)
    scale = centres.lengths if jaccard else 1 / np.sqrt(centres.lengths)
    fixed = (start, items, weight, squares, *centres.tables, scale, jaccard, nearest, likeness)
    assign = _assign_dense if centres.is_dense else _assign_listed
    threads.starmap(assign, [(*fixed, *part) for part in threads.spans(len(nearest), 64)])
    return nearest


@numba.njit(nogil=True, cache=True)
def _dense_centres(start, items, weight, labels, c, goods) -> Any:  # type: ignore[no-untyped-def]
    """Return the means of the clusters, one line per item, and their squared lengths."""
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
    """Return the means of the clusters by item: item g occurs in owner[first[g]:first[g + 1]], with these values."""
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
    """Return the most similar centre (ties: the first), and its similarity."""
    best, chosen = -1.0, 0
    for x in range(dots.size):
        similar = dots[x] / (square + scale[x] - dots[x]) if jaccard else dots[x] * scale[x]
        if similar > best:
            best, chosen = similar, x
    return chosen, best


@numba.njit(nogil=True, cache=True)
def _assign_dense(  # type: ignore[no-untyped-def]
    start, items, weight, squares, table, scale, jaccard, nearest, likeness, low, high
) -> Any:
    """Write the most similar centre of subjects low … high - 1, and the similarity, from a dense table."""
    dots = np.empty(scale.size)
    for u in range(low, high):
        dots[:] = 0.0
        for p in range(start[u], start[u + 1]):
            line = table[items[p]]
            for x in range(dots.size):
                dots[x] += weight[p] * line[x]
        nearest[u], likeness[u] = _choose(dots, squares[u], scale, jaccard)


@numba.njit(nogil=True, cache=True)
def _assign_listed(  # type: ignore[no-untyped-def]
    start, items, weight, squares, first, owner, value, scale, jaccard, nearest, likeness, low, high
) -> Any:
    """Write the most similar centre of subjects low … high - 1, and the similarity, from lists by item."""
    dots = np.empty(scale.size)
    for u in range(low, high):
        dots[:] = 0.0
        for p in range(start[u], start[u + 1]):
            for q in range(first[items[p]], first[items[p] + 1]):
                dots[owner[q]] += weight[p] * value[q]
        nearest[u], likeness[u] = _choose(dots, squares[u], scale, jaccard)


@numba.njit(nogil=True, cache=True)
def _refill(labels, likeness, c) -> Any:  # type: ignore[no-untyped-def]
    """Give every empty cluster the subject least similar to its own centre, from a cluster that has others."""
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
