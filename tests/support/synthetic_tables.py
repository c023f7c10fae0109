"""A population, and releases of it that remember nobody, everybody or some."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

NUMBERS = ("income", "rent", "weight")
ROLES: dict[str, Any] = {"qi": ("age", "town", "sex"), "sa": NUMBERS}
NORMAL = NormalDist()


def population(rows: int, seed: int) -> pl.DataFrame:
    """People with six columns that hang together; every seed draws other people of the same population."""
    rng = np.random.default_rng(seed)
    z = rng.multivariate_normal(np.zeros(6), 0.4 + 0.6 * np.eye(6), rows, method="cholesky")
    return pl.DataFrame(
        {
            "age": np.clip((40 + 15 * z[:, 0]).round(), 16, 95).astype(int),
            "town": np.array(["Aa", "Be", "Ce", "De", "Es"])[np.digitize(z[:, 1], [-1, -0.3, 0.3, 1])],
            "sex": np.where(z[:, 2] > 0, "f", "m"),
            "income": np.exp(10 + 0.5 * z[:, 3]).round(2),
            "rent": np.exp(6.5 + 0.4 * z[:, 4]).round(2),
            "weight": (75 + 12 * z[:, 5]).round(1),
        }
    )


def gaussian_copula(table: pl.DataFrame, rows: int, seed: int) -> pl.DataFrame:
    """Synthetic rows: normal scores with the correlations of the table, numbers at interpolated quantiles."""
    ranks = [table[name].rank("ordinal").to_numpy() / (table.height + 1) for name in table.columns]
    correlations = np.corrcoef([[NORMAL.inv_cdf(rank) for rank in column] for column in ranks])
    drawn = np.random.default_rng(seed).multivariate_normal(np.zeros(len(ranks)), correlations, rows)
    chance = np.vectorize(NORMAL.cdf)(drawn)
    columns = {name: _quantiles(table[name], chance[:, place]) for place, name in enumerate(table.columns)}
    return pl.DataFrame(columns)


def _quantiles(column: pl.Series, chance: np.ndarray) -> np.ndarray:
    if column.dtype == pl.String:
        values = np.sort(column.to_numpy())
        return values[np.minimum((chance * len(values)).astype(int), len(values) - 1)]
    values = np.quantile(column.to_numpy(), chance)
    return values.round().astype(int) if column.dtype.is_integer() else values.round(2)


def noisy(table: pl.DataFrame, scale: float, seed: int = 5) -> pl.DataFrame:
    """The same people, their amounts changed by noise of so many standard deviations."""
    rng = np.random.default_rng(seed)
    changed = [table[name] + scale * table[name].std() * rng.normal(size=table.height) for name in NUMBERS]
    return table.with_columns(changed)


def independent(table: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Every column shuffled by itself."""
    return table.select(pl.all().map_batches(lambda column: column.sample(len(column), shuffle=True, seed=seed)))


def drawn_and_changed(table: pl.DataFrame, share: float, seed: int = 7) -> pl.DataFrame:
    """People drawn with replacement: a share of the text replaced, noise of so many deviations on the numbers."""
    rng = np.random.default_rng(seed)
    rows = table[rng.integers(0, table.height, table.height)]
    changed = []
    for name in table.columns:
        values = rows[name].to_numpy()
        if rows[name].dtype == pl.String:
            others = values[rng.integers(0, len(values), len(values))]
            changed.append(pl.Series(name, np.where(rng.random(len(values)) < share, others, values)))
        else:
            noise = share * values.std() * rng.normal(size=len(values))
            changed.append(pl.Series(name, (values + noise).round(2)).cast(rows[name].dtype))
    return pl.DataFrame(changed)
