"""Losses of purchases whose customers were renamed by the month: similarity of goods, days, prices, deleted rows.

Both tables have the columns customer, date, goods, price and number as text, row by row; a deleted row has the customer
DEL.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from icefire.contests.common.results import as_numbers
from icefire.core.errors import UndefinedError
from icefire.kernels.baskets.item_cosines import WeightedBaskets, cosine_changes, weighted_baskets
from icefire.kernels.types import Float

DELETED = "DEL"
LONGEST_MONTH = 31
Weight = Callable[[Float], Float]


def kept_rows(shown: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that were not deleted."""
    return shown.filter(pl.col("customer") != DELETED)


def dozens(bought: Float) -> Float:
    """Weigh a total of goods by its dozens, at most 6."""
    return np.minimum(np.floor(bought / 12), 6)


def retail(bought: Float) -> Float:
    """Weigh a total of goods by itself, up to 11 pieces."""
    return np.where(bought <= 11, bought, 0.0)


def any_row(bought: Float) -> Float:
    """Weigh every good that was bought at all, in whatever number, the same."""
    return np.ones(len(bought))


def similarity_loss(known: pl.DataFrame, shown: pl.DataFrame, weight: Weight, chosen: pl.Series | None = None) -> float:
    """Return how much the similarity of goods changed, as a share of it.

    Args:
        known: The original.
        shown: The release.
        weight: Turns the total number of a good that a customer bought into a weight.
        chosen: Goods that count. Default: all of the original.

    Returns:
        The sum of absolute changes over the sum of cosines, at most 1.

    Raises:
        UndefinedError: If no two goods have a customer in common.
    """
    goods = known["goods"].unique().sort()
    before, after = (_baskets(rows, goods, weight) for rows in (known, kept_rows(shown)))
    wanted = goods if chosen is None else chosen
    numbers = np.flatnonzero(goods.is_in(wanted.to_list()).to_numpy()).astype(np.int64)
    change, total = cosine_changes(before, after, numbers)
    if total == 0:
        raise UndefinedError("no two goods have a customer in common")
    return min(1.0, change / total)


def _baskets(rows: pl.DataFrame, goods: pl.Series, weight: Weight) -> WeightedBaskets:
    numbers = None if weight is any_row else as_numbers(rows["number"], "a table")
    bought = rows.select("customer", "goods", (pl.lit(1.0) if numbers is None else numbers).alias("number"))
    totals = bought.group_by("customer", "goods").agg(pl.col("number").sum()).sort("customer", "goods")
    numbered = totals.join(pl.DataFrame({"goods": goods}).with_row_index("good"), on="goods", maintain_order="left")
    weights = weight(numbered["number"].to_numpy().astype(np.float64))
    known = weights > 0
    person = numbered["customer"].rank("dense").to_numpy().astype(np.int64)[known] - 1
    good = numbered["good"].to_numpy().astype(np.int64)[known]
    return weighted_baskets(person, good, weights[known], len(goods))


def most_bought(rows: pl.DataFrame, most: int, others: pl.Series | None = None) -> pl.Series:
    """Return the goods with most customers, then by their code, both descending; `others` have none."""
    counted = rows.group_by("goods").agg(pl.col("customer").n_unique().alias("customers"))
    if others is not None:
        absent = pl.DataFrame({"goods": others}).join(counted, on="goods", how="anti")
        zero = absent.with_columns(customers=pl.lit(0, counted["customers"].dtype))
        counted = pl.concat([counted, zero.select(counted.columns)])
    return counted.sort("customers", "goods", descending=True)["goods"].head(most)


def top_goods_loss(known: pl.DataFrame, shown: pl.DataFrame, most: int) -> float:
    """Return the share of the most bought goods that are not among those of the release; new goods take no place."""
    goods = known["goods"].unique()
    before = most_bought(known, most)
    after = most_bought(kept_rows(shown).filter(pl.col("goods").is_in(goods.to_list())), most, goods)
    return float((~before.is_in(after.to_list())).sum()) / most


def date_loss(known: pl.DataFrame, shown: pl.DataFrame) -> float:
    """Return the mean number of days moved, in months of 31 days; a deleted row counts 0."""
    before, after = _kept_on_both_sides(known, shown)
    days = (read_dates(before["date"], "T") - read_dates(after["date"], "A(T)")).dt.total_days().abs()
    return float(days.sum()) / (LONGEST_MONTH * known.height)


def price_loss(known: pl.DataFrame, shown: pl.DataFrame) -> float:
    """Return the mean of 1 less the smaller price over the larger; a deleted row counts 0."""
    both = [as_numbers(rows["price"], "a table").to_numpy() for rows in _kept_on_both_sides(known, shown)]
    low, high = np.minimum(*both), np.maximum(*both)
    losses = np.where(high > 0, 1 - np.divide(low, high, out=np.ones_like(low), where=high > 0), 0.0)
    return float(losses.sum()) / known.height


def deleted_share(shown: pl.DataFrame) -> float:
    """Return the share of deleted rows, to four decimals."""
    return round(float((shown["customer"] == DELETED).sum()) / shown.height, 4)


def read_dates(column: pl.Series, table: str) -> pl.Series:
    """Return dates written y/m/d.

    Raises:
        UndefinedError: If a cell holds no date.
    """
    dates = as_dates(column)
    bad = dates.is_null().arg_true()
    if len(bad):
        raise UndefinedError(f"row {bad[0]} of {table} has {column[bad[0]]!r} in date, which is no day y/m/d")
    return dates


def as_dates(column: pl.Series) -> pl.Series:
    """Return dates written y/m/d, null where a cell holds none."""
    split = column.str.strip_chars().str.splitn("/", 3).struct
    year, month, day = (split.field(part) for part in split.fields)
    text = pl.DataFrame([year, month.str.zfill(2), day.str.zfill(2)]).select(pl.concat_str(pl.all(), separator="-"))
    return text.to_series().str.to_date("%Y-%m-%d", strict=False).alias(column.name)


def _kept_on_both_sides(known: pl.DataFrame, shown: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    if known.height != shown.height:
        raise UndefinedError(f"T has {known.height:,} rows and A(T) {shown.height:,}; rows cannot be compared")
    kept = shown["customer"] != DELETED
    return known.filter(kept), shown.filter(kept)
