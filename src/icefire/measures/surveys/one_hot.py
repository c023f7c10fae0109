"""cor: change of the correlations between all columns, categories one-hot encoded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset, numbers
from icefire.core.errors import UndefinedError
from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Role
from icefire.kernels.types import Float, Int

MOST_COLUMNS = 1000
"""One column per value of a text with more values than this would not fit in memory, nor mean anything."""
SPAN = 1 << 15
"""Rows that are spread out to columns at a time."""
NOISE = 1e-12
"""A variance below this share of the squares is rounding: among the rows that count, the column is constant."""


@measure("cor_max", needs=("population",), explicit_only=True)
def cor_max(comparison: Comparison, *, columns: Columns = None) -> float:
    """Largest change of a correlation between two columns, where each value of a text is a column of its own.

    `columns` default to the quasi-identifiers and sensitive attributes. A column that is constant in either table has
    no correlation and is left out. Missing numbers leave out their pairs, missing text is a value of its own.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        columns: Columns to correlate. Default: the quasi-identifiers and sensitive attributes.

    Returns:
        The largest absolute change of a correlation, 0 to 2.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If fewer than two columns vary in both tables, or there are too many values.
    """
    return float(_changes(comparison, columns).max())


@measure("cor_mean", needs=("population",), explicit_only=True)
def cor_mean(comparison: Comparison, *, columns: Columns = None) -> float:
    """Mean change of a correlation, over the whole matrix with its zero diagonal; see `cor_max`.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        columns: Columns to correlate. Default: the quasi-identifiers and sensitive attributes.

    Returns:
        The mean absolute change of a correlation, 0 to 2.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If fewer than two columns vary in both tables, or there are too many values.
    """
    return float(_changes(comparison, columns).mean())


@dataclass(frozen=True, slots=True)
class OneHotTable:
    """A table as numbers and as codes of text; the columns of a text's values begin where `first` says."""

    numbers: list[Float]
    codes: list[Int]
    first: list[int]
    width: int
    height: int

    def centres(self) -> Float:
        """Mean of every column; of a constant one its value to the last digit."""
        out = np.zeros(self.width)
        for place, values in enumerate(self.numbers):
            low, high = np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf)
            out[place] = np.nanmean(values) if low < high else low
        for codes, first in zip(self.codes, self.first, strict=True):
            shares = np.bincount(codes) / self.height
            out[first : first + len(shares)] = shares
        return out

    def rows(self, start: int) -> Float:
        """Up to SPAN rows from `start`, spread out to columns."""
        stop = min(self.height, start + SPAN)
        out = np.zeros((stop - start, self.width))
        for place, values in enumerate(self.numbers):
            out[:, place] = values[start:stop]
        for codes, first in zip(self.codes, self.first, strict=True):
            out[np.arange(stop - start), first + codes[start:stop]] = 1.0
        return out


def correlations(x: Dataset, y: Dataset, columns: Columns = None) -> tuple[Float, Float]:
    """Correlate every two columns in both tables; NaN where one of them is constant."""
    used = x.schema.before_release(Role.QI, Role.SA)
    left, right = _one_hot(x.frame, y.frame, x.schema.pick(columns, used, "columns"))
    return _pearson(left), _pearson(right)


def _one_hot(x: pl.DataFrame, y: pl.DataFrame, names: tuple[str, ...]) -> tuple[OneHotTable, OneHotTable]:
    plain = [name for name in names if x[name].dtype.is_numeric()]
    texts = [_codes(pl.concat([x[name], y[name]])) for name in names if name not in plain]
    first = np.cumsum([len(plain), *(int(text.max()) + 1 for text in texts)]).tolist()
    if first[-1] > MOST_COLUMNS:
        raise UndefinedError(f"the columns have {first[-1]:,} values to correlate; name fewer in columns")
    left = OneHotTable([numbers(x[n]) for n in plain], [t[: x.height] for t in texts], first[:-1], first[-1], x.height)
    right = OneHotTable([numbers(y[n]) for n in plain], [t[x.height :] for t in texts], first[:-1], first[-1], y.height)
    return left, right


def _codes(column: pl.Series) -> Int:
    """Number the values of a text; missing comes last."""
    codes = blocks.dense_ranks(column)
    return codes.fill_null(1 + int(codes.max() or 0)).to_numpy()  # type: ignore[arg-type]


def _pearson(table: OneHotTable) -> Float:
    """Correlate the columns; of two, only the rows that have both count."""
    centres = table.centres()
    gaps = any(np.isnan(values).any() for values in table.numbers)
    products, squares, sums, counts = np.zeros((4, table.width, table.width))
    for start in range(0, table.height, SPAN):
        values = table.rows(start) - centres
        if gaps:
            present = ~np.isnan(values)
            values[~present] = 0.0
            squares += (values**2).T @ present
            sums += values.T @ present
            counts += present.T.astype(np.float64) @ present
        products += values.T @ values
    if not gaps:
        spread = np.broadcast_to(np.diag(products)[:, None], products.shape)
        return _normalised(products, spread)
    counts = np.maximum(counts, 1.0)
    spread = squares - sums**2 / counts
    return _normalised(products - sums * sums.T / counts, np.where(spread > NOISE * squares, spread, 0.0))


def _normalised(products: Float, spread: Float) -> Float:
    scale = np.sqrt(spread * spread.T)
    return np.where(scale > 0, products / np.where(scale > 0, scale, 1.0), np.nan)


def _changes(comparison: Comparison, columns: Columns) -> Float:
    """Absolute change of each correlation; remembered, for two measures look at the same."""
    x, y = comparison.original, comparison.released
    before, after = comparison.case.cached(("one hot", columns), lambda: correlations(x, y, columns))
    change = np.abs(before - after)
    vary = ~np.isnan(np.diag(change))
    if vary.sum() < 2:
        raise UndefinedError("no two columns vary in both tables; there is no correlation to compare")
    kept = np.nan_to_num(change[np.ix_(vary, vary)])
    np.fill_diagonal(kept, 0.0)
    return kept
