"""U1-cMAE and U2-cMAE: change of the tables of mean price and number by sex and country."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.errors import ParameterError, UndefinedError, did_you_mean, listing
from icefire.core.history import History, HistoryComparison
from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.kernels.common import sums
from icefire.kernels.types import Bool, Float, Int
from icefire.measures.cells import number_cells

RowValue = Literal["price", "number", "amount"]
Aggregation = Literal["mean", "sum", "count"]

USUAL_KEYS = ({"sex", "gender"}, {"country", "nationality"})
"""The contest crossed sex and country; columns are recognised by these names."""


@measure("u1_cmae", code="U1-cMAE", data="history", needs=("price", "customers", "original"))
def u1_cmae(
    comparison: HistoryComparison,
    *,
    keys: Columns = None,
    value: RowValue = "price",
    aggregation: Aggregation = "mean",
) -> float:
    """Mean change of a cell in the table of mean prices by sex and country of the customer.

    Over the cells with rows in either file; where one has none it counts as 0. `keys` names other columns of the
    customer table. `value` takes the price, the number or the amount (price × number) of a row, `aggregation` its mean
    or sum in the cell, or the count of rows.

    Args:
        comparison: The original history, the released one, and the original customer of each released one.
        keys: Columns of the customer table that are crossed. Default: sex and country, by their usual names.
        value: What is taken from each row: its "price", "number" or "amount" (price × number).
        aggregation: What a cell holds: the "mean" or "sum" of the values, or the "count" of the rows.

    Returns:
        The mean absolute change of a cell.

    Raises:
        ParameterError: If the customer table has no column of a name in `keys`.
        UndefinedError: If a history lacks its customer table, the keys, or the price or number that is wanted.
    """
    return _change(comparison, keys, value, aggregation)


@measure("u2_cmae", code="U2-cMAE", data="history", needs=("number", "customers", "original"))
def u2_cmae(
    comparison: HistoryComparison,
    *,
    keys: Columns = None,
    value: RowValue = "number",
    aggregation: Aggregation = "mean",
) -> float:
    """Mean change of a cell in the table of mean numbers bought by sex and country of the customer.

    Cells and parameters as for `u1_cmae`.

    Args:
        comparison: The original history, the released one, and the original customer of each released one.
        keys: Columns of the customer table that are crossed. Default: sex and country, by their usual names.
        value: What is taken from each row: its "price", "number" or "amount" (price × number).
        aggregation: What a cell holds: the "mean" or "sum" of the values, or the "count" of the rows.

    Returns:
        The mean absolute change of a cell.

    Raises:
        ParameterError: If the customer table has no column of a name in `keys`.
        UndefinedError: If a history lacks its customer table, the keys, or the price or number that is wanted.
    """
    return _change(comparison, keys, value, aggregation)


def _change(comparison: HistoryComparison, keys: Columns, value: RowValue, aggregation: Aggregation) -> float:
    left, right, size = _cells(comparison, keys)
    before, present_before = _table(comparison.original, left, size, value, aggregation)
    after, present_after = _table(comparison.released, right, size, value, aggregation)
    occupied = present_before | present_after
    return float(np.abs(before - after)[occupied].mean())


def _cells(comparison: HistoryComparison, keys: Columns) -> tuple[Int, Int, int]:
    """Number the cells over both customer tables; returns the cell of every original and every released row."""
    x, y = comparison.original, comparison.released
    if x.customers is None or y.customers is None:
        raise UndefinedError("one of the histories has no table of customers; give it with --customers")
    joint = []
    for name in _keys(x, keys):
        if name not in y.customers.columns:
            raise UndefinedError(f"the released table of customers has no column {name!r}; choose others with keys")
        joint.append(blocks.encode_jointly(x.customers[name].cast(pl.String), y.customers[name].cast(pl.String)))
    cells, size = number_cells(joint, x.subjects + y.subjects)
    return cells[: x.subjects][x.codes], cells[x.subjects :][y.codes], size


def _keys(x: History, keys: Columns) -> list[str]:
    assert x.customers is not None
    present = [name for name in x.customers.columns if name != x.fields.subject]
    if keys is not None:
        for name in keys:
            if name not in present:
                raise ParameterError(f"parameter 'keys': no column {name!r}; {did_you_mean(name, present)}")
        return list(keys)
    matches = [next((name for name in present if name.lower() in usual), None) for usual in USUAL_KEYS]
    usual = [name for name in matches if name is not None]
    if not usual:
        raise UndefinedError(
            f"the table of customers has neither sex nor country; name columns with keys, from: {listing(present)}"
        )
    return usual


def _table(history: History, cells: Int, size: int, value: RowValue, aggregation: Aggregation) -> tuple[Float, Bool]:
    """Fill the table; returns it and which cells have rows."""
    counts = np.bincount(cells, minlength=size)
    if aggregation == "count":
        return counts.astype(np.float64), counts > 0
    values = _values(history, value)
    if aggregation == "sum":
        return np.bincount(cells, np.nan_to_num(values), size).astype(np.float64), counts > 0
    return np.nan_to_num(sums.mean_by_cell(values, cells, size)), counts > 0


def _values(history: History, value: RowValue) -> Float:
    if value != "number" and not history.has("price"):
        raise UndefinedError(f"{history.name!r} has no price column; name it with --price")
    if value == "number" and not history.has("number"):
        raise UndefinedError(f"{history.name!r} has no number column; name it with --number")
    if value == "amount":
        return history.prices * history.numbers
    return history.prices if value == "price" else history.numbers
