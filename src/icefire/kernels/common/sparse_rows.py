"""Products with the matrix of a regression whose rows are an intercept, some numbers, and one 1 per category.

The matrix is that of `logistic`: only the few entries that are not 0 are read. `logistic.log_likelihood` gives its
products with itself.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.types import Float, Int32


def product(numbers: Float, levels: Int32, coefficients: Float) -> Float:
    """Multiply every row with the coefficients.

    Args:
        numbers: Numeric columns, rows × numbers.
        levels: For each row and category the column that is 1, -1 for none; rows × categories.
        coefficients: One per column of the matrix: intercept, numbers, categories.

    Returns:
        One number per row.
    """
    out = np.empty(len(numbers))
    _product(numbers, levels, coefficients, out)
    return out


def transposed_product(numbers: Float, levels: Int32, weights: Float, width: int) -> Float:
    """Add up the rows, each times its weight.

    Args:
        numbers: Numeric columns, rows × numbers.
        levels: For each row and category the column that is 1, -1 for none; rows × categories.
        weights: One per row.
        width: Number of columns of the matrix.

    Returns:
        One number per column.
    """
    out = np.zeros(width)
    _transposed_product(numbers, levels, weights, out)
    return out


@njit(nogil=True, cache=True)
def _product(numbers, levels, coefficients, out):  # type: ignore[no-untyped-def]
    for i in range(len(numbers)):
        total = coefficients[0]
        for k in range(numbers.shape[1]):
            total += coefficients[1 + k] * numbers[i, k]
        for k in range(levels.shape[1]):
            if levels[i, k] >= 0:
                total += coefficients[levels[i, k]]
        out[i] = total


@njit(nogil=True, cache=True)
def _transposed_product(numbers, levels, weights, out):  # type: ignore[no-untyped-def]
    for i in range(len(numbers)):
        out[0] += weights[i]
        for k in range(numbers.shape[1]):
            out[1 + k] += weights[i] * numbers[i, k]
        for k in range(levels.shape[1]):
            if levels[i, k] >= 0:
                out[levels[i, k]] += weights[i]
