"""U4: change of the correlations between sensitive attributes."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import UndefinedError
from icefire.core.parameters import Columns
from icefire.core.parts import ColumnFacts, PartedTables, Scan, Side, check_numbers
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Kind, Role
from icefire.kernels.types import Float

SUMS = ("pairs", "sums", "products", "squares")
"""Of each two columns, over the rows where both have a value: how many, the sum of the first, of the products, of the
squares of the first."""


def _in_parts(tables: PartedTables, *, columns: Columns = None, full_matrix: bool = False) -> float:
    schema = tables.schema
    names = schema.pick(columns, schema.before_release(Role.SA, kind=Kind.NUMBER), "columns")
    check_numbers(schema, names)
    return _mean_change(
        _pearson_in_parts(tables, "original", names), _pearson_in_parts(tables, "released", names), full_matrix
    )


def _pearson_in_parts(tables: PartedTables, side: Side, names: tuple[str, ...]) -> Float:
    """Correlation matrix from sums over chunks, of values less their mean so that no digits are lost."""
    means = np.array([tables.facts(side, name).mean or 0.0 for name in names])
    constant = [_is_constant(tables.facts(side, name)) for name in names]
    schema = tables.schema

    def part(chunk: pl.DataFrame) -> pl.DataFrame:
        centred = Dataset(chunk, schema).matrix(names)
        centred -= means
        if any(chunk[name].null_count() for name in names):
            present = ~np.isnan(centred)
            held, there = np.where(present, centred, 0.0), present.astype(np.float64)
            sums = (there.T @ there, held.T @ there, held.T @ held, (held * held).T @ there)
        else:
            sums = _sums_without_gaps(centred)
        return pl.DataFrame({name: matrix.ravel() for name, matrix in zip(SUMS, sums, strict=True)})

    scan = Scan("correlations", side, names, part, dict.fromkeys(SUMS, pl.Float64))
    width = len(names)
    total = np.zeros((len(SUMS), width * width))
    for frame in tables.scan(scan):  # an engine may return the results of several chunks as one
        total += frame.to_numpy().reshape(-1, width * width, len(SUMS)).sum(axis=0).T
    pairs, first, products, squares = total.reshape(len(SUMS), width, width)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        spread = squares - first * first / pairs
        varies = (spread > 0) & (spread.T > 0) & ~np.logical_or.outer(constant, constant)
        return np.where(varies, (products - first * first.T / pairs) / np.sqrt(spread * spread.T), np.nan)


def _sums_without_gaps(values: Float) -> tuple[Float, Float, Float, Float]:
    """Return `SUMS` where every two columns have all rows in common."""
    shape, products = (values.shape[1], values.shape[1]), values.T @ values
    first, squares = values.sum(axis=0)[:, None], np.diag(products)[:, None]
    pairs = np.full(shape, float(len(values)))
    return pairs, np.broadcast_to(first, shape), products, np.broadcast_to(squares, shape)


def _is_constant(facts: ColumnFacts) -> bool:
    return facts.lowest == facts.highest


@measure("correlation_error", code="U4", needs=("numeric_sa", "original"), in_parts=_in_parts)
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
    return _mean_change(pearson(x.matrix(names)), pearson(y.matrix(names)), full_matrix)


def _mean_change(before: Float, after: Float, full_matrix: bool) -> float:
    change = np.abs(before - after)
    pairs = change[np.triu_indices(len(change), 1)]
    if np.isnan(pairs).all():
        raise UndefinedError("no two sensitive attributes vary in both tables; there is no correlation to compare")
    if full_matrix:
        return float(np.nansum(pairs) * 2 / len(change) ** 2)
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
