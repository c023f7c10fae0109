"""Means, correlations and correlated normal draws of tables in which a missing value is NaN.

Sums are taken column by column instead of by matrix products, whose last digit depends on the number of threads.
"""

from __future__ import annotations

import numpy as np

from icefire.kernels.types import Float


def means(table: Float) -> Float:
    """Means of the columns, 0 for one without values."""
    present = ~np.isnan(table)
    average: Float = table.sum(axis=0, where=present) / np.maximum(present.sum(axis=0), 1)
    return average


def spreads(table: Float) -> Float:
    """Standard deviations of the columns, 0 for one without values."""
    return np.sqrt(means(np.square(table - means(table))))


def correlations(table: Float) -> Float:
    """Correlation matrix of the columns; a missing value counts as the mean, a constant column as unrelated.

    Filling in keeps the matrix one that draws can have (no negative eigenvalue), which leaving out pairs would not.
    """
    correlation = products(np.nan_to_num(table - means(table), nan=0.0))
    length = np.sqrt(np.diag(correlation))
    length[length == 0] = 1.0
    correlation /= np.outer(length, length)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def products(table: Float) -> Float:
    """The sum of products of every two columns."""
    columns = np.ascontiguousarray(table.T)
    sums = np.empty((len(columns), len(columns)))
    for i, column in enumerate(columns):
        for j in range(i + 1):
            sums[i, j] = sums[j, i] = (column * columns[j]).sum()
    return sums


def draws(rng: np.random.Generator, rows: int, correlation: Float) -> Float:
    """Standard normal rows with this correlation, or the nearby one that draws can have."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    root /= np.sqrt(np.square(root).sum(axis=1, keepdims=True))
    drawn = np.zeros((len(correlation), rows))
    for k in range(len(correlation)):
        factor = rng.standard_normal(rows)
        for j in range(len(correlation)):
            drawn[j] += root[j, k] * factor
    return drawn.T
