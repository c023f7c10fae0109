"""Lower bounds of the loss of every node of the lattice, raised by what a counted node proves about those below it."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def raise_bounds(bounds, top, strides, factors, value):  # type: ignore[no-untyped-def]
    """Raise the bound of every node at or below `top` to the product of its factors, or to `value` if that is more.

    Products are taken column by column from the first, so that equal nodes get equal ones.

    Args:
        bounds: One number per node of the lattice, mixed radix, last column fastest; changed in place.
        top: One level per column.
        strides: Distance of two nodes that differ by one level of a column.
        factors: columns × levels: what each column contributes at each level.
        value: Least bound.
    """
    m = len(top)
    level = np.zeros(m, np.int64)
    product = np.ones(m + 1)
    for j in range(m):
        product[j + 1] = product[j] * factors[j, 0]
    node = 0
    while True:
        bounds[node] = max(bounds[node], max(product[m], value))
        j = m - 1
        while j >= 0 and level[j] == top[j]:
            node -= level[j] * strides[j]
            level[j] = 0
            j -= 1
        if j < 0:
            return
        level[j] += 1
        node += strides[j]
        for i in range(j, m):
            product[i + 1] = product[i] * factors[i, level[i]]
