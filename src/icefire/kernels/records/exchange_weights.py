"""Posterior weights of listed pairs if every row belongs to one person, and some people were left out (Sinkhorn)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.types import Float, Int, Int32

LEAST = 1e-300
"""Sums below this count as this: a row that nobody can have, or a person without any."""


def exchange_weights(
    start: Int, rows: Int32, weights: Float, left_out: Float, choices: int, rounds: int
) -> tuple[Float, Float]:
    """Balance the weights of pairs: one person per row, and one row per person or none.

    Args:
        start: Person i may hold the rows rows[start[i]:start[i + 1]].
        rows: See `start`.
        weights: Weight of each pair before balancing.
        left_out: Weight of each person for being left out; as many are left out as there are rows too few.
        choices: Number of rows.
        rounds: How often both sides are balanced.

    Returns:
        The probability of each pair, and of each person to have been left out.
    """
    gone = max(float(len(start) - 1 - choices), 1.0)
    pairs, out = _balance(start, rows, weights, left_out, choices, gone, rounds)
    return pairs, out


@njit(nogil=True, cache=True)
def _balance(start, rows, weights, left_out, choices, gone, rounds) -> Any:  # type: ignore[no-untyped-def]
    people = start.size - 1
    share, price, price_out = np.ones(people), np.ones(choices), 1.0
    for turn in range(rounds + 1):
        demand, demand_out = np.zeros(choices), 0.0
        for i in range(people):
            total = left_out[i] * price_out
            for e in range(start[i], start[i + 1]):
                total += weights[e] * price[rows[e]]
            share[i] = 1.0 / max(total, LEAST)
            for e in range(start[i], start[i + 1]):
                demand[rows[e]] += weights[e] * share[i]
            demand_out += left_out[i] * share[i]
        if turn < rounds:
            for row in range(choices):
                price[row] = 1.0 / max(demand[row], LEAST)
            price_out = gone / max(demand_out, LEAST)
    pairs = np.empty(rows.size)
    for i in range(people):
        for e in range(start[i], start[i + 1]):
            pairs[e] = weights[e] * share[i] * price[rows[e]]
    return pairs, left_out * share * price_out
