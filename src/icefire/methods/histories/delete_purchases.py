"""Leave purchases out at random."""

from __future__ import annotations

import numpy as np

from icefire.core.errors import ParameterError
from icefire.core.history import History
from icefire.core.parameters import Share
from icefire.core.registry import method


@method("delete_purchases", data="history", draws=True, drops_rows=True)
def delete_purchases(data: History, *, rng: np.random.Generator, share: Share = 0.1, keep_one: bool = True) -> History:
    """Leave out a share of the rows, chosen at random.

    Args:
        data: The history.
        rng: Random generator.
        share: Share of the rows to leave out, rounded to whole rows.
        keep_one: Every customer keeps at least one row, chosen at random, and no more go than that allows. Without it
            customers may lose all their rows.

    Returns:
        The rows that stay; the notes count the others, and the customers without any.

    Raises:
        ParameterError: If no row would stay.
    """
    order = rng.permutation(data.height)
    if keep_one:
        # The first row of every customer in the random order is put last, where it is not deleted.
        first = np.unique(data.codes[order], return_index=True)[1]
        order = np.concatenate((np.delete(order, first), order[first]))
        gone = min(round(share * data.height), data.height - len(first))
    else:
        gone = round(share * data.height)
        if gone >= data.height > 0:
            raise ParameterError(
                f"delete_purchases: a share of {share:g} leaves none of {data.height} rows; choose less, or keep_one"
            )
    kept = np.sort(order[gone:])
    emptied = np.count_nonzero(data.baskets.sizes) - len(np.unique(data.codes[kept]))
    return data.take(kept).noted(rows_suppressed=gone, customers_emptied=int(emptied))
