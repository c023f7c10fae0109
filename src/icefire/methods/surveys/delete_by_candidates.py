"""Leave out the rows that few others resemble."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Bounds, Columns, Share
from icefire.core.registry import method
from icefire.kernels.records import candidates
from icefire.methods.surveys import rows


@method("delete_by_candidates")
def delete_by_candidates(
    data: Dataset,
    *,
    rng: np.random.Generator,
    few: Annotated[int, Bounds(0)] = 25,
    limit: rows.Limit = 4.0,
    numbers: Columns = None,
    categories: Columns = None,
    max_share: Share = 0.5,
) -> Dataset:
    """Leave out the rows that few others could stand in for: those with at most `few` candidates.

    A candidate of a row is another row within the `limit` of iloss: no number differs by more, and no more categories
    than that differ. `numbers` and `categories` default to those among the quasi-identifiers and sensitive attributes.
    At most the share `max_share` of the rows goes, those with the fewest candidates first, of equals the lowest row.
    """
    names = rows.columns(data, "delete_by_candidates", numbers, categories)
    known = rows.encoded(data, *names)
    found = candidates.counts(known, known, limit, np.arange(data.height))
    order = np.argsort(found, kind="stable")
    gone = min(int((found <= few).sum()), int(max_share * data.height))
    return data.take(np.sort(order[gone:])).noted(suppressed=gone)
