"""Encode a table and a formula as the arrays of a regression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import numbers
from icefire.core.errors import UndefinedError
from icefire.kernels.types import Float, Int, Int32
from icefire.regression.formula import INTERCEPT, Formula

MOST_TERMS = 1000
"""Largest number of coefficients; more come from a name or a number taken for a category by mistake."""


@dataclass(frozen=True, slots=True)
class Design:
    """A model: labels of its coefficients, standardised numbers, the column of each category, and the outcome."""

    labels: tuple[str, ...]
    numbers: Float
    centres: Float
    spreads: Float
    levels: Int32
    outcome: Float
    values: dict[str, tuple[str, ...]]
    """The values of each category, the first of which the others are compared with."""

    @property
    def rows(self) -> int:
        """Rows without a gap in any column of the formula."""
        return len(self.outcome)


@dataclass(frozen=True, slots=True)
class Category:
    """One column of categories: its values in order, the first of which the others are compared with."""

    name: str
    values: tuple[str, ...]
    codes: Int

    @property
    def labels(self) -> list[str]:
        """Labels of the coefficients."""
        return [f"{self.name}={value}" for value in self.values[1:]]


def build_design(frame: pl.DataFrame, formula: Formula, table: str) -> Design:
    """Code the columns of a formula; rows with a missing value are left out."""
    complete = frame.select(formula.outcome, *formula.columns).drop_nulls()
    if not complete.height:
        raise UndefinedError(f"too few rows: no row of {table} has a value in every column of {formula}")
    outcome = _outcome(complete[formula.outcome], table)
    texts = [name for name in formula.columns if _is_category(complete[name], formula)]
    plain = [name for name in formula.columns if name not in texts]
    categories = [_category(complete[name], table) for name in texts]
    labels = [INTERCEPT, *plain, *(label for category in categories for label in category.labels)]
    _check_size(complete.height, len(labels), table)
    for category in categories:
        _check_mixed(category, outcome, formula.outcome, table)
    scaled, centres, spreads = _standardised(complete, plain, table)
    values = {category.name: category.values for category in categories}
    return Design(tuple(labels), scaled, centres, spreads, _levels(categories, len(plain)), outcome, values)


def _outcome(column: pl.Series, table: str) -> Float:
    values = column.unique().sort()
    if len(values) != 2:
        count = f"{len(values):,} values" if len(values) > 1 else "one value only"
        raise UndefinedError(f"the outcome {column.name!r} has {count} in {table}; a regression of odds needs two")
    event: Float = (column == values[1]).to_numpy().astype(np.float64)
    return event


def _is_category(column: pl.Series, formula: Formula) -> bool:
    return column.name in formula.categories or not (column.dtype.is_numeric() or column.dtype == pl.Boolean)


def _category(column: pl.Series, table: str) -> Category:
    if not column.dtype.is_numeric():
        column = column.cast(pl.String)
    values = column.unique().sort()
    if len(values) < 2:
        raise UndefinedError(f"column {column.name!r} of {table} has one value only; leave it out")
    if len(values) > MOST_TERMS:
        raise UndefinedError(
            f"column {column.name!r} of {table} has {len(values):,} values, too many categories; leave it out"
        )
    return Category(column.name, tuple(map(str, values)), blocks.dense_ranks(column).cast(pl.Int64).to_numpy())


def _check_size(rows: int, terms: int, table: str) -> None:
    if terms > MOST_TERMS:
        raise UndefinedError(f"{terms:,} coefficients are too many for {table}; name fewer columns in the formula")
    if rows <= terms:
        raise UndefinedError(f"too few rows: {rows:,} complete ones in {table} for {terms} coefficients")


def _check_mixed(category: Category, outcome: Float, name: str, table: str) -> None:
    """Refuse a level whose rows all have the same outcome: its coefficient would be infinite."""
    size = len(category.values)
    rows, hits = np.bincount(category.codes, minlength=size), np.bincount(category.codes, outcome, size)
    pure = np.flatnonzero((hits == 0) | (hits == rows))
    if len(pure):
        raise UndefinedError(
            f"perfect separation: all rows of {table} with {category.name}={category.values[pure[0]]} "
            f"have the same {name!r}, so its odds ratio is not finite"
        )


def _standardised(frame: pl.DataFrame, names: list[str], table: str) -> tuple[Float, Float, Float]:
    """Centre and scale, which keeps the arithmetic exact; the coefficients are scaled back in the end."""
    values = np.empty((frame.height, len(names)))
    for place, name in enumerate(names):
        values[:, place] = numbers(frame[name])
        if np.ptp(values[:, place]) == 0:
            raise UndefinedError(f"column {name!r} of {table} has one value only; leave it out")
    centres, spreads = values.mean(axis=0), values.std(axis=0)
    values -= centres
    values /= spreads
    return values, centres, spreads


def _levels(categories: list[Category], plain: int) -> Int32:
    rows = len(categories[0].codes) if categories else 0
    levels = np.empty((rows, len(categories)), np.int32)
    for place, (category, first) in enumerate(_placed(categories, 1 + plain)):
        levels[:, place] = np.where(category.codes > 0, category.codes - 1 + first, -1)
    return levels


def _placed(categories: list[Category], first: int) -> Iterator[tuple[Category, int]]:
    """Tell each category the column of its second level."""
    for category in categories:
        yield category, first
        first += len(category.labels)
