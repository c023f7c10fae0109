"""Replace sensitive attributes by the average of the group."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset, numbers
from icefire.core.parameters import Columns
from icefire.core.registry import method
from icefire.kernels.common import sums


@method(
    "average",
    needs=("qi", "numeric_sa"),
    draws=False,
    drops_rows=False,
    defaults={"qi": "all quasi-identifiers", "columns": "all numeric sensitive attributes"},
    in_partitions="classes",
)
def average(data: Dataset, *, rng: np.random.Generator, qi: Columns = None, columns: Columns = None) -> Dataset:
    """Give all rows with the same quasi-identifiers the average of their sensitive attributes.

    Missing values count for nothing and are filled by the average of the others, if any.

    Args:
        data: The table.
        rng: Unused; part of every method's signature.
        qi: Columns that form the groups. Default: all quasi-identifiers.
        columns: Columns to average. Default: all numeric sensitive attributes.

    Returns:
        The table with the averages, as fractions.
    """
    groups = blocks.blocks_of_table(data.frame, data.schema.pick(qi, data.qi, "qi"))
    names = data.schema.pick(columns, data.numeric_sa, "columns")
    means = {n: sums.mean_by_cell(numbers(data.frame[n]), groups.x_labels, groups.count) for n in names}
    return data.with_columns(*(pl.Series(n, means[n][groups.x_labels]).fill_nan(None) for n in names))
