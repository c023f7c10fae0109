"""Run one method on a small table, rows in their original order."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import roles, seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.registry import get


def holding(frame, qi=("q",), sa=("s",), ids=()) -> Dataset:
    """A dataset of any size over columns given as a frame or a dict; roles go to the columns that are there."""
    frame = pl.DataFrame(frame)
    present = [[name for name in names if name in frame.columns] for names in (qi, sa, ids)]
    return Dataset(frame, roles.choose(frame, *present))


def applied(name, data, seed=0, **parameters) -> Dataset:
    """The whole result: frame, hidden origin, notes."""
    entry = get("method", name)
    carried = data.with_frame(data.frame.with_columns(pl.Series(ORIGIN, np.arange(data.height))))
    made: Dataset = entry.function(carried, rng=seeds.generator(seed, name), **entry.bind(parameters))
    return made
