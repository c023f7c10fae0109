"""Synthetic tables to train on: columns of many kinds, tied to one another by hidden factors."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import roles
from icefire.core.dataset import Dataset

FACTORS = 3


def random_table(rng: np.random.Generator) -> Dataset:
    """Draw a table of 300 to 2,000 rows with two to ten quasi-identifiers and one to nine sensitive attributes."""
    rows = int(np.exp(rng.uniform(np.log(300), np.log(2000))))
    factors = rng.standard_normal((rows, FACTORS))
    strength = rng.uniform(0.3, 0.95)
    qi = {f"q{i}": _quasi_identifier(_score(factors, strength, rng), rng) for i in range(int(rng.integers(2, 11)))}
    sa = {f"s{i}": _amount(_score(factors, strength, rng), rng) for i in range(int(rng.integers(1, 9)))}
    if rng.random() < 0.4:
        sa["t0"] = _category(_score(factors, strength, rng), int(rng.integers(2, 12)), rng)
    frame = pl.DataFrame({**qi, **sa})
    if rng.random() < 0.2:
        frame = with_gaps(frame, rng)
    return Dataset(frame, roles.choose(frame, list(qi), list(sa)), "training")


def _score(factors: np.ndarray, strength: float, rng: np.random.Generator) -> np.ndarray:
    """A standard normal column that shares the factors to some degree."""
    weights = rng.standard_normal(FACTORS)
    weights /= np.linalg.norm(weights)
    own = strength * rng.uniform(0.3, 1.0)
    return own * factors @ weights + np.sqrt(1 - own**2) * rng.standard_normal(len(factors))


def _ranks(score: np.ndarray) -> np.ndarray:
    return (np.argsort(np.argsort(score)) + 0.5) / len(score)


def _quasi_identifier(score: np.ndarray, rng: np.random.Generator) -> pl.Series:
    kind = rng.choice(["text", "text", "code", "age", "count", "flag"])
    if kind == "text":
        return _category(score, int(rng.integers(2, 16)), rng)
    if kind == "code":
        shares = rng.dirichlet(np.full(int(rng.integers(2, 10)), 0.8))
        return pl.Series(np.searchsorted(np.cumsum(shares)[:-1], _ranks(score)).astype(np.int64) + 1)
    if kind == "age":
        low, high = int(rng.integers(0, 25)), int(rng.integers(60, 95))
        return pl.Series((low + (high - low) * _ranks(score) ** rng.uniform(0.7, 1.5)).astype(np.int64))
    if kind == "count":
        return pl.Series(rng.poisson(np.exp(0.4 * score + rng.uniform(-0.5, 1.0))).astype(np.int64))
    return pl.Series((score > rng.uniform(-1.2, 1.2)).astype(np.int64))


def _category(score: np.ndarray, count: int, rng: np.random.Generator) -> pl.Series:
    shares = rng.dirichlet(np.full(count, rng.uniform(0.4, 3.0)))
    codes = np.searchsorted(np.cumsum(shares)[:-1], _ranks(score))
    names = np.array([f"{chr(97 + int(place) % 26)}{place:02d}" for place in rng.permutation(count)])
    return pl.Series(names[codes])


def _amount(score: np.ndarray, rng: np.random.Generator) -> pl.Series:
    draw = AMOUNTS[int(rng.integers(len(AMOUNTS)))]
    return pl.Series(draw(score, 10.0 ** rng.uniform(1.0, 5.0), rng))


def _income(score: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    return _whole(size * np.exp(rng.uniform(0.3, 1.2) * score))


def _spent(score: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    """Nothing for many."""
    return _whole(np.where(_ranks(-score) < rng.uniform(0.2, 0.85), size * np.exp(0.8 * score), 0.0))


def _rarely_spent(score: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    """Nothing for nearly all."""
    return _whole(np.where(_ranks(-score) < rng.uniform(0.03, 0.2), size * np.exp(score), 0.0))


def _measured(score: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    return np.round(rng.uniform(20, 150) + rng.uniform(2, 20) * score, int(rng.integers(1, 4)))


def _scale_of_ten(score: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    return _whole(np.clip(5 + 2 * score, 0, 10))


def _few_levels(score: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    return np.searchsorted(np.sort(rng.uniform(-1.5, 1.5, int(rng.integers(1, 4)))), score).astype(np.int64)


def _heaped(score: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    """Round numbers by nature, mostly."""
    step = int(rng.choice([5, 10, 50, 100]))
    exact = rng.random(len(score)) < rng.uniform(0.0, 0.5)
    plain = size * np.exp(0.6 * score)
    return _whole(np.where(exact, plain, step * np.rint(plain / step)))


def _share(score: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-score))


def _hours(score: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    """Forty for many."""
    return _whole(np.where(rng.random(len(score)) < 0.45, 40, np.clip(40 + 12 * score, 1, 99)))


def _heavy_tails(score: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    return np.round(size * np.sinh(rng.uniform(0.5, 2.0) * score) + size, 2)


def _whole(values: np.ndarray) -> np.ndarray:
    return np.rint(values).astype(np.int64)


AMOUNTS = (
    *(_income, _income, _spent, _rarely_spent, _measured, _scale_of_ten, _few_levels),
    *(_heaped, _share, _hours, _heavy_tails),
)


def with_gaps(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Blank some cells of some columns."""
    changed = []
    for name in frame.columns:
        if rng.random() < 0.3:
            gaps = pl.Series(rng.random(frame.height) < rng.uniform(0.01, 0.15))
            changed.append(pl.select(pl.when(~gaps).then(frame[name])).to_series().alias(name))
    return frame.with_columns(changed)
