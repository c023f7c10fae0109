"""Coef, OR and pvalue: change of a logistic regression between original and release."""

from __future__ import annotations

from typing import Literal

import numpy as np

from icefire import regression
from icefire.core.dataset import Dataset
from icefire.core.errors import UndefinedError, listing
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Role
from icefire.kernels.types import Float
from icefire.regression import Fit, Formula

Figure = Literal["coefficients", "odds_ratios", "pvalues"]


@measure("coef_max", needs=("population",), explicit_only=True)
def coef_max(comparison: Comparison, *, formula: str | None = None) -> float:
    """Largest change of a coefficient of the logistic regression `formula`, such as "dia ~ gen + age + bmi".

    Text is a category, compared with its alphabetically first value; C(name) makes numbers one. Default: the last
    sensitive attribute (or else quasi-identifier) with two values, explained by all others that vary.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        formula: The model, such as "dia ~ gen + age + C(group)". Default: the last column with two values, explained by
            all others.

    Returns:
        The largest absolute change of a coefficient.

    Raises:
        ParameterError: If the formula cannot be read.
        SchemaError: If the formula names a column that is not in the table.
        UndefinedError: If a model has no finite maximum, or the tables have different categories.
    """
    return float(_changes(comparison, formula, "coefficients").max())


@measure("coef_mean", needs=("population",), explicit_only=True)
def coef_mean(comparison: Comparison, *, formula: str | None = None) -> float:
    """Mean change of a coefficient of the logistic regression `formula`; see `coef_max`.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        formula: The model, such as "dia ~ gen + age + C(group)". Default: the last column with two values, explained by
            all others.

    Returns:
        The mean absolute change of a coefficient.

    Raises:
        ParameterError: If the formula cannot be read.
        SchemaError: If the formula names a column that is not in the table.
        UndefinedError: If a model has no finite maximum, or the tables have different categories.
    """
    return float(_changes(comparison, formula, "coefficients").mean())


@measure("or_max", needs=("population",), explicit_only=True)
def or_max(comparison: Comparison, *, formula: str | None = None) -> float:
    """Largest change of an odds ratio of the logistic regression `formula`; see `coef_max`.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        formula: The model, such as "dia ~ gen + age + C(group)". Default: the last column with two values, explained by
            all others.

    Returns:
        The largest absolute change of an odds ratio.

    Raises:
        ParameterError: If the formula cannot be read.
        SchemaError: If the formula names a column that is not in the table.
        UndefinedError: If a model has no finite maximum, or the tables have different categories.
    """
    return float(_changes(comparison, formula, "odds_ratios").max())


@measure("or_mean", needs=("population",), explicit_only=True)
def or_mean(comparison: Comparison, *, formula: str | None = None) -> float:
    """Mean change of an odds ratio of the logistic regression `formula`; see `coef_max`.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        formula: The model, such as "dia ~ gen + age + C(group)". Default: the last column with two values, explained by
            all others.

    Returns:
        The mean absolute change of an odds ratio.

    Raises:
        ParameterError: If the formula cannot be read.
        SchemaError: If the formula names a column that is not in the table.
        UndefinedError: If a model has no finite maximum, or the tables have different categories.
    """
    return float(_changes(comparison, formula, "odds_ratios").mean())


@measure("pvalue_max", needs=("population",), explicit_only=True)
def pvalue_max(comparison: Comparison, *, formula: str | None = None) -> float:
    """Largest change of a p-value of the logistic regression `formula`; see `coef_max`.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        formula: The model, such as "dia ~ gen + age + C(group)". Default: the last column with two values, explained by
            all others.

    Returns:
        The largest absolute change of a p-value, 0 to 1.

    Raises:
        ParameterError: If the formula cannot be read.
        SchemaError: If the formula names a column that is not in the table.
        UndefinedError: If a model has no finite maximum, or the tables have different categories.
    """
    return float(_changes(comparison, formula, "pvalues").max())


@measure("pvalue_mean", needs=("population",), explicit_only=True)
def pvalue_mean(comparison: Comparison, *, formula: str | None = None) -> float:
    """Mean change of a p-value of the logistic regression `formula`; see `coef_max`.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        formula: The model, such as "dia ~ gen + age + C(group)". Default: the last column with two values, explained by
            all others.

    Returns:
        The mean absolute change of a p-value, 0 to 1.

    Raises:
        ParameterError: If the formula cannot be read.
        SchemaError: If the formula names a column that is not in the table.
        UndefinedError: If a model has no finite maximum, or the tables have different categories.
    """
    return float(_changes(comparison, formula, "pvalues").mean())


def fits(x: Dataset, y: Dataset, formula: str | None = None) -> tuple[Fit, Fit]:
    """Fit the same model to both tables; their coefficients go with the same labels."""
    wanted = usual_formula(x) if formula is None else regression.parse(formula, x.schema.names)
    before = regression.fit(x.frame, wanted, "the original")
    after = regression.fit(y.frame, wanted, "the release")
    _check_categories(before, after, "a category vanished: the release has no")
    _check_categories(after, before, "a category is new: the original has no")
    return before, after


def _check_categories(one: Fit, other: Fit, words: str) -> None:
    """Refuse models with different categories: their odds ratios compare different things."""
    gone = [f"{name}={v}" for name, values in one.values.items() for v in values if v not in other.values[name]]
    if gone:
        raise UndefinedError(f"{words} {listing(gone)}, so the odds ratios cannot be compared")


def usual_formula(data: Dataset) -> Formula:
    """Explain the last column with two values, of the sensitive ones if one is, by all others that vary."""
    named = data.schema.named
    used = [name for name in (*named(Role.QI), *named(Role.SA)) if data.frame[name].drop_nulls().n_unique() > 1]
    outcomes = [name for name in used if data.frame[name].drop_nulls().n_unique() == 2]
    if len(used) < 2 or not outcomes:
        raise UndefinedError("no column has two values to explain by others; name one with the parameter formula")
    return Formula(outcomes[-1], tuple(name for name in used if name != outcomes[-1]))


def _changes(comparison: Comparison, formula: str | None, figure: Figure) -> Float:
    """Absolute change of each figure; the fits are remembered, for six measures look at the same."""
    fitted = comparison.case.cached(("odds", formula), lambda: _fits(comparison, formula))
    if isinstance(fitted, UndefinedError):
        raise fitted
    before, after = fitted
    change: Float = np.abs(getattr(before, figure) - getattr(after, figure))
    return change


def _fits(comparison: Comparison, formula: str | None) -> tuple[Fit, Fit] | UndefinedError:
    """Fit both tables, or return why that cannot be."""
    try:
        return fits(comparison.original, comparison.released, formula)
    except UndefinedError as error:
        return error
