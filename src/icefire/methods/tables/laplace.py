"""Add Laplace noise for ε-local differential privacy."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.methods.common.columns import NUMBERS_BY_ROLE, numeric, numeric_check, restored
from icefire.methods.common.ranges import Limits, noise_in_partitions


@method(
    "laplace",
    draws=True,
    drops_rows=False,
    check=numeric_check("laplace"),
    defaults={"low": "the range of the column", "high": "the range of the column", "columns": NUMBERS_BY_ROLE},
    in_partitions=noise_in_partitions,
)
def laplace(
    data: Dataset,
    *,
    rng: np.random.Generator,
    epsilon: Annotated[float, Bounds(1e-6)] = 1.0,
    sensitivity: Annotated[float, Bounds(1e-9)] | None = None,
    low: float | None = None,
    high: float | None = None,
    truncate: bool = False,
    columns: Columns = None,
) -> Dataset:
    """Add Laplace noise of scale sensitivity/ε to numbers.

    Values are first clamped to `low` and `high`. Each value then has ε-local differential privacy. Whole numbers are
    rounded. Missing values stay missing.

    Args:
        data: The table.
        rng: Random generator.
        epsilon: Privacy loss ε of one value.
        sensitivity: How far two values may lie apart. Default: the width from `low` to `high`.
        low: Least value. Default: the smallest of the column.
        high: Greatest value. Default: the largest of the column.
        truncate: Cut toward zero instead of rounding, in every column, as PWS Cup 2021 does.
        columns: Columns to change. Default: the numeric sensitive attributes, or else the numeric quasi-identifiers.

    Returns:
        The table with noise; the notes state ε by column and in all.

    Raises:
        ParameterError: If `low` is above `high`, a column holds no numbers, or there is none to work on.
    """
    limits = Limits(low, high, sensitivity).checked("laplace")
    names = numeric(data, "laplace", columns)
    changed = []
    for name in names:
        values, width = limits.clamped(data.frame[name])
        noisy = values + rng.laplace(0, width / epsilon, len(values))
        changed.append(restored(data.frame[name], np.trunc(noisy) if truncate else noisy))
    return data.with_columns(*changed).noted(
        epsilon_per_column=epsilon, epsilon_total=epsilon * len(names), sensitivity=limits.source
    )
