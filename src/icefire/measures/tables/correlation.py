"""U4: change of the correlations between sensitive attributes."""

from __future__ import annotations

import warnings

import numpy as np

from icefire.core.errors import UndefinedError
from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Kind, Role
from icefire.kernels.types import Float


@measure("correlation_error", code="U4", needs=("numeric_sa", "original"))
def correlation_error(comparison: Comparison, *, columns: Columns = None, full_matrix: bool = False) -> float:
    """Mean change of the correlation between two sensitive attributes, over all pairs.

    A pair with a constant column has no correlation and is left out. `full_matrix` averages over the whole
    matrix instead, its zero diagonal included.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        columns: Columns to correlate. Default: the numeric sensitive attributes.
        full_matrix: Whether to average over the whole matrix, its zero diagonal included.

    Returns:
        The mean absolute change of a correlation, 0 to 2.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
        UndefinedError: If no two columns vary in both tables, or a column was not released.
    """
    x, y = comparison.original, comparison.released
    names = x.schema.pick(columns, x.schema.before_release(Role.SA, kind=Kind.NUMBER), "columns")
    change = np.abs(pearson(x.matrix(names)) - pearson(y.matrix(names)))
    pairs = change[np.triu_indices(len(names), 1)]
    if np.isnan(pairs).all():
        raise UndefinedError("no two sensitive attributes vary in both tables; there is no correlation to compare")
    if full_matrix:
        return float(np.nansum(pairs) * 2 / len(names) ** 2)
    return float(np.nanmean(pairs))


def pearson(table: Float) -> Float:
    """Correlation matrix; NaN where a column is constant. Missing values leave out their pairs."""
    if not np.isnan(table).any():
        centred = table - table.mean(axis=0)
        return _normalised(centred.T @ centred)
    width = table.shape[1]
    out = np.full((width, width), np.nan)
    for i in range(width):
        for j in range(i + 1, width):
            both = table[~np.isnan(table[:, [i, j]]).any(axis=1)][:, [i, j]]
            if len(both) > 1:
                centred = both - both.mean(axis=0)
                out[i, j] = out[j, i] = _normalised(centred.T @ centred)[0, 1]
    return out


def _normalised(products: Float) -> Float:
    spread = np.sqrt(np.diag(products))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.where(np.outer(spread, spread) > 0, products / np.outer(spread, spread), np.nan)
