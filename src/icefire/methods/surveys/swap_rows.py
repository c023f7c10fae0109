"""Swap whole rows with others within a limit, as a team of PWS Cup 2021 did."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.kernels.records import row_swapping
from icefire.methods.surveys import rows


@method("swap_rows")
def swap_rows(
    data: Dataset,
    *,
    rng: np.random.Generator,
    limit: rows.Limit = 4.0,
    numbers: Columns = None,
    categories: Columns = None,
    few: Annotated[int, Bounds(0)] | None = None,
) -> Dataset:
    """Swap the values of each row with those of a candidate, rows with the fewest candidates first.

    A candidate of a row is another row within the `limit` of iloss: no number differs by more, and no more categories
    than that differ. `numbers` and `categories` default to those among the quasi-identifiers and sensitive attributes;
    all columns are swapped. The partner is drawn among the candidates that have not been swapped yet; if all have, the
    row takes a copy of one. A row without candidates stays as it is. With `few`, rows with at most so many candidates
    are left out after the swap, so that their values may live on elsewhere.
    """
    names = rows.columns(data, "swap_rows", numbers, categories)
    source, found = row_swapping.swap_rows(rows.encoded(data, *names), limit, rng)
    here = np.arange(data.height)
    mutual = source[source] == here
    kept = here if few is None else np.flatnonzero(found > few)
    facts = {
        "swapped": int((mutual & (source != here)).sum()),
        "copied": int((~mutual).sum()),
        "unmoved": int((source == here).sum()),
        "suppressed": data.height - len(kept),
    }
    return rows.moved(data, source).take(kept).noted(**facts)
