"""Swap sensitive attributes among people with the same quasi-identifiers."""

from __future__ import annotations

import numpy as np

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.parameters import Columns
from icefire.core.registry import method
from icefire.kernels.common import shuffling


@method("swap", needs=("qi", "sa"))
def swap(data: Dataset, *, rng: np.random.Generator, qi: Columns = None, columns: Columns = None) -> Dataset:
    """Shuffle each sensitive attribute, independently, inside groups with the same quasi-identifiers.

    Groups are formed by `qi` (default all quasi-identifiers); `columns` default to all sensitive attributes.
    Totals and averages of every group stay what they were.
    """
    groups = blocks.blocks_of_table(data.frame, data.schema.pick(qi, data.qi, "qi"))
    swapped = []
    for name in data.schema.pick(columns, data.sa, "columns"):
        source = np.empty(data.height, np.int64)
        source[groups.x_rows] = groups.x_rows[shuffling.shuffled_within_blocks(groups.x_start, rng)]
        swapped.append(data.frame[name][source])
    return data.with_columns(*swapped)
