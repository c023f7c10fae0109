"""Plain k-means on rows of zeros and ones with Euclidean distances.

It puts most customers into one cluster, as P1 describes of its simple method, and so shows what the paper's baseline
was: small sets lie near one another because they are small, whatever is in them.
"""

from __future__ import annotations

import numpy as np

from icefire.core.history import Baskets
from icefire.kernels.types import Float, Int

ROUNDS = 100
TOGETHER = 1_024
"""Customers whose goods are laid out at once."""


def labels(baskets: Baskets, clusters: int, rng: np.random.Generator) -> Int:
    """Start from random customers as centres; clusters that end empty are left out, and those without goods are -1."""
    taking_part = np.flatnonzero(baskets.sizes)
    start = rng.permutation(taking_part)[:clusters]
    centres, assigned = _laid_out(baskets, start), np.full(baskets.subjects, -1)
    for _ in range(ROUNDS):
        nearest = np.where(baskets.sizes > 0, _nearest(baskets, centres), -1)
        if np.array_equal(nearest, assigned):
            break
        assigned, centres = nearest, _means(baskets, nearest, centres)
    return np.unique(assigned, return_inverse=True)[1] - int((assigned < 0).any())


def _nearest(baskets: Baskets, centres: Float) -> Int:
    """The nearest centre of every customer; the size of his own set is the same for all and left out."""
    lengths = np.square(centres).sum(axis=1)
    parts = [np.arange(low, min(low + TOGETHER, baskets.subjects)) for low in range(0, baskets.subjects, TOGETHER)]
    return np.concatenate([np.argmin(lengths - 2 * _laid_out(baskets, part) @ centres.T, axis=1) for part in parts])


def _means(baskets: Baskets, assigned: Int, before: Float) -> Float:
    """The centre of every cluster; an empty one stays where it was."""
    sizes = np.bincount(assigned[assigned >= 0], minlength=len(before))
    cells = assigned[baskets.owners] * baskets.goods + baskets.items
    sums = np.bincount(cells, minlength=before.size).reshape(before.shape)
    return np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], before)


def _laid_out(baskets: Baskets, customers: Int) -> Float:
    """Zeros and ones: a row for each of these customers, a column for each good."""
    table = np.zeros((len(customers), baskets.goods))
    for row, customer in enumerate(customers):
        table[row, baskets.items[baskets.start[customer] : baskets.start[customer + 1]]] = 1
    return table
