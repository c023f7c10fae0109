"""How far a class is from the table where values form a tree: the hierarchical distance of t-closeness."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels import threads
from icefire.kernels.diversity import Codes, cuts

Int = NDArray[np.int64]
Float = NDArray[np.float64]


@njit(nogil=True, cache=True)
def _moved(extra, parents, first, positive, negative):  # type: ignore[no-untyped-def]
    """Sum over all inner nodes of height times what must pass through the node and no higher.

    `extra` holds what each leaf has too much (or too little); `parents` are the parents of the nodes of each
    level in turn, where level h begins at first[h].
    """
    total = 0.0
    for level in range(len(first) - 1):
        positive[:], negative[:] = 0.0, 0.0
        for node in range(first[level + 1] - first[level]):
            above = parents[first[level] + node]
            if extra[node] > 0:
                positive[above] += extra[node]
            else:
                negative[above] -= extra[node]
        extra[:] = positive - negative
        total += (level + 1) * np.minimum(positive, negative).sum()
    return total / (len(first) - 1)


@njit(nogil=True, cache=True)
def _distances(codes, rows, start, totals, parents, first, out, begin, end):  # type: ignore[no-untyped-def]
    n = totals.sum()
    extra, positive, negative = np.empty(len(totals)), np.empty(len(totals)), np.empty(len(totals))
    for block in range(begin, end):
        size = start[block + 1] - start[block]
        if size == 0:
            continue
        for value in range(len(totals)):
            extra[value] = -totals[value] * size
        for i in range(start[block], start[block + 1]):
            extra[codes[rows[i]]] += n
        out[block] = _moved(extra, parents, first, positive, negative) / size / n


def distances(codes: Codes, totals: Int, rows: Int, start: Int, parents: Int, first: Int) -> Float:
    """Return the hierarchical earth mover's distance of every class from the table; 0 for an empty class."""
    out = np.zeros(len(start) - 1)
    calls = [(codes, rows, start, totals, parents, first, out, *cut) for cut in cuts(start)]
    threads.run(_distances, calls)
    return out
