"""Normal draws that hang together as given."""

from __future__ import annotations

import numpy as np

from icefire.release import Float


def correlations(table: Float) -> Float:
    """Correlation matrix of the columns; a missing value counts as the mean, a constant column as unrelated.

    Filling in keeps the matrix one that draws can have (no negative eigenvalue), which leaving out pairs would not.
    """
    centred = np.nan_to_num(table - _means(table), nan=0.0)
    spread = np.sqrt(np.square(centred).sum(axis=0))
    spread[spread == 0] = 1.0
    # einsum, not a matrix product: its sums do not depend on the number of threads.
    found = np.einsum("ij,ik->jk", centred / spread, centred / spread)
    np.fill_diagonal(found, 1.0)
    return found


def draws(rng: np.random.Generator, rows: int, correlation: Float) -> Float:
    """Standard normal rows with this correlation."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.einsum("ik,jk->ij", rng.standard_normal((rows, len(correlation))), root)


def _means(table: Float) -> Float:
    present = np.maximum((~np.isnan(table)).sum(axis=0), 1)
    means: Float = np.nansum(table, axis=0) / present
    return means
