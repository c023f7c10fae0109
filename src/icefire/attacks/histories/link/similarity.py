"""Answers by the similarity of the sets of goods alone, for releases whose rows tell too little otherwise."""

from __future__ import annotations

import numpy as np

from icefire.attacks.histories.link.prepared import Prepared
from icefire.core.history.baskets import make_baskets
from icefire.kernels.assignment import auction
from icefire.kernels.baskets import top_matches
from icefire.kernels.types import Bool, Int

KEPT = 64
ALL_PAIRS = 1_000
"""Number of units up to which every pair that shares a good may be assigned."""


def similar_customers(prepared: Prepared) -> tuple[Int, float]:
    """Assign units one to one so that the total Jaccard coefficient of the sets of goods is largest.

    Args:
        prepared: The comparable columns.

    Returns:
        One customer per released subject, -1 for none; and how often two halves of the goods lead to the same one.
    """
    everything = np.ones(len(prepared.goods.own), np.bool_), np.ones(len(prepared.goods.shown), np.bool_)
    one, other = (
        _assigned(prepared, prepared.goods.own % 2 == half, prepared.goods.shown % 2 == half) for half in (0, 1)
    )
    return _assigned(prepared, *everything), float(((one == other) & (one >= 0)).mean())


def _assigned(prepared: Prepared, own: Bool, shown: Bool) -> Int:
    owners, goods = prepared.owners, prepared.goods.with_rows(own, shown)
    count = int(max(prepared.goods.own.max(initial=-1), prepared.goods.shown.max(initial=-1))) + 1
    known = make_baskets(owners.own[own], goods.own, owners.own_count, count)
    released = make_baskets(owners.shown[shown], goods.shown, owners.shown_count, count)
    choices = owners.own_count if owners.own_count <= ALL_PAIRS else KEPT
    pairs = top_matches.top_matches((known.start, known.items), (released.start, released.items), count, choices)
    units = auction.assign(*pairs, owners.own_count)
    customers: Int = np.where(units >= 0, prepared.units.owner[np.maximum(units, 0)], -1)
    return customers
