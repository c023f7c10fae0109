"""Replace whole columns by one value."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Columns
from icefire.core.registry import method


def _check_value(data: Dataset, parameters: Mapping[str, Any], known: Collection[str] | None) -> None:
    """Refuse a value that a column cannot hold, if no step before changes the column."""
    for name in data.schema.pick(parameters["columns"], data.qi[-1:], "columns"):
        if known is not None and name in known:
            _constant(data.frame[name].clear(), parameters["value"])


@method(
    "unify",
    needs=("qi",),
    draws=False,
    drops_rows=False,
    makes_constant=True,
    check=_check_value,
    defaults={
        "columns": "the last quasi-identifier",
        "value": "the most frequent one of each column, the smallest of several",
    },
    in_partitions=lambda parameters: None if parameters["value"] is None else "rows",
)
def unify(data: Dataset, *, rng: np.random.Generator, columns: Columns = None, value: str | None = None) -> Dataset:
    """Give chosen quasi-identifiers one and the same value in every row.

    Args:
        data: The table.
        rng: Unused; part of every method's signature.
        columns: Columns to change. Default: the last quasi-identifier.
        value: The value. Default: the most frequent one of each column, the smallest of several.

    Returns:
        The table with constant columns.

    Raises:
        ParameterError: If a column cannot hold the value.
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
