"""Swap whole rows with others within a limit, as a team of PWS Cup 2021 did."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.kernels.records import row_swapping
from icefire.methods.surveys import rows


@method(
    "swap_rows",
    draws=True,
    drops_rows=lambda parameters: parameters["few"] is not None,
    check=rows.check("swap_rows"),
    defaults=rows.DEFAULTS,
)
def swap_rows(
    data: Dataset,
    *,
    rng: np.random.Generator,
    limit: rows.LossLimit = 4.0,
    numbers: Columns = None,
    categories: Columns = None,
    few: Annotated[int, Bounds(0)] | None = None,
) -> Dataset:
    """Swap the values of each row with those of a candidate, rows with the fewest candidates first.

    A candidate of a row is another row within the `limit` of iloss: no number differs by more, and no more categories
    than that differ.

    The partner is drawn among the candidates that have not been swapped yet; if all have, the row takes a copy of one.
    A row without candidates stays as it is. All columns are swapped.

    Args:
        data: The table.
        rng: Random generator.
        limit: Largest difference of a number, and most categories that may differ, between a row and a candidate.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the others among them.
        few: Leave out, after the swap, rows with at most so many candidates; their values may live on elsewhere.
            Default: no row goes.

    Returns:
        The table with swapped rows; the notes count those swapped, copied, unmoved and left out.

    Raises:
        ParameterError: If there is no column to compare rows by.
        SchemaError: If a column of `numbers` holds none.
    """
    names = rows.columns(data, "swap_rows", numbers, categories)
    source, counts = row_swapping.swap_rows(rows.encoded(data, *names), limit, rng)
    here = np.arange(data.height)
    mutual = source[source] == here
    kept = here if few is None else np.flatnonzero(counts > few)
    facts = {
        "swapped": int((mutual & (source != here)).sum()),
        "copied": int((~mutual).sum()),
        "unmoved": int((source == here).sum()),
        "suppressed": data.height - len(kept),
    }
    return rows.moved(data, source).take(kept).noted(**facts)
