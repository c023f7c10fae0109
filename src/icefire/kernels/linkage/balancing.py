"""Posterior weights of listed pairs when every original row stands for at most one released row (Sinkhorn)."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Float, Float32, Int32

STEADY = 1e-3
"""Prices that change less than this in a round, on the log scale, stay as they are."""
LOWEST = -30.0
"""Weights below exp of this, relative to the largest, are nothing."""


def posterior(rows: Int32, scores: Float32, rest: Float32, originals: int, rounds: int) -> tuple[Float32, Float]:
    """Balance the weights of candidates: one per released row, at most one per original row.

    Args:
        rows: Candidates of every released row; -1 for none, after all others.
        scores: Their scores.
        rest: Log weight of all original rows that are not listed.
        originals: Number of original rows.
        rounds: How often both sides are balanced at most.

    Returns:
        The posterior weight of every candidate, and the log price of every original row (0 where it is not in demand).
    """
    weights, price = np.zeros(rows.shape, np.float32), np.zeros(originals)
    spans = threads.spans(len(rows), 8192, 8)
    demands = np.empty((len(spans), originals))
    calls = [(rows, scores, rest, price, weights, demands[at], *span) for at, span in enumerate(spans)]
    for _ in range(rounds):
        threads.starmap(_weigh, calls)
        if not _change_prices(demands, price):
            break
    threads.starmap(_weigh, calls)
    return weights, price


@njit(nogil=True, cache=True)
def _weigh(rows, scores, rest, price, weights, demand, start, stop):  # type: ignore[no-untyped-def]
    """Weigh the candidates of some released rows at the present prices, and sum the weights by original row."""
    demand[:] = 0.0
    for j in range(start, stop):
        size, top = 0, rest[j]
        while size < rows.shape[1] and rows[j, size] >= 0:
            top = max(top, scores[j, size] - price[rows[j, size]])
            size += 1
        total = np.exp(rest[j] - top) if rest[j] > -np.inf else 0.0
        for k in range(size):
            behind = scores[j, k] - price[rows[j, k]] - top
            weights[j, k] = np.exp(behind) if behind > LOWEST else 0.0
            total += weights[j, k]
        for k in range(size):
            if weights[j, k] > 0.0:
                weights[j, k] /= total
                demand[rows[j, k]] += weights[j, k]


@njit(nogil=True, cache=True)
def _change_prices(demands, price):  # type: ignore[no-untyped-def]
    """Raise the price of rows that are wanted more than once, lower that of others; tells whether any has changed."""
    changed = False
    for i in range(price.size):
        demand = 0.0
        for at in range(demands.shape[0]):
            demand += demands[at, i]
        before = price[i]
        if demand > 0 or before > 0:
            price[i] = max(0.0, before + max(np.log(demand), LOWEST)) if demand > 0 else max(0.0, before + LOWEST)
            changed |= abs(price[i] - before) > STEADY
    return changed
