"""The coefficients of a logistic regression, their standard errors and p-values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core.errors import UndefinedError, listing
from icefire.kernels.common import logistic
from icefire.kernels.common.logistic import LogLikelihood
from icefire.kernels.types import Float
from icefire.regression import design
from icefire.regression.design import Design
from icefire.regression.formula import Formula

STEPS = 50
"""A maximum is reached in ten steps or so; where there is none, each step adds about 1 to some coefficient for ever."""
CLOSE = 1e-9
"""A step this small, against the size of the coefficients, is the last: the next would be its square."""
HALVINGS = 30
LARGEST = 700.0
"""A larger coefficient has an odds ratio that no floating-point number holds."""
DEPENDENT = 1e-10
"""Columns whose scaled products have an eigenvalue below this are linearly dependent."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted model; the arrays go with `labels`: the intercept, the numbers, then category=value."""

    labels: tuple[str, ...]
    coefficients: Float
    errors: Float
    """Standard errors of the coefficients."""
    rows: int
    values: dict[str, tuple[str, ...]]
    """The values of each category, the first of which the others are compared with."""

    @property
    def odds_ratios(self) -> Float:
        """By what factor the odds change per unit of a number, or against the first level of a category."""
        return np.exp(self.coefficients)

    @property
    def pvalues(self) -> Float:
        """Chance of a coefficient this far from 0 if it were 0, by the normal distribution on both sides."""
        return np.array([math.erfc(abs(z) / math.sqrt(2)) for z in (self.coefficients / self.errors).tolist()])

    def table(self) -> pl.DataFrame:
        """One row per coefficient."""
        return pl.DataFrame(
            {
                "term": self.labels,
                "coefficient": self.coefficients,
                "odds_ratio": self.odds_ratios,
                "standard_error": self.errors,
                "p_value": self.pvalues,
            }
        )


def fit(frame: pl.DataFrame, formula: Formula, table: str = "the table") -> Fit:
    """Fit a logistic regression; a model without a finite maximum raises an error that names the reason.

    The larger (or alphabetically later) of the outcome's two values is the event. Rows with a missing value are left
    out. `table` is what errors call the table.
    """
    model = design.build_design(frame, formula, table)
    beta, slope = _climbed(model, formula, table)
    back = _unscaling(model)
    covariance = back @ np.linalg.inv(slope.information) @ back.T
    fitted = Fit(model.labels, back @ beta, np.sqrt(np.diag(covariance)), model.rows, model.values)
    largest = int(np.argmax(fitted.coefficients))
    if fitted.coefficients[largest] > LARGEST:
        raise UndefinedError(
            f"the odds ratio of {model.labels[largest]!r} in {table} is too large a number; use another unit"
        )
    return fitted


def _climbed(model: Design, formula: Formula, table: str) -> tuple[Float, LogLikelihood]:
    """Walk to the maximum of the likelihood; returns the coefficients and what it looks like there."""
    beta = np.zeros(len(model.labels))
    beta[0] = math.log(model.outcome.mean() / (1 - model.outcome.mean()))
    here = _slope(model, beta)
    _check_rank(model, here.information, table)
    for _ in range(STEPS):
        try:
            step = np.linalg.solve(here.information, here.gradient).astype(np.float64)
        except np.linalg.LinAlgError:
            break
        beta, here = _uphill(model, beta, here, step)
        if np.abs(step).max() <= CLOSE * (1 + np.abs(beta).max()):
            return beta, here
    culprit = model.labels[1 + int(np.argmax(np.abs(beta[1:])))]
    raise UndefinedError(
        f"perfect separation: in {table} the columns tell {formula.outcome!r} exactly, {culprit!r} above all, so the "
        "odds ratios are not finite; leave a column out of the formula"
    )


def _uphill(model: Design, beta: Float, here: LogLikelihood, step: Float) -> tuple[Float, LogLikelihood]:
    """Take the step, or as large a part of it as does not lead downhill."""
    slack = 1e-12 * abs(here.likelihood)
    for _ in range(HALVINGS):
        there = _slope(model, beta + step)
        if there.likelihood >= here.likelihood - slack:
            break
        step /= 2
    return beta + step, there


def _slope(model: Design, beta: Float) -> LogLikelihood:
    return logistic.log_likelihood(model.numbers, model.levels, model.outcome, beta)


def _check_rank(model: Design, information: Float, table: str) -> None:
    """Refuse columns of which one can be computed from the others."""
    scale = np.sqrt(np.diag(information))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    if values[0] < DEPENDENT:
        weights = np.abs(vectors[:, 0])
        alike = [model.labels[i] for i in np.flatnonzero(weights > 0.1 * weights.max())]
        raise UndefinedError(f"in {table} these say the same: {listing(alike)}; leave one of their columns out")


def _unscaling(model: Design) -> Float:
    """Matrix that turns coefficients of standardised numbers into those of the numbers themselves."""
    back = np.eye(len(model.labels))
    places = np.arange(1, 1 + len(model.spreads))
    back[places, places] = 1 / model.spreads
    back[0, places] = -model.centres / model.spreads
    return back
