"""Make the rows of added goods: on which receipt, how many, at what price."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.history import History
from icefire.kernels.baskets import dummy_placement
from icefire.kernels.types import Float, Int


def latest(data: History, who: Int, goods: Int, prices: pl.Series | None = None) -> pl.DataFrame:
    """One piece at the good's latest price, on the customer's latest receipt.

    Args:
        data: The history, or all rows of some of its customers.
        who: Customer of each row to add.
        goods: Good of each row to add.
        prices: Latest price of every good of `data`. Default: that of the rows of `data`.
    """
    if prices is None:
        prices = latest_prices(data)
    changed = [] if prices is None else [prices.gather(goods)]
    number = data.column("number")
    if number is not None:
        changed.append(pl.Series([1]).cast(number.dtype).new_from_index(0, len(goods)).alias(number.name))
    return _rows(data, data.latest[who], goods, changed)


def latest_prices(data: History) -> pl.Series | None:
    """Return the price of every good in the last row of it in time, among equals the last in the file."""
    price = data.column("price")
    if price is None:
        return None
    order = np.argsort(data.when, kind="stable")
    last = np.empty(len(data.goods), np.int64)
    last[data.items[order]] = order
    return price.gather(last)


def plausible(data: History, who: Int, goods: Int, repeats: bool, rng: np.random.Generator) -> pl.DataFrame:
    """As a real buyer bought it, on receipts the customer has."""
    wanted, hosts, donors = dummy_placement.place_purchases(
        _purchases(data), who, goods, repeats, int(rng.integers(1 << 63))
    )
    copied = [column.gather(donors) for column in (data.column("price"), data.column("number")) if column is not None]
    return _rows(data, hosts, goods[wanted], copied)


def _purchases(data: History) -> dummy_placement.Purchases:
    baskets = data.baskets
    rows = np.lexsort((data.when, data.items, data.codes))
    pairs = data.codes[rows] * max(baskets.goods, 1) + data.items[rows]
    row_start = np.append(np.flatnonzero(np.diff(pairs, prepend=-1)), len(rows))
    by_item = np.argsort(baskets.items, kind="stable")
    item_start = np.concatenate(([0], np.cumsum(baskets.buyers)))
    return dummy_placement.Purchases(
        rows, row_start, baskets.start, baskets.owners, by_item, item_start, data.when, _visits(data), _habits(data)
    )


def _visits(data: History) -> Int:
    """What tells the receipts of a customer apart: their numbers, or else the time, or else nothing."""
    receipts = data.column("receipt")
    if receipts is not None:
        return blocks.dense_ranks(receipts).fill_null(-1).to_numpy()
    return np.arange(data.height) if data.column("date") is None else data.when


def _habits(data: History) -> Float:
    """The usual number of pieces of every customer, as a logarithm."""
    rows = pl.DataFrame({"who": data.codes, "pieces": data.numbers}).group_by("who").agg(pl.col("pieces").median())
    habits = np.zeros(data.subjects)
    habits[rows["who"].to_numpy()] = np.log(np.maximum(rows["pieces"].to_numpy(), 1e-9))
    return habits


def _rows(data: History, hosts: Int, goods: Int, changed: list[pl.Series]) -> pl.DataFrame:
    """Copy the rows `hosts` with other goods, and other columns changed."""
    return data.frame[hosts].with_columns(data.goods.gather(goods).alias(data.fields.item), *changed)
