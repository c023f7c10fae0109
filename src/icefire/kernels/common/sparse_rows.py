"""Products with the matrix of a regression whose rows are an intercept, some numbers, and one 1 per category.

The matrix is that of `logistic`: only the few entries that are not 0 are read. `logistic.log_likelihood` gives its
products with itself.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common.interpreted import compiled_if_worth
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
    compiled_if_worth(_product, numbers.size + levels.size, _product_by_numpy)(numbers, levels, coefficients, out)
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
    multiply = compiled_if_worth(_transposed_product, numbers.size + levels.size, _transposed_product_by_numpy)
    multiply(numbers, levels, weights, out)
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


def _product_by_numpy(numbers: Float, levels: Int32, coefficients: Float, out: Float) -> None:
    # Column after column: each row's sum is made in the order of the compiled function.
    out[:] = coefficients[0]
    for k in range(numbers.shape[1]):
        out += coefficients[1 + k] * numbers[:, k]
    for k in range(levels.shape[1]):
        some = levels[:, k] >= 0
        out[some] += coefficients[levels[some, k]]


def _transposed_product_by_numpy(numbers: Float, levels: Int32, weights: Float, out: Float) -> None:
    if len(weights) == 0:
        return
    # Running sums are made row after row, as in the compiled function.
    out[0] += np.cumsum(weights)[-1]
    out[1 : 1 + numbers.shape[1]] += np.cumsum(weights[:, None] * numbers, axis=0)[-1]
    some = levels >= 0
    out += np.bincount(levels[some], np.repeat(weights, some.sum(axis=1)), len(out))
