"""Leave out the rows that few others resemble."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Bounds, Columns, Share
from icefire.core.registry import method
from icefire.kernels.records import candidates
from icefire.methods.surveys import rows


@method(
    "delete_by_candidates",
    draws=False,
    drops_rows=True,
    check=rows.check("delete_by_candidates"),
    defaults=rows.DEFAULTS,
)
def delete_by_candidates(
    data: Dataset,
    *,
    rng: np.random.Generator,
    few: Annotated[int, Bounds(0)] = 25,
    limit: rows.LossLimit = 4.0,
    numbers: Columns = None,
    categories: Columns = None,
    max_share: Share = 0.5,
) -> Dataset:
    """Leave out the rows that few others could stand in for: those with at most `few` candidates.

    A candidate of a row is another row within the `limit` of iloss: no number differs by more, and no more categories
    than that differ.

    Those with the fewest candidates go first, of equals the lowest row.

    Args:
        data: The table.
        rng: Unused; part of every method's signature.
        few: Most candidates of a row that is left out.
        limit: Largest difference of a number, and most categories that may differ, between a row and a candidate.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the others among them.
        max_share: Largest share of the rows that may go.

    Returns:
        The rows that stay; the notes count the others.

    Raises:
        ParameterError: If there is no column to compare rows by.
        SchemaError: If a column of `numbers` holds none.
    """
    names = rows.columns(data, "delete_by_candidates", numbers, categories)
    known = rows.encoded(data, *names)
    counts = candidates.counts(known, known, limit, np.arange(data.height))
    order = np.argsort(counts, kind="stable")
    gone = min(int((counts <= few).sum()), int(max_share * data.height))
    return data.take(np.sort(order[gone:])).noted(suppressed=gone)
