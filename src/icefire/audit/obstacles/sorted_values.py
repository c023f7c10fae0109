"""The values of each row in ascending order: what is left if they were put into other columns of the same row."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import align
from icefire.core.dataset import numbers


def sorted_values(x: pl.DataFrame, y: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the numbers of each row in ascending order, then the texts of each row, of the columns in both tables.

    Args:
        x: Columns of the original.
        y: Columns of the release; a row may hold a person's values under each other's headers.
    """
    shared = [name for name in y.columns if name in x.columns]
    numeric = [name for name in shared if x[name].dtype.is_numeric() and y[name].dtype.is_numeric()]
    texts = [name for name in shared if pl.String in (x[name].dtype, y[name].dtype)]
    return _sorted(x, numeric, texts), _sorted(y, numeric, texts)


def _sorted(table: pl.DataFrame, numeric: list[str], texts: list[str]) -> pl.DataFrame:
    columns = []
    if numeric:
        ascending = np.sort(np.column_stack([numbers(table[name]) for name in numeric]), axis=1)
        columns += [pl.Series(f"number {at + 1}", values).fill_nan(None) for at, values in enumerate(ascending.T)]
    if texts:
        joined = [align.as_text(table[name]).fill_null("").alias("text") for name in texts]
        # The order of the distinct texts stands for them: few differ where there are many rows.
        distinct = pl.concat(each.unique() for each in joined).unique().sort()
        places = [each.cast(pl.Enum(distinct)).to_physical().to_numpy() for each in joined]
        ascending = np.sort(np.column_stack(places), axis=1)
        columns += [distinct.gather(places).alias(f"text {at + 1}") for at, places in enumerate(ascending.T)]
    return pl.DataFrame(columns)
