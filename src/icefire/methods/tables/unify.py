"""Replace whole columns by one value."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Columns
from icefire.core.registry import method


@method("unify", needs=("qi",))
def unify(data: Dataset, *, rng: np.random.Generator, columns: Columns = None, value: str | None = None) -> Dataset:
    """Give chosen quasi-identifiers one and the same value in every row.

    `columns` default to the last quasi-identifier. `value` defaults to the most frequent one of each column, the
    smallest of several.
    """
    names = data.schema.pick(columns, data.qi[-1:], "columns")
    return data.with_columns(*(_constant(data.frame[name], value) for name in names))


def _constant(column: pl.Series, value: str | None) -> pl.Series:
    if value is None:
        if column.null_count() == len(column):
            return column  # nothing to choose from: no rows, or none with a value
        chosen = column.drop_nulls().mode().sort().head(1)
    else:
        chosen = pl.Series([value]).cast(column.dtype, strict=False)
        if chosen[0] is None:
            raise ParameterError(f"unify: {value!r} is no value for column {column.name!r} ({column.dtype})")
    return chosen.new_from_index(0, len(column)).alias(column.name)
