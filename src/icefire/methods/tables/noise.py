"""Add random noise to sensitive attributes."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset, numbers
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.methods.common.columns import numeric, numeric_check, restored


@method(
    "noise",
    needs=("numeric_sa",),
    draws=True,
    drops_rows=False,
    check=numeric_check("noise"),
    defaults={"columns": "all numeric sensitive attributes"},
    in_partitions="partitions",
)
def noise(
    data: Dataset,
    *,
    rng: np.random.Generator,
    scale: Annotated[float, Bounds(0)] = 0.1,
    columns: Columns = None,
    distribution: Literal["normal", "laplace", "uniform"] = "normal",
) -> Dataset:
    """Add noise whose standard deviation is `scale` times that of the column.

    Whole numbers stay whole; missing values stay missing.

    Args:
        data: The table.
        rng: Random generator.
        scale: Standard deviation of the noise as a multiple of that of the column.
        columns: Columns to change. Default: all numeric sensitive attributes.
        distribution: Shape of the noise.

    Returns:
        The table with noise.

    Raises:
        ParameterError: If a column holds no numbers.
    """
    names = numeric(data, "noise", columns)
    return data.with_columns(*(_noisy(data.frame[name], rng, scale, distribution) for name in names))


def _noisy(column: pl.Series, rng: np.random.Generator, scale: float, distribution: str) -> pl.Series:
    values = numbers(column)
    spread = scale * float(np.nanstd(values)) if column.count() else 0.0
    return restored(column, values + spread * _unit_draws(rng, distribution, len(values)))


def _unit_draws(rng: np.random.Generator, distribution: str, count: int) -> np.ndarray:
    """Draws with mean 0 and standard deviation 1."""
    if distribution == "laplace":
        return rng.laplace(0, np.sqrt(0.5), count)
    if distribution == "uniform":
        return rng.uniform(-np.sqrt(3), np.sqrt(3), count)
    return rng.standard_normal(count)
