"""Synthetic rows from a Gaussian copula: a baseline to compare other releases with."""

from __future__ import annotations

from functools import cache
from statistics import NormalDist
from typing import Annotated

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset, numbers
from icefire.core.parameters import Bounds
from icefire.core.registry import method
from icefire.core.schema import Role
from icefire.kernels.types import Float, Int
from icefire.methods.common import normal_draws
from icefire.methods.common.columns import Coded, coded, restored

GRID = np.linspace(-8.0, 8.0, 8001)
"""Where the normal distribution is tabulated; between two points a straight line is right to 1e-5 or better."""

MOST_DECIMALS = 12

TINY = 1e-9
"""The variance of scores below which a column is constant."""


@method("synthesize", draws=True, drops_rows=False)
def synthesize(data: Dataset, *, rng: np.random.Generator, least: Annotated[int, Bounds(0)] = 5) -> Dataset:
    """Replace every row by a synthetic one drawn from a Gaussian copula of the table.

    Each column keeps its empirical distribution: values are drawn with the frequencies they have, missing included. A
    number that fewer than `least` people have would tell that one of them was in the data: in its place a number is
    drawn from the range of the `least` people below and above, with as many decimals as the column has. Rare text is
    drawn like other text. What columns say about one another is kept as one number per pair, the correlation of their
    normal scores, corrected for ties; categories count by their rank in alphabetical order, missing as the lowest
    value. Identifiers are left alone.

    No released row descends from an original one. Row j is released as if it came from row j, because every row has an
    origin, but that truth is nominal: attacks on it measure chance.

    Args:
        data: The table.
        rng: Random generator.
        least: Numbers that fewer people have are not released as they are; 0 or 1 releases every number.

    Returns:
        A table of as many synthetic rows.
    """
    names = [column.name for column in data.schema.columns if column.role is not Role.ID]
    if not data.height or not names:
        return data
    known = [coded(data.frame[name]) for name in names]
    scores = np.column_stack([_scores(column) for column in known])
    drawn = normal_draws.draws(rng, data.height, _correlations(scores))
    columns = [_values(column, _codes(column, drawn[:, i]), least, rng) for i, column in enumerate(known)]
    return data.with_columns(*columns).noted(synthetic_rows=data.height)


def _values(known: Coded, codes: Int, least: int, rng: np.random.Generator) -> pl.Series:
    """Return the values drawn; in place of a rare number one from around it."""
    exact = known.column(codes)
    if not known.values.dtype.is_numeric() or known.size < 2:
        return exact
    rare = (codes >= 0) & (known.counts[codes] < least)
    values = numbers(known.values)
    low, high = (values[around] for around in _around(known, codes[rare], least))
    between = numbers(exact).copy()
    between[rare] = np.clip(np.round(low + rng.random(len(low)) * (high - low), _decimals(values)), low, high)
    return restored(exact, between)


def _around(known: Coded, codes: Int, least: int) -> tuple[Int, Int]:
    """Return the values that so many people before and after those with each value have, in ascending order."""
    ends = np.cumsum(known.counts)
    before = np.maximum(ends[codes] - known.counts[codes] - least, 0)
    after = np.minimum(ends[codes] - 1 + least, ends[-1] - 1)
    return np.searchsorted(ends, before, side="right"), np.searchsorted(ends, after, side="right")


def _decimals(values: Float) -> int:
    """Return how many decimals the numbers of a column have, as far as a float tells."""
    digits = range(MOST_DECIMALS)
    return next((some for some in digits if (np.round(values, some) == values).all()), MOST_DECIMALS)


def _steps(known: Coded) -> Int:
    """How many rows lie at or below each value, missing first."""
    return np.cumsum(np.bincount(known.codes + 1, minlength=known.size + 1))


def _scores(known: Coded) -> Float:
    """Normal score of each row: the mean of a standard normal over the stretch of its value in the sorted column."""
    steps = np.concatenate([[0], _steps(known)])
    density = np.exp(-np.square(_quantile(steps / steps[-1])) / 2) / np.sqrt(2 * np.pi)
    shares = np.diff(steps) / steps[-1]
    means: Float = -np.diff(density) / np.where(shares > 0, shares, 1.0)
    return means[known.codes + 1]


def _correlations(scores: Float) -> Float:
    """Correlations of the normals behind the scores.

    With correlation r between two normals, the covariance of their scores is r times both scores' variances: exactly
    if one has no ties, else to first order. So the variances, which ties make less than 1, are divided out.
    """
    variance = np.square(scores).mean(axis=0)
    variance[variance < TINY] = np.inf
    covariance = normal_draws.products(scores) / len(scores)
    correlations: Float = np.clip(covariance / np.outer(variance, variance), -1.0, 1.0)
    np.fill_diagonal(correlations, 1.0)
    return correlations


def _codes(known: Coded, draws: Float) -> Int:
    """The value at the quantile of each draw."""
    steps = _steps(known)
    codes: Int = np.searchsorted(steps, np.interp(draws, GRID, _table()) * steps[-1], side="right") - 1
    return codes


def _quantile(shares: Float) -> Float:
    """The inverse of the normal distribution; from the nearer end, where a share is exact."""
    nearer = np.interp(np.minimum(shares, 1 - shares), _table(), GRID)
    return np.where(shares < 0.5, nearer, -nearer)


@cache
def _table() -> Float:
    return np.array([NormalDist().cdf(z) for z in GRID])
