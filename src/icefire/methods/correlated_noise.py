"""Noise that moves columns together the way the data do."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.dataset import Dataset
from icefire.methods import mixing
from icefire.methods.columns import numeric, restored
from icefire.parameters import Bounds, Columns
from icefire.registry import method
from icefire.release import Float


@method("correlated_noise")
def correlated_noise(
    data: Dataset,
    *,
    rng: np.random.Generator,
    scale: Annotated[float, Bounds(0)] = 0.1,
    keep_spread: bool = False,
    columns: Columns = None,
) -> Dataset:
    """Add normal noise with the covariance of the data, times `scale` squared.

    `columns` default to the numeric sensitive attributes, or else the numeric quasi-identifiers. Covariances grow
    by the same factor 1 + scale², so correlations stay; `keep_spread` draws the result in around the mean by the
    square root of that factor, so that covariances stay too. Whole numbers stay whole; missing values missing.
    """
    names = numeric(data, "correlated_noise", columns)
    table = data.matrix(names)
    noise = scale * _spread(table) * mixing.draws(rng, data.height, mixing.correlations(table))
    moved = table + noise
    if keep_spread:
        middle = table.sum(axis=0, where=~np.isnan(table)) / np.maximum((~np.isnan(table)).sum(axis=0), 1)
        moved = middle + (moved - middle) / np.sqrt(1 + scale**2)
    return data.with_columns(*(restored(data.frame[n], moved[:, i].copy()) for i, n in enumerate(names)))


def _spread(table: Float) -> Float:
    """Standard deviations, 0 for a column without values."""
    present = ~np.isnan(table)
    count = np.maximum(present.sum(axis=0), 1)
    middle = table.sum(axis=0, where=present) / count
    spread: Float = np.sqrt(np.square(table - middle).sum(axis=0, where=present) / count)
    return spread
