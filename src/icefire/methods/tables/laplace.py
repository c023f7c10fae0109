"""Laplace noise, with its ε."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.methods.common.columns import numeric, restored
from icefire.methods.common.ranges import Limits


@method("laplace")
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

    `columns` default to the numeric sensitive attributes, or else the numeric quasi-identifiers. Values are first
    clamped to `low` and `high` (default: the range of the column), and the `sensitivity` is the width of that range
    unless given. Each value then has ε-local differential privacy; the notes state ε by column and in all. Whole
    numbers are rounded; `truncate` cuts toward zero instead, in every column, as PWS Cup 2021 does. Missing
    values stay missing.
    """
    limits = Limits(low, high, sensitivity).checked("laplace")
    names = numeric(data, "laplace", columns)
    made = []
    for name in names:
        values, width = limits.clamped(data.frame[name])
        noisy = values + rng.laplace(0, width / epsilon, len(values))
        made.append(restored(data.frame[name], np.trunc(noisy) if truncate else noisy))
    return data.with_columns(*made).noted(
        epsilon_per_column=epsilon, epsilon_total=epsilon * len(names), sensitivity=limits.source
    )
