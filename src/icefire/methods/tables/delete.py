"""Leave out a random share of the rows."""

from __future__ import annotations

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Share
from icefire.core.registry import method


@method(
    "delete",
    draws=True,
    drops_rows=True,
    in_partitions="partitions",
)
def delete(data: Dataset, *, rng: np.random.Generator, share: Share = 0.1) -> Dataset:
    """Leave out a share of the rows, chosen at random.

    Args:
        data: The table.
        rng: Random generator.
        share: Share of the rows to leave out, rounded to whole rows.

    Returns:
        The rows that stay, in their order; the notes count the others.

    Raises:
        ParameterError: If no row would stay.
    """
    gone = round(share * data.height)
    if gone >= data.height > 0:
        raise ParameterError(f"delete: a share of {share:g} leaves none of {data.height} rows; choose less")
    kept = np.sort(rng.permutation(data.height)[gone:])
    return data.take(kept).noted(suppressed=gone)
