"""Suppress the records of small classes."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method


@method("suppress_rows", needs=("qi",))
def suppress_rows(
    data: Dataset, *, rng: np.random.Generator, k: Annotated[int, Bounds(2)] = 2, qi: Columns = None
) -> Dataset:
    """Leave out the rows whose combination of quasi-identifiers occurs fewer than k times.

    Classes are formed by `qi` (default all quasi-identifiers); two missing values are equal. What remains is
    k-anonymous on those columns; the notes count the rows left out. If no row would remain, that is an error.
    """
    groups = blocks.blocks_of_table(data.frame, data.schema.pick(qi, data.qi, "suppress_rows: qi"))
    kept = np.flatnonzero(groups.x_sizes[groups.x_labels] >= k)
    if data.height and not len(kept):
        raise ParameterError(
            f"suppress_rows: every class of the {data.height} rows has fewer than k = {k}; "
            "choose a smaller k, fewer columns in qi, or coarsen them first"
        )
    return data.take(kept).noted(suppressed=data.height - len(kept))
