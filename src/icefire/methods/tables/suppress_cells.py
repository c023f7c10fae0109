"""Suppress single cells at random."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Columns, Share
from icefire.core.registry import method
from icefire.methods.common.columns import picked


@method(
    "suppress_cells",
    needs=("qi",),
    draws=True,
    drops_rows=False,
    breaks_classes=True,
    defaults={"columns": "all quasi-identifiers"},
    in_partitions="partitions",
)
def suppress_cells(data: Dataset, *, rng: np.random.Generator, share: Share = 0.1, columns: Columns = None) -> Dataset:
    """Set a share of the cells of each column to missing, chosen at random.

    Cells are drawn for each column by itself.

    Args:
        data: The table.
        rng: Random generator.
        share: Share of the cells that hold a value, rounded to whole cells.
        columns: Columns to thin out. Default: all quasi-identifiers.

    Returns:
        The table with missing cells; the notes count them.

    Raises:
        ParameterError: If a column would lose all its values.
    """
    names = picked(data, "suppress_cells", columns, data.qi)
    changed = [_thinned(data.frame[name], share, rng) for name in names]
    gone = sum(after.null_count() - data.frame[after.name].null_count() for after in changed)
    return data.with_columns(*changed).noted(suppressed_cells=gone)


def _thinned(column: pl.Series, share: float, rng: np.random.Generator) -> pl.Series:
    present = column.is_not_null().arg_true().to_numpy()
    count = round(share * len(present))
    if count and count == len(present):
        raise ParameterError(
            f"suppress_cells: a share of {share:g} leaves column {column.name!r} no value; "
            "choose less, or use suppress_columns"
        )
    keeps = np.ones(len(column), bool)
    keeps[rng.permutation(present)[:count]] = False
    return pl.select(pl.when(pl.Series(keeps)).then(pl.lit(column))).to_series().alias(column.name)
