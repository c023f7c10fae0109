"""U3-RFM: change of the ranks of customers by recency, frequency and money."""

from __future__ import annotations

from typing import Literal

import numpy as np

from icefire.core.errors import UndefinedError
from icefire.core.history import History, HistoryComparison, receipts
from icefire.core.history.dates import DAY
from icefire.core.registry import measure
from icefire.kernels.types import Float, Int

Frequency = Literal["receipts", "records"]
Reference = Literal["original", "each"]

TENTHS = 10
DIGITS = 6


@measure("u3_rfm", code="U3-RFM", data="history", needs=("date", "price", "original"))
def u3_rfm(
    comparison: HistoryComparison, *, frequency: Frequency | None = None, reference: Reference = "original"
) -> float:
    """Share of customers who would change places among the 1,000 ranks of recency, frequency and money.

    Days since the last purchase, receipts, and the sum of price × number, each cut at the deciles of the original;
    half the sum of the absolute differences of the shares of customers in each rank. Customers without rows are a rank
    of their own. `frequency` counts receipts (the default where both files have them) or records. `reference` is the
    day recency counts back from: the last day of the original for both files, or of each file its own.

    Args:
        comparison: The original history, the released one, and the original customer of each released one.
        frequency: What is counted: "receipts" or "records". Default: receipts where both files have them.
        reference: The last day recency counts back from: of the "original" for both files, or of "each" its own.

    Returns:
        The share of customers, 0 to 1.

    Raises:
        UndefinedError: If a file has no rows, or no receipts although they are to be counted.
    """
    sides = (comparison.original, comparison.released)
    if not all(side.height for side in sides):
        raise UndefinedError("the release has no rows, so nobody has a last purchase; compare a release with rows")
    counted = frequency or ("receipts" if all(side.has("receipt") for side in sides) else "records")
    before, after = (_features(side, counted, sides[0] if reference == "original" else side) for side in sides)
    edges = [np.quantile(column, np.arange(1, TENTHS) / TENTHS) for column in before]
    x, y = (_shares(_ranks(columns, edges), side) for columns, side in zip((before, after), sides, strict=True))
    return float(np.abs(x - y).sum() / 2)


def _features(side: History, frequency: Frequency, dated: History) -> list[Float]:
    """Recency in days, frequency and money of every customer with rows."""
    if frequency == "receipts" and not side.has("receipt"):
        raise UndefinedError(f"{side.name!r} has no receipt column; choose frequency = records")
    present = np.flatnonzero(_records(side))
    last = np.full(side.subjects, np.iinfo(np.int64).min)
    np.maximum.at(last, side.codes, side.when // DAY)
    often = receipts.per_subject(side) if frequency == "receipts" else _records(side)
    recency = dated.when.max() // DAY - last
    return [column[present].astype(np.float64) for column in (recency, often, _money(side))]


def _money(side: History) -> Float:
    """What every customer paid; a row without price or number counts nothing.

    The last digits of a sum depend on the order of the rows, and an edge may be somebody's very sum: they are cut off.
    """
    spent = np.nan_to_num(side.prices * side.numbers)
    return np.round(np.bincount(side.codes, spent, side.subjects), DIGITS)


def _records(side: History) -> Int:
    return np.bincount(side.codes, minlength=side.subjects)


def _ranks(columns: list[Float], edges: list[Float]) -> Int:
    """One of 1,000 ranks for each customer; a value on an edge belongs to the tenth below it."""
    tenths = [np.searchsorted(cuts, column) for column, cuts in zip(columns, edges, strict=True)]
    return (tenths[0] * TENTHS + tenths[1]) * TENTHS + tenths[2]


def _shares(ranks: Int, side: History) -> Float:
    """The share of customers in each rank; those without rows come last."""
    counts = np.bincount(ranks, minlength=TENTHS**3 + 1)
    counts[-1] = side.subjects - len(ranks)
    return counts / side.subjects
