"""Rows of a table as records to compare, and their values moved from row to row."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any

import numpy as np

from icefire.core import blocks, record_loss
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, listing
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import EarlyCheck
from icefire.core.schema import Role
from icefire.kernels.records import loss
from icefire.kernels.records.loss import Records
from icefire.kernels.types import Int

LossLimit = Annotated[float, Bounds(0)]
DEFAULTS = dict.fromkeys(("numbers", "categories"), "those among the quasi-identifiers and sensitive attributes")
"""What `columns` returns where nothing is asked for, in words."""


def columns(
    data: Dataset, owner: str, numbers: Columns, categories: Columns
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns by which rows are compared: as asked, or the numbers and the categories of the schema."""
    usual = record_loss.columns(data)
    # A column asked for as one kind is not the other kind by default.
    plain = data.schema.pick(numbers, [n for n in usual[0] if n not in (categories or ())], f"{owner}: numbers")
    words = data.schema.pick(categories, [n for n in usual[1] if n not in plain], f"{owner}: categories")
    data.check_numeric(plain)
    if not plain and not words:
        raise ParameterError(
            f"{owner}: no column to compare rows by; name some in numbers or categories, from: "
            f"{listing(data.schema.names)}"
        )
    return plain, words


def check(owner: str) -> EarlyCheck:
    """Return a check, for the decorator of a method, that there are columns to compare rows by."""

    def check_columns(data: Dataset, parameters: Mapping[str, Any], known: Collection[str] | None) -> None:
        if known is not None:
            columns(data, owner, parameters["numbers"], parameters["categories"])

    return check_columns


def encoded(data: Dataset, numbers: tuple[str, ...], categories: tuple[str, ...]) -> Records:
    """Lay the rows out for comparison."""
    codes = np.empty((data.height, len(categories)), np.int64)
    for place, name in enumerate(categories):
        codes[:, place] = blocks.dense_ranks(data.frame[name]).fill_null(-1).to_numpy()
    (records,) = loss.encode_records([(data.matrix(numbers), codes)], [flag(data, name) for name in categories])
    return records


def flag(data: Dataset, name: str) -> bool:
    """Tell a category that is written as zeros and ones."""
    column = data.frame[name]
    return column.dtype.is_numeric() and bool(column.drop_nulls().is_in([0, 1]).all())


def moved(data: Dataset, source: Int) -> Dataset:
    """Give row i all values of row source[i]; who it is, its origin and its identifiers, stays."""
    names = [column.name for column in data.schema.columns if column.role is not Role.ID]
    return data.with_columns(*data.frame.select(names)[source])
