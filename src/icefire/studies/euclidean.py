"""K-means as it comes out of the box, on rows of zeros and ones with Euclidean distances.

No method of ours: it puts most customers into one cluster, as P1 describes of its simple method, and so tells what the
paper's baseline was. Small sets lie near one another for being small, whatever is in them.
"""

from __future__ import annotations

import numpy as np

from icefire.core.history import Baskets
from icefire.kernels.types import Float, Int

ROUNDS = 100
TOGETHER = 1_024
"""Customers whose goods are laid out at once."""


def labels(held: Baskets, clusters: int, rng: np.random.Generator) -> Int:
    """Start from random customers as centres; clusters that end empty are left out, and those without goods are -1."""
    taking_part = np.flatnonzero(held.sizes)
    start = rng.permutation(taking_part)[:clusters]
    centres, found = _laid_out(held, start), np.full(held.subjects, -1)
    for _ in range(ROUNDS):
        nearest = np.where(held.sizes > 0, _nearest(held, centres), -1)
        if np.array_equal(nearest, found):
            break
        found, centres = nearest, _means(held, nearest, centres)
    return np.unique(found, return_inverse=True)[1] - int((found < 0).any())


def _nearest(held: Baskets, centres: Float) -> Int:
    """The nearest centre of every customer; the size of his own set is the same for all and left out."""
    lengths = np.square(centres).sum(axis=1)
    parts = [np.arange(low, min(low + TOGETHER, held.subjects)) for low in range(0, held.subjects, TOGETHER)]
    return np.concatenate([np.argmin(lengths - 2 * _laid_out(held, part) @ centres.T, axis=1) for part in parts])


def _means(held: Baskets, found: Int, before: Float) -> Float:
    """The centre of every cluster; an empty one stays where it was."""
    sizes = np.bincount(found[found >= 0], minlength=len(before))
    cells = found[held.owners] * held.goods + held.items
    sums = np.bincount(cells, minlength=before.size).reshape(before.shape)
    return np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], before)


def _laid_out(held: Baskets, customers: Int) -> Float:
    """Zeros and ones: a row for each of these customers, a column for each good."""
    table = np.zeros((len(customers), held.goods))
    for row, customer in enumerate(customers):
        table[row, held.items[held.start[customer] : held.start[customer + 1]]] = 1
    return table
