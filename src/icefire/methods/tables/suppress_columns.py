"""Suppress whole columns."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.parameters import Columns
from icefire.core.registry import method
from icefire.methods.common.columns import picked

SUPPRESSED = "*"


@method(
    "suppress_columns",
    needs=("qi",),
    draws=False,
    drops_rows=False,
    makes_constant=True,
    defaults={"columns": "the last quasi-identifier"},
    in_partitions="rows",
)
def suppress_columns(data: Dataset, *, rng: np.random.Generator, columns: Columns = None) -> Dataset:
    """Blank out whole columns: every cell becomes `*`, in a column of numbers 0.

    The column stays, with one value in every row, because a column without values could not be audited, and one of
    numbers that holds text could not be measured; booleans become false. Missing cells are blanked out too: who had a
    value is no longer visible. To have no column at all, leave it out of the table.

    Args:
        data: The table.
        rng: Unused; part of every method's signature.
        columns: Columns to blank out. Default: the last quasi-identifier.

    Returns:
        The table with blank columns.
    """
    names = picked(data, "suppress_columns", columns, data.qi[-1:])
    return data.with_columns(*(_blank(data.frame[name]) for name in names))


def _blank(column: pl.Series) -> pl.Series:
    if column.dtype.is_numeric():
        return pl.zeros(len(column), column.dtype, eager=True).alias(column.name)
    nothing = False if column.dtype == pl.Boolean else SUPPRESSED
    return pl.repeat(nothing, len(column), eager=True).alias(column.name)
