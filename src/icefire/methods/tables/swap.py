"""Swap sensitive attributes among people with the same quasi-identifiers."""

from __future__ import annotations

import numpy as np

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.parameters import Columns
from icefire.core.registry import method
from icefire.kernels.common import shuffling


@method(
    "swap",
    needs=("qi", "sa"),
    draws=True,
    drops_rows=False,
    defaults={"qi": "all quasi-identifiers", "columns": "all sensitive attributes"},
    in_partitions="classes",
)
def swap(data: Dataset, *, rng: np.random.Generator, qi: Columns = None, columns: Columns = None) -> Dataset:
    """Shuffle each sensitive attribute, independently, inside groups with the same quasi-identifiers.

    Totals and averages of every group stay what they were.

    Args:
        data: The table.
        rng: Random generator.
        qi: Columns that form the groups. Default: all quasi-identifiers.
        columns: Columns to shuffle. Default: all sensitive attributes.

    Returns:
        The table with shuffled values.
    """
    groups = blocks.blocks_of_table(data.frame, data.schema.pick(qi, data.qi, "qi"))
    swapped = []
    for name in data.schema.pick(columns, data.sa, "columns"):
        source = np.empty(data.height, np.int64)
        source[groups.x_rows] = groups.x_rows[shuffling.shuffled_within_blocks(groups.x_start, rng)]
        swapped.append(data.frame[name][source])
    return data.with_columns(*swapped)
