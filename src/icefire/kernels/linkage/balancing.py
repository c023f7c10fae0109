"""Posterior weights of listed pairs when every original row stands for at most one released row (Sinkhorn)."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth, is_little
from icefire.kernels.types import Float, Float32, Int32

STEADY = 1e-3
"""Prices that change less than this in a round, on the log scale, stay as they are."""
LOWEST = -30.0
"""Weights below exp of this, relative to the largest, are nothing."""
SMALL = 1 << 14
"""Listed pairs that are left to numpy."""


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
    weigh = _weigh_by_numpy if is_little(rows.size, SMALL) else _weigh
    for _ in range(rounds):
        threads.starmap(weigh, calls)
        if not compiled_if_worth(_change_prices, demands.size)(demands, price):
            break
    threads.starmap(weigh, calls)
    return weights, price


def _weigh_by_numpy(
    rows: Int32, scores: Float32, rest: Float32, price: Float, weights: Float32, demand: Float, start: int, stop: int
) -> None:
    """Do what `_weigh` does, with the same sums in the same order."""
    rows, listed = rows[start:stop], rows[start:stop] >= 0
    worth = np.where(listed, scores[start:stop] - price[rows], -np.inf)
    top = np.maximum(worth.max(axis=1), rest[start:stop])
    with np.errstate(invalid="ignore"):  # a row without any candidate
        behind, of_others = worth - top[:, None], np.where(rest[start:stop] > -np.inf, rest[start:stop] - top, -np.inf)
    some = np.where(behind > LOWEST, np.exp(behind), 0.0).astype(np.float32)
    total = np.add.accumulate(np.column_stack([np.exp(of_others), some]), axis=1)[:, -1:]
    weights[start:stop] = np.where(some > 0, some / np.where(total > 0, total, 1.0), 0.0)
    wanted = weights[start:stop] > 0
    demand[:] = np.bincount(rows[wanted], weights[start:stop][wanted], len(price))


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
            price[i] = max(0.0, before + max(math.log(demand), LOWEST)) if demand > 0 else max(0.0, before + LOWEST)
            changed |= abs(price[i] - before) > STEADY
    return changed
