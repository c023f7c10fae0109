"""Keep a random sample of the rows."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Bounds, Share
from icefire.core.registry import method


@method(
    "sample_rows",
    draws=True,
    drops_rows=True,
    in_partitions=lambda parameters: "partitions" if parameters["n"] is None else None,
)
def sample_rows(
    data: Dataset, *, rng: np.random.Generator, share: Share = 0.5, n: Annotated[int, Bounds(1)] | None = None
) -> Dataset:
    """Keep a random sample of the rows: a share of them, or exactly n.

    Drawn without replacement. The complement of `delete`.

    Args:
        data: The table.
        rng: Random generator.
        share: Share of the rows to keep; at least one row is kept.
        n: Number of rows to keep. Default: as many as the share says.

    Returns:
        The sample, in the order of the table; the notes count the other rows.

    Raises:
        ParameterError: If no row would stay, or `n` is more than there are.
    """
    wanted = max(1, round(share * data.height)) if n is None else n
    if share == 0 and n is None:
        raise ParameterError("sample_rows: a share of 0 keeps no row; choose more, or give n")
    if n is not None and n > data.height:
        raise ParameterError(f"sample_rows: n is {n}, but the table has {data.height} rows; choose at most that many")
    kept = np.sort(rng.permutation(data.height)[:wanted])
    return data.take(kept).noted(suppressed=data.height - len(kept))
