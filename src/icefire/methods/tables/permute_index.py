"""Falsify the correspondence of rows without changing a value."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.parameters import Share
from icefire.core.registry import method


@method(
    "permute_index",
    draws=True,
    drops_rows=False,
    hint="permute_index protects nobody: it only falsifies which row is whose",
)
def permute_index(
    data: Dataset,
    *,
    rng: np.random.Generator,
    share: Share = 1.0,
    how: Literal["rotate", "random"] = "rotate",
) -> Dataset:
    """Keep every value and falsify the correspondence, as a contestant would to make every attack fail.

    No protection at all: the AYA rule of the judge sees through it.

    Args:
        data: The table.
        rng: Random generator.
        share: Share of the rows, chosen at random, that trade their claimed origins.
        how: Each of them takes its neighbour's origin (rotate) or that of any of them (random).

    Returns:
        The same table with another hidden origin.
    """
    chosen = np.sort(rng.permutation(data.height)[: round(share * data.height)])
    origin = data.frame[ORIGIN].to_numpy().copy()
    traded = np.roll(chosen, 1) if how == "rotate" else rng.permutation(chosen)
    origin[chosen] = origin[traded]
    return data.with_columns(pl.Series(ORIGIN, origin))
