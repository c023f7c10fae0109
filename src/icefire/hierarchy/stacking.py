"""Helpers of all hierarchy builders: distinct values at level 0, `*` on top, no level that changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from icefire.core import whole_numbers
from icefire.core.errors import InputError
from icefire.hierarchy.core import TOP, Hierarchy, build


def distinct_values(column: pl.Series) -> pl.Series:
    """Return the values of a column in ascending order, missing ones left out."""
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    counted = whole_numbers.counts_of(column)
    if counted is not None:
        lowest, counts = counted
        return pl.Series(column.name, np.flatnonzero(counts) + lowest, dtype=column.dtype)
    values = column.drop_nulls().unique().sort()
    if not len(values):
        raise InputError(f"column {column.name!r} is missing in every row; there is nothing to build a hierarchy from")
    return values


def stack(name: str, values: pl.Series, levels: Sequence[pl.Series], about: str) -> Hierarchy:
    """Build a hierarchy from what values become at each level; one that changes nothing, or joins all, is left out."""
    columns = [values]
    for level in levels:
        if level.n_unique() > 1 and not level.equals(columns[-1]):
            columns.append(level)
    return build(name, [*columns, pl.Series([TOP] * len(values), dtype=pl.String)], about)
