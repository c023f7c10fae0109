"""Suppress goods in combinations that too few customers share (k^m-anonymity)."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.errors import ParameterError
from icefire.core.history import History
from icefire.core.parameters import Bounds
from icefire.core.registry import method
from icefire.kernels.baskets import rare_goods
from icefire.kernels.baskets.incidence import Incidence


@method("suppress_rare_goods", data="history", draws=False, drops_rows=True)
def suppress_rare_goods(
    data: History, *, rng: np.random.Generator, k: Annotated[int, Bounds(1)] = 2, m: Annotated[int, Bounds(1, 3)] = 1
) -> History:
    """Leave goods out until every combination of up to `m` goods of a customer is shared by at least `k` customers.

    Known as k^m-anonymity: whoever knows up to m goods of a person finds k customers or none. A good goes for everybody
    or for nobody; which ones is chosen one after another, those in most rare combinations for each buyer first, and
    what turns out to be harmless in the end comes back. Customers may lose all their rows.

    Args:
        data: The history.
        rng: Unused; part of every method's signature.
        k: Least number of customers that share a combination.
        m: Most goods in a combination.

    Returns:
        The rows that stay; the notes count goods and rows left out, and customers without any.

    Raises:
        ParameterError: If no good would stay.
    """
    baskets = data.baskets
    stays = rare_goods.goods_to_keep(Incidence(baskets.start, baskets.items, *baskets.by_item()), k, m)
    if data.height and not stays.any():
        raise ParameterError(f"suppress_rare_goods: k = {k}, m = {m} leaves none of {len(stays)} goods; choose less")
    rows = np.flatnonzero(stays[data.items])
    emptied = np.count_nonzero(baskets.sizes) - len(np.unique(data.codes[rows]))
    return data.take(rows).noted(
        goods_suppressed=int((~stays).sum()), rows_suppressed=data.height - len(rows), customers_emptied=int(emptied)
    )
