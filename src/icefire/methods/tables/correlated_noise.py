"""Add noise that is correlated like the data."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.methods.common import normal_draws
from icefire.methods.common.columns import NUMBERS_BY_ROLE, numeric, numeric_check, restored


@method(
    "correlated_noise",
    draws=True,
    drops_rows=False,
    check=numeric_check("correlated_noise"),
    defaults={"columns": NUMBERS_BY_ROLE},
    in_partitions="partitions",
)
def correlated_noise(
    data: Dataset,
    *,
    rng: np.random.Generator,
    scale: Annotated[float, Bounds(0)] = 0.1,
    keep_spread: bool = False,
    columns: Columns = None,
) -> Dataset:
    """Add normal noise with the covariance of the data, times `scale` squared.

    Covariances grow by the same factor 1 + scale², so correlations stay. Whole numbers stay whole; missing values stay
    missing.

    Args:
        data: The table.
        rng: Random generator.
        scale: Standard deviation of the noise as a multiple of that of the column.
        keep_spread: Draw the result in around the mean by the square root of that factor, so that covariances stay too.
        columns: Columns to change. Default: the numeric sensitive attributes, or else the numeric quasi-identifiers.

    Returns:
        The table with noise.

    Raises:
        ParameterError: If a column holds no numbers, or there is none to work on.
    """
    names = numeric(data, "correlated_noise", columns)
    table = data.matrix(names)
    noise = normal_draws.draws(rng, data.height, normal_draws.correlations(table))
    moved = table + scale * normal_draws.spreads(table) * noise
    if keep_spread:
        middle = normal_draws.means(table)
        moved = middle + (moved - middle) / np.sqrt(1 + scale**2)
    return data.with_columns(*(restored(data.frame[n], moved[:, i].copy()) for i, n in enumerate(names)))
