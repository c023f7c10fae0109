"""Run one step on a table that carries the hidden origin of its rows."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import polars as pl

from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.errors import IcefireError
from icefire.core.history import History
from icefire.recipe.faults import in_step
from icefire.recipe.steps import Step


def with_origin(data: Dataset) -> Dataset:
    """Give every row the hidden number that it will be known by."""
    return data.with_frame(data.frame.with_columns(pl.Series(ORIGIN, np.arange(data.height, dtype=np.int64))))


Data = TypeVar("Data", Dataset, History)


def apply(table: Data, number: int, step: Step, rng: np.random.Generator) -> Data:
    """Run one step; an error says which one it was."""
    try:
        made: Data = step.entry.function(table.noted(), rng=rng, **step.parameters)
    except IcefireError as error:
        raise in_step(number, error).as_error() from None
    return made
