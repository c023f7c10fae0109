"""Suppress the records of small classes."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method


@method(
    "suppress_rows",
    needs=("qi",),
    draws=False,
    drops_rows=True,
    least_rows="k",
    makes_classes=True,
    defaults={"qi": "all quasi-identifiers"},
    in_partitions="classes",
)
def suppress_rows(
    data: Dataset, *, rng: np.random.Generator, k: Annotated[int, Bounds(2)] = 2, qi: Columns = None
) -> Dataset:
    """Leave out the rows whose combination of quasi-identifiers occurs fewer than k times.

    Two missing values are equal. What remains is k-anonymous on those columns.

    Args:
        data: The table.
        rng: Unused; part of every method's signature.
        k: Least number of rows in a class.
        qi: Columns that form the classes. Default: all quasi-identifiers.

    Returns:
        The rows that stay; the notes count the others.

    Raises:
        ParameterError: If no row would stay.
    """
    groups = blocks.blocks_of_table(data.frame, data.schema.pick(qi, data.qi, "suppress_rows: qi"))
    kept = np.flatnonzero(groups.x_sizes[groups.x_labels] >= k)
    if data.height and not len(kept):
        raise ParameterError(
            f"suppress_rows: every class of the {data.height} rows has fewer than k = {k}; "
            "choose a smaller k, fewer columns in qi, or coarsen them first"
        )
    return data.take(kept).noted(suppressed=data.height - len(kept))
