"""Change of support and lift of the item pairs most often bought together."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np

from icefire.core.errors import UndefinedError
from icefire.core.history import Baskets, History, HistoryComparison, receipts
from icefire.core.parameters import Bounds, Share
from icefire.core.registry import measure
from icefire.kernels.baskets import item_pairs
from icefire.kernels.types import Float, Int

Unit = Literal["receipt", "customer"]
ChangeScale = Literal["relative", "none"]
Top = Annotated[int, Bounds(1, 100_000)]

LEAST = 2
"""Baskets that must hold a pair at least: once may be chance."""


@measure("support_error", data="history", needs=("original",))
def support_error(
    comparison: HistoryComparison,
    *,
    top: Top = 100,
    min_support: Share = 0.001,
    unit: Unit | None = None,
    scale: ChangeScale = "relative",
) -> float:
    """Mean change of the support of the item pairs most often bought together, as a share of it.

    Support is the share of baskets with both items. The pairs are the `top` ones of the original, if at least
    `min_support` (and two) of its baskets have them. A basket is a receipt (the default where both files have them) or
    all that a customer bought (`unit`). `scale` none gives the change itself.

    Args:
        comparison: The original history, the released one, and the original customer of each released one.
        top: How many pairs are compared, the most frequent of the original.
        min_support: Least share of the original baskets that must hold a pair.
        unit: What a basket is: "receipt" or "customer". Default: a receipt where both files have them.
        scale: "relative" divides each change by the value in the original, "none" does not.

    Returns:
        The mean absolute change of the support of a pair.

    Raises:
        UndefinedError: If the release has no rows, a file has no receipts, or no pair is frequent enough.
    """
    before, after = _pair_tables(comparison, top, min_support, unit)
    return _change(before.support, after.support, scale)


@measure("lift_error", data="history", needs=("original",))
def lift_error(
    comparison: HistoryComparison,
    *,
    top: Top = 100,
    min_support: Share = 0.001,
    unit: Unit | None = None,
    scale: ChangeScale = "relative",
) -> float:
    """Mean change of the lift of the item pairs most often bought together, as a share of it.

    Lift is how much more often two items are in one basket than if they had nothing to do with each other; 0 where
    one of them is gone. Parameters as for `support_error`.

    Args:
        comparison: The original history, the released one, and the original customer of each released one.
        top: How many pairs are compared, the most frequent of the original.
        min_support: Least share of the original baskets that must hold a pair.
        unit: What a basket is: "receipt" or "customer". Default: a receipt where both files have them.
        scale: "relative" divides each change by the value in the original, "none" does not.

    Returns:
        The mean absolute change of the lift of a pair.

    Raises:
        UndefinedError: If the release has no rows, a file has no receipts, or no pair is frequent enough.
    """
    before, after = _pair_tables(comparison, top, min_support, unit)
    return _change(before.lift, after.lift, scale)


class _PairTable:
    """Support and lift of some pairs."""

    def __init__(self, together: Int, every: Int, pairs: Int, baskets: int) -> None:
        self.support: Float = together / baskets
        # The counts are multiplied as floats: those of millions of baskets would outgrow 64 bits otherwise.
        chance = every[pairs[:, 0]].astype(np.float64) * every[pairs[:, 1]]
        self.lift: Float = np.where(chance > 0, together * float(baskets) / np.maximum(chance, 1), 0.0)


def _change(before: Float, after: Float, scale: ChangeScale) -> float:
    change = np.abs(before - after)
    return float((change / before if scale == "relative" else change).mean())


def _pair_tables(
    comparison: HistoryComparison, top: int, min_support: float, unit: Unit | None
) -> tuple[_PairTable, _PairTable]:
    sides = (comparison.original, comparison.released)
    chosen = unit or ("receipt" if all(side.has("receipt") for side in sides) else "customer")
    before, after = (_baskets(comparison, side, chosen) for side in sides)
    if not after.subjects:
        raise UndefinedError("the release has no rows, so nothing is bought together; compare a release with rows")
    # Without the small step back, 0.1 of 30 baskets would come out as more than 3.
    least = max(LEAST, math.ceil(min_support * before.subjects - 1e-9))
    pairs, together = item_pairs.most_frequent_pairs(before.start, before.items, before.goods, top, least)
    if not len(pairs):
        raise UndefinedError(f"no two items share {least} baskets; lower min_support, or take unit = customer")
    every = np.bincount(before.items, minlength=before.goods)
    released, held = item_pairs.pair_counts(after.start, after.items, after.goods, pairs)
    return _PairTable(together, every, pairs, before.subjects), _PairTable(released, held, pairs, after.subjects)


def _baskets(comparison: HistoryComparison, side: History, unit: Unit) -> Baskets:
    case = comparison.case
    is_original = side is comparison.original
    if unit == "customer":
        return case.known_baskets if is_original else case.released_baskets
    if not side.has("receipt"):
        raise UndefinedError(f"{side.name!r} has no receipt column; choose unit = customer")
    before, after, goods = case.coded
    return receipts.baskets(side, before if is_original else after, goods)
