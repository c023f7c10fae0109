"""Suppress single cells until every combination of quasi-identifiers is shared by k rows."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, SchemaError, did_you_mean
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.kernels.suppression import cell_keys, local, wildcard
from icefire.kernels.types import Float, Int
from icefire.methods.common.columns import picked

MOST_COLUMNS = 62
"""Sets of columns are the bits of one integer."""


@method(
    "local_suppress",
    needs=("qi",),
    draws=False,
    drops_rows=False,
    least_rows="k",
    makes_classes=True,
    defaults={"qi": "all quasi-identifiers"},
    in_partitions="partitions",
)
def local_suppress(
    data: Dataset,
    *,
    rng: np.random.Generator,
    k: Annotated[int, Bounds(2)] = 3,
    qi: Columns = None,
    importance: Columns = None,
    suppressed: Literal["own_value", "wildcard"] = "own_value",
) -> Dataset:
    """Set as few single cells to missing as it can so that every combination of quasi-identifiers is shared by k rows.

    Every cell costs the same, unless `importance` names columns, the most important first: then a cell of the last one
    costs 2, of the one before 3 and so on, of a column not named 1. The cheapest way is sought greedily, not proven.

    `suppressed` says how a missing cell counts. "own_value": missing is a value like any other, and every combination
    occurs at least k times. "wildcard": missing matches anything, and every row matches at least k rows, itself
    included; that takes far fewer cells and protects less.

    Args:
        data: The table.
        rng: Unused; part of every method's signature.
        k: Least number of rows that share a combination.
        qi: Columns to treat. Default: all quasi-identifiers.
        importance: Columns whose cells are to be spared, the most important first.
        suppressed: How a missing cell counts.

    Returns:
        The table with cells set to missing; the notes count them by column, and the rows with nothing left.

    Raises:
        ParameterError: If there are fewer than k rows, or more than 62 columns.
        SchemaError: If `importance` names a column that is not treated.
    """
    names = picked(data, "local_suppress", qi, data.qi)
    weights = _weights(names, importance)
    if len(names) > MOST_COLUMNS:
        raise ParameterError(f"local_suppress: {len(names)} columns are too many; name at most {MOST_COLUMNS} in qi")
    if data.height < 2 or not names:
        return data.noted(suppressed_cells=dict.fromkeys(names, 0), blank_rows=0)
    if k > data.height:
        raise ParameterError(f"local_suppress: k is {k}, but the table has {data.height} rows; choose a smaller k")
    cells = cell_keys.keyed_cells([_codes(data.frame[name]) for name in names], weights)
    kernel = local if suppressed == "own_value" else wildcard
    return _blanked(data, names, kernel.columns_to_hide(cells, k))


def _weights(names: tuple[str, ...], importance: Columns) -> Float:
    """Return what a cell of each column costs."""
    named = tuple(dict.fromkeys(importance or ()))
    for name in named:
        if name not in names:
            raise SchemaError(f"local_suppress: importance: {name!r} is not treated; {did_you_mean(name, names)}")
    costs = {name: 2.0 + place for place, name in enumerate(reversed(named))}
    return np.array([costs.get(name, 1.0) for name in names])


def _codes(column: pl.Series) -> Int:
    """Number the distinct values from 1; missing is 0."""
    return (blocks.dense_ranks(column).cast(pl.Int64) + 1).fill_null(0).to_numpy()


def _blanked(data: Dataset, names: tuple[str, ...], hidden: Int) -> Dataset:
    """Set the cells to missing whose bit is set, and count those that held a value."""
    thinned, gone = [], {}
    for c, name in enumerate(names):
        column = data.frame[name]
        keeps = pl.Series(hidden >> c & 1 == 0)
        thinned.append(pl.select(pl.when(keeps).then(column)).to_series().alias(name))
        gone[name] = thinned[-1].null_count() - column.null_count()
    blank = int(pl.select(pl.all_horizontal(column.is_null() for column in thinned)).to_series().sum())
    return data.with_columns(*thinned).noted(suppressed_cells=gone, blank_rows=blank)
