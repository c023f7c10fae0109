"""Shuffle columns over the whole table."""

from __future__ import annotations

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Columns
from icefire.core.registry import method
from icefire.methods.common.columns import picked


@method(
    "shuffle",
    needs=("sa",),
    draws=True,
    drops_rows=False,
    defaults={"columns": "all sensitive attributes"},
    in_partitions="partitions",
)
def shuffle(data: Dataset, *, rng: np.random.Generator, together: bool = False, columns: Columns = None) -> Dataset:
    """Permute the values of columns over all rows at random.

    Every column keeps its values, missing ones included.

    Args:
        data: The table.
        rng: Random generator.
        together: Permute all columns in the same way, which keeps what they say about one another, instead of each by
            itself.
        columns: Columns to permute. Default: all sensitive attributes.

    Returns:
        The table with permuted columns.
    """
    names = picked(data, "shuffle", columns, data.sa)
    order = rng.permutation(data.height)
    changed = []
    for name in names:
        changed.append(data.frame[name][order])
        order = order if together else rng.permutation(data.height)
    return data.with_columns(*changed)
