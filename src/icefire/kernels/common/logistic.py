"""Log-likelihood of a logistic regression, its gradient and its information matrix, in one pass over the rows.

A row of the model is an intercept, some numbers, and for each category at most one column that is 1. Only these few
entries are read and written, however many columns the categories have in all. Partial sums depend on the data alone,
so that the number of threads does not change a digit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int32

PARTS = 8


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
    likelihood = float(sum(threads.starmap(_add_rows, calls)))
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
        tail = np.exp(-abs(eta))
        small = tail / (1 + tail)
        miss = small if (outcome[i] == 1) == (eta >= 0) else 1 - small
        likelihood -= np.log1p(tail) + (abs(eta) if (outcome[i] == 1) != (eta >= 0) else 0.0)
        residual, weight = miss if outcome[i] == 1 else -miss, small * (1 - small)
        for a in range(used):
            gradient[at[a]] += residual * value[a]
            share = weight * value[a]
            for b in range(a, used):
                products[at[a], at[b]] += share * value[b]
    return likelihood
