"""Releases of small shops: by methods of ours, and by changes that none of our methods makes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import polars as pl

import icefire
from icefire.core import registry
from icefire.core.history import History, publish
from icefire.core.history.publishing import with_origin
from icefire.core.release import Release

Change = Callable[[History, np.random.Generator], History]
HIDDEN: tuple[dict[str, Any], ...] = ({"method": "drop_profile"}, {"method": "rename_receipts"})
"""Without the customer table and receipt numbers, which alone give everybody away."""
ONE_PIECE = {"method": "round_purchases", "number": "one", "price": "usual"}
NO_DATES = {"method": "coarsen_dates", "to": "all"}


@cache
def shop(customers: int = 40, seed: int = 11) -> History:
    """A shop of the sample."""
    data: History = icefire.sample("shop", customers, seed=seed)
    return data


def released(data: History, *steps: dict[str, Any] | Change, seed: int = 1) -> Release[History]:
    """A release by steps of a recipe and by other changes, in this order."""
    rng = np.random.default_rng(seed)
    changed = with_origin(data)
    for step in steps:
        if callable(step):
            changed = step(changed, rng)
        else:
            entry = registry.get("method", step["method"], "history")
            parameters = entry.bind({name: value for name, value in step.items() if name != "method"})
            changed = entry.function(changed, rng=rng, **parameters)
    return publish(changed, data.names, {}, seed)


def with_dates(data: History, when: np.ndarray) -> History:
    """The same with other dates."""
    dates = pl.from_epoch(pl.Series(when), "s").dt.strftime("%Y-%m-%d")
    return data.with_frame(data.frame.with_columns(dates.alias(data.fields.present["date"])))


def with_goods(data: History, names: list[str]) -> History:
    """The same with other names of the goods, one for each in ascending order."""
    item = data.frame[data.fields.item].replace_strict(data.goods, pl.Series(names))
    return data.with_frame(data.frame.with_columns(item.alias(data.fields.item)))


def moved_dates(data: History, rng: np.random.Generator) -> History:
    """Every date moved by up to five days."""
    return with_dates(data, data.when + rng.integers(-5, 6, data.height) * 86_400)


def shifted_customers(data: History, rng: np.random.Generator) -> History:
    """All dates of a customer shifted by a number of days of his own."""
    return with_dates(data, data.when + rng.integers(-200, 200, data.subjects)[data.codes] * 86_400)


def shifted_calendar(data: History, rng: np.random.Generator) -> History:
    """All dates shifted by 77 days."""
    return with_dates(data, data.when + 77 * 86_400)


def renamed_goods(data: History, rng: np.random.Generator) -> History:
    """Every good under another name."""
    return with_goods(data, [f"P{number}" for number in rng.permutation(len(data.goods))])


def grouped_goods(data: History, rng: np.random.Generator) -> History:
    """Goods in sixty groups that nobody publishes."""
    return with_goods(data, [f"kind {number}" for number in rng.integers(0, 60, len(data.goods))])


def parts_of_names(first: int, last: int | None) -> Change:
    """Only some characters of the name of every good."""
    return lambda data, rng: with_goods(data, [good[first:last] for good in data.goods])


def noisy_amounts(data: History, rng: np.random.Generator) -> History:
    """Numbers and prices multiplied by noise."""
    factors = np.exp(rng.normal(0.0, 0.3, (2, data.height)))
    number, price = data.fields.present["number"], data.fields.present["price"]
    changed = [
        pl.Series(number, np.maximum(np.rint(data.frame[number].to_numpy() * factors[0]), 1).astype(np.int64)),
        pl.Series(price, np.round(data.frame[price].to_numpy() * factors[1], 2)),
    ]
    return data.with_frame(data.frame.with_columns(changed))


def exchanged_goods(data: History, rng: np.random.Generator) -> History:
    """Half of the rows exchange their goods."""
    rows = np.flatnonzero(rng.random(data.height) < 0.5)
    goods = data.frame[data.fields.item].to_numpy().copy()
    goods[rows] = goods[rng.permutation(rows)]
    return data.with_frame(data.frame.with_columns(pl.Series(data.fields.item, goods)))


def only_dates_kept(data: History, rng: np.random.Generator) -> History:
    """All rows exchange their goods, their numbers and their prices; dates stay."""
    fields = data.fields
    columns = [name for name in (fields.item, fields.number, fields.price) if name is not None]
    mixed = [data.frame[name].gather(rng.permutation(data.height)) for name in columns]
    return data.with_frame(data.frame.with_columns(mixed))


def split_names(data: History, rng: np.random.Generator) -> History:
    """Three names for every customer, by lot for each row."""
    part = pl.Series(rng.integers(0, 3, data.height)).cast(pl.String)
    names = data.frame[data.fields.subject] + "/" + part
    return data.with_frame(data.frame.with_columns(names.alias(data.fields.subject))).with_customers(None)
