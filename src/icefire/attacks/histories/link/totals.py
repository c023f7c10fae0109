"""Sums over all rows of a subject: they stay as they are when goods are renamed or put into groups and rows merged."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.attacks.histories.link.layers import RowColumn
from icefire.attacks.histories.link.reading import joint_codes, overlap
from icefire.kernels.types import Int

LEAST_SHARED = 0.5
"""A total is compared if so many of the released subjects have one that an original customer has."""
LEAST_VALUES = 8
"""And if there are at least so many of them."""


def compare_totals(own: pl.DataFrame, shown: pl.DataFrame, counts: tuple[int, int]) -> list[RowColumn]:
    """Return the totals of both sides that may have been kept, one value per subject.

    Args:
        own: Own rows with subject and, as far as they are there, number, price and receipt.
        shown: The released rows, likewise.
        counts: Number of customers and of released subjects.

    Returns:
        The number of rows, pieces, the money spent and the number of receipts, where both sides have the columns.
    """
    columns = []
    for name, total in _totals([name for name in own.columns if name in shown.columns]).items():
        codes = joint_codes(_per_subject(own, total, counts[0]), _per_subject(shown, total, counts[1]))
        if len(np.unique(codes[1])) >= LEAST_VALUES and overlap(*codes) >= LEAST_SHARED:
            columns.append(RowColumn(name, *codes))
    return columns


def _totals(present: list[str]) -> dict[str, pl.Expr]:
    totals = {"number of rows": pl.len().cast(pl.Int64)}
    if "number" in present:
        totals["pieces in all"] = _rounded(pl.col("number").sum())
    if "price" in present:
        pieces = pl.col("number") if "number" in present else pl.lit(1.0)
        totals["money in all"] = _rounded((pl.col("price") * pieces).sum())
    if "receipt" in present:
        totals["number of receipts"] = pl.col("receipt").n_unique().cast(pl.Int64)
    return totals


def _rounded(amount: pl.Expr) -> pl.Expr:
    """Whole cents, so that sums in another order are equal."""
    return (amount * 100).round().cast(pl.Int64)


def _per_subject(rows: pl.DataFrame, total: pl.Expr, count: int) -> Int:
    """Return the total of every subject; -1 for one without rows."""
    sums = rows.group_by("subject").agg(total.alias("total"))
    totals = np.full(count, -1, np.int64)
    totals[sums["subject"].to_numpy()] = sums["total"].fill_null(-1).to_numpy()
    return totals
