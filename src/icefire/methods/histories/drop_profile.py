"""Blank out or remove columns of the customer table."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core.errors import SchemaError, did_you_mean
from icefire.core.history import History
from icefire.core.parameters import Columns
from icefire.core.registry import method

BLANK = "*"


@method(
    "drop_profile",
    data="history",
    needs=("customers",),
    draws=False,
    drops_rows=False,
    defaults={"columns": "all but the customer's name"},
)
def drop_profile(
    data: History, *, rng: np.random.Generator, how: Literal["blank", "remove"] = "blank", columns: Columns = None
) -> History:
    """Blank out or remove columns of the customer table.

    Blank columns hold `*` in every row, columns of numbers 0, so that files keep their form.

    Args:
        data: The history.
        rng: Unused; part of every method's signature.
        how: Blank the columns, or leave them out.
        columns: Columns of the customer table. Default: all but the customer's name.

    Returns:
        The history with another customer table; the notes name the columns.

    Raises:
        SchemaError: If the customer table has no such column.
    """
    if data.customers is None:
        return data.noted(columns=[])
    about = [name for name in data.customers.columns if name != data.fields.subject]
    names = about if columns is None else list(dict.fromkeys(columns))
    for name in names:
        if name not in about:
            raise SchemaError(
                f"drop_profile: no column {name!r} about customers in their table; {did_you_mean(name, about)}"
            )
    if how == "remove":
        return data.with_customers(data.customers.drop(names)).noted(columns=names)
    blank = [_blank(data.customers[name]) for name in names]
    return data.with_customers(data.customers.with_columns(blank)).noted(columns=names)


def _blank(column: pl.Series) -> pl.Series:
    if column.dtype.is_numeric():
        return pl.zeros(len(column), column.dtype, eager=True).alias(column.name)
    return pl.repeat(BLANK, len(column), eager=True).alias(column.name)
