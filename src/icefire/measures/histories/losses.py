"""Shares of the goods and of the customers that are no longer in the release."""

from __future__ import annotations

import numpy as np

from icefire.core.history import HistoryComparison
from icefire.core.registry import measure


@measure("goods_lost", data="history", needs=("original",))
def goods_lost(comparison: HistoryComparison) -> float:
    """Share of the original goods that no released row has any more.

    Args:
        comparison: The original history, the released one, and the original customer of each released one.

    Returns:
        The share of the goods, 0 to 1.
    """
    before, after, goods = comparison.case.coded
    known, shown = np.bincount(before, minlength=goods) > 0, np.bincount(after, minlength=goods) > 0
    return float((known & ~shown).sum() / known.sum())


@measure("customers_lost", data="history", needs=("original", "truth"))
def customers_lost(comparison: HistoryComparison) -> float:
    """Share of the original customers with rows of whom no released row is left.

    Args:
        comparison: The original history, the released one, and the original customer of each released one.

    Returns:
        The share of the customers, 0 to 1.
    """
    customers = comparison.original.subjects
    owners = comparison.owners
    known = np.bincount(comparison.original.codes, minlength=customers) > 0
    shown = np.bincount(owners[owners >= 0], minlength=customers) > 0
    return float((known & ~shown).sum() / known.sum())
