"""Log-likelihood of a logistic regression, its gradient and its information matrix, in one pass over the rows.

A row of the model is an intercept, some numbers, and for each category at most one column that is 1. Only these few
entries are read and written, however many columns the categories have in all. Partial sums depend on the data alone,
so that the number of threads does not change a digit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.types import Float, Int32

PARTS = 8
BY_NUMPY = 1 << 21
"""Steps that are left to numpy: compiling takes a second."""


class LogLikelihood(NamedTuple):
    """The log-likelihood at a point, its gradient (n), and its negated second derivative, the information (n × n)."""

    likelihood: float
    gradient: Float
    information: Float


def log_likelihood(numbers: Float, levels: Int32, outcome: Float, beta: Float) -> LogLikelihood:
    """Return the log-likelihood of a 0/1 outcome at the coefficients `beta`, with its derivatives.

    The columns of the model are the intercept, then `numbers`, then those of the categories.

    Args:
        numbers: Numeric columns, rows × numbers.
        levels: For each row and category the column that is 1, rows × categories; larger than those of the categories
            before, or -1 for the reference level.
        outcome: 0 or 1 for each row.
        beta: One coefficient per column.

    Returns:
        The log-likelihood, its gradient and the information matrix. Memory beyond that: eight copies of the matrix.
    """
    spans = threads.spans(len(outcome), 1 << 14, PARTS)
    width = len(beta)
    gradients, products = np.zeros((len(spans), width)), np.zeros((len(spans), width, width))
    calls = [(numbers, levels, outcome, beta, gradients[p], products[p], *span) for p, span in enumerate(spans)]
    add = compiled_if_worth(_add_rows, len(outcome) * width * width, _add_rows_by_numpy, BY_NUMPY)
    likelihood = float(sum(threads.starmap(add, calls)))
    upper = products.sum(axis=0)
    return LogLikelihood(likelihood, gradients.sum(axis=0), upper + np.triu(upper, 1).T)


@njit(nogil=True, cache=True)
def _add_rows(numbers, levels, outcome, beta, gradient, products, start, stop):  # type: ignore[no-untyped-def]
    """Add rows start … stop - 1 to the gradient and to the upper triangle of the products; returns their likelihood."""
    wide = 1 + numbers.shape[1]
    at, value = np.arange(wide + levels.shape[1]), np.ones(wide + levels.shape[1])
    likelihood = 0.0
    for i in range(start, stop):
        used, eta = wide, beta[0]
        for k in range(1, wide):
            value[k] = numbers[i, k - 1]
            eta += beta[k] * value[k]
        for k in range(levels.shape[1]):
            if levels[i, k] >= 0:
                at[used] = levels[i, k]
                eta += beta[levels[i, k]]
                used += 1
        # The smaller of the two probabilities keeps its precision where the other is near 1.
        tail = math.exp(-abs(eta))
        small = tail / (1 + tail)
        miss = small if (outcome[i] == 1) == (eta >= 0) else 1 - small
        likelihood -= math.log1p(tail) + (abs(eta) if (outcome[i] == 1) != (eta >= 0) else 0.0)
        residual, weight = miss if outcome[i] == 1 else -miss, small * (1 - small)
        for a in range(used):
            gradient[at[a]] += residual * value[a]
            share = weight * value[a]
            for b in range(a, used):
                products[at[a], at[b]] += share * value[b]
    return likelihood


def _add_rows_by_numpy(
    numbers: Float, levels: Int32, outcome: Float, beta: Float, gradient: Float, products: Float, start: int, stop: int
) -> float:
    """Do the same with whole columns; running sums over the rows are those of the compiled function."""
    if start == stop:
        return 0.0
    rows = _all_columns(numbers[start:stop], levels[start:stop], len(beta))
    ones, eta = outcome[start:stop] == 1, np.full(stop - start, beta[0])
    for k in range(1, 1 + numbers.shape[1]):
        eta += beta[k] * rows[:, k]
    for level in levels[start:stop].T:
        eta[level >= 0] += beta[level[level >= 0]]
    tail = np.array([math.exp(-abs(number)) for number in eta.tolist()])
    small = tail / (1 + tail)
    miss = np.where(ones == (eta >= 0), small, 1 - small)
    losses = np.array([math.log1p(number) for number in tail.tolist()])
    losses = losses + np.where(ones != (eta >= 0), np.abs(eta), 0.0)
    gradient += np.cumsum(np.where(ones, miss, -miss)[:, None] * rows, axis=0)[-1]
    for a, shares in enumerate(((small * (1 - small))[:, None] * rows).T):
        products[a, a:] += np.cumsum(shares[:, None] * rows[:, a:], axis=0)[-1]
    return float(np.cumsum(-losses)[-1])


def _all_columns(numbers: Float, levels: Int32, width: int) -> Float:
    """Write out the matrix of the model: intercept, numbers, a column per level."""
    rows = np.zeros((len(numbers), width))
    rows[:, 0] = 1.0
    rows[:, 1 : 1 + numbers.shape[1]] = numbers
    at, category = np.nonzero(levels >= 0)
    rows[at, levels[at, category]] = 1.0
    return rows
