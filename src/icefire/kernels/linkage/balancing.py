"""Posterior weights of listed pairs when every original row stands for at most one released row (Sinkhorn)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.types import Float, Int32


def posterior(rows: Int32, scores: Float, rest: Float, originals: int, rounds: int) -> tuple[Float, Float]:
    """Balance the weights of candidates: one per released row, at most one per original row.

    Args:
        rows: Candidates of every released row; -1 for none.
        scores: Their scores.
        rest: Log weight of all original rows that are not listed.
        originals: Number of original rows.
        rounds: How often both sides are balanced.

    Returns:
        The posterior weight of every candidate, and the log price of every original row (0 where it is not in demand).
    """
    weights, price = _balance(rows, scores, rest, originals, rounds)
    return weights, price


@njit(nogil=True, cache=True)
def _balance(rows, scores, rest, originals, rounds) -> Any:  # type: ignore[no-untyped-def]
    m, kept = rows.shape
    weights, price = np.zeros((m, kept)), np.zeros(originals)
    demand = np.empty(originals)
    for turn in range(rounds + 1):
        demand[:] = 0.0
        for j in range(m):
            top = rest[j]
            for k in range(kept):
                if rows[j, k] >= 0:
                    top = max(top, scores[j, k] - price[rows[j, k]])
            total = np.exp(rest[j] - top) if rest[j] > -np.inf else 0.0
            for k in range(kept):
                if rows[j, k] >= 0:
                    weights[j, k] = np.exp(scores[j, k] - price[rows[j, k]] - top)
                    total += weights[j, k]
            for k in range(kept):
                if rows[j, k] >= 0:
                    weights[j, k] /= total
                    demand[rows[j, k]] += weights[j, k]
        if turn < rounds:
            for i in range(originals):
                if demand[i] > 0:
                    price[i] = max(0.0, price[i] + np.log(demand[i]))
    return weights, price
