"""The purchases of the sample `shop`: receipts through one year, and the lines on them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from icefire.kernels.types import Bool, Int, Int8
from icefire.samples.draw import Draws
from icefire.samples.shop.goods import DEPARTMENTS, RISE, catalogue
from icefire.samples.shop.people import FAVOURITES, REPEATS, DrawnCustomers

YEAR = np.datetime64("2024-01-01")
FIRST_RECEIPT = 500_001
MONTHS = (6, 6, 7, 6, 8, 8, 7, 7, 10, 11, 15, 9)  # receipts by month
STARTS = np.array([0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366])  # of a leap year
CLOSED = 5  # Saturday, where Monday is 0; what falls on one is sent on the Thursday before
HOURS = (1, 4, 10, 14, 11, 15, 13, 11, 11, 6, 3, 1, 1)  # receipts by hour
OPENS = 7
SHAPE = 0.85  # the number of lines is a power of an exponential
POSTED = 0.62  # share of the receipts sent abroad that carry postage
POSTAGE_PENCE = 1800
POSTED_FROM = 4  # lines; less is not worth it
POSTED_LINES = 30  # lines that one more parcel takes
FAVOURED = 0.45  # share of the lines from a favourite department
TWICE = 0.1  # chance that a good drawn again for the same receipt makes a second line
BULK = 4  # packs from which a lower price holds
BULK_PER_CENT = 85
PACKS_WEIGHTS = (75, 16, 4, 3, 1, 1)  # of 1, 2, 3, 4, 8 and 12 packs
PACKS = np.array([1, 2, 3, 4, 8, 12])
WHOLESALE = 2  # times as many packs
SINGLES_WEIGHTS = (40, 25, 10, 12, 13)  # private people buy 1, 2, 3, 4 or 6 pieces
SINGLES = np.array([1, 2, 3, 4, 6])


class Receipts(NamedTuple):
    """Receipts of some customers, in the order of customers and then of time."""

    owner: Int
    day: Int
    """Days since the year began."""
    month: Int
    minute: Int
    lines: Int
    posted: Bool


def draw(customers: DrawnCustomers, seed: int, key: int, before: int) -> tuple[pl.DataFrame, int]:
    """Draw all purchases of some customers; `before` receipts came earlier. Returns the rows and the receipts made."""
    owner = np.repeat(np.arange(len(customers.receipts)), customers.receipts)
    receipts = _receipts(Draws(seed, key, len(owner)), customers, owner)
    receipt = np.repeat(np.arange(len(owner)), receipts.lines)
    return _lines(Draws(seed, key + 1, len(receipt)), customers, receipts, receipt, before), len(owner)


def _receipts(draws: Draws, customers: DrawnCustomers, owner: Int) -> Receipts:
    month = draws.category(MONTHS).astype(np.int64)
    day = STARTS[month] + np.floor(draws.uniform() * np.diff(STARTS)[month]).astype(np.int64)
    weekday = (YEAR.astype(np.int64) + 3 + day) % 7  # 1970 began on a Thursday
    day = np.where((weekday == CLOSED) & (day > 1), day - 2, day)
    minute = 60 * (OPENS + draws.category(HOURS).astype(np.int64)) + np.floor(60 * draws.uniform()).astype(np.int64)
    order = np.lexsort((minute, day, owner))
    lines = 1 + np.floor(customers.lines[owner] * (-np.log1p(-draws.uniform())) ** SHAPE).astype(np.int64)
    posted = draws.chance(POSTED * customers.abroad[owner]) & (lines >= POSTED_FROM)
    day = day[order]
    return Receipts(owner, day, np.searchsorted(STARTS, day, side="right") - 1, minute[order], lines, posted)


def _lines(draws: Draws, customers: DrawnCustomers, receipts: Receipts, receipt: Int, before: int) -> pl.DataFrame:
    shop = catalogue()
    owner, month = receipts.owner[receipt], receipts.month[receipt]
    fresh = shop.pick(_departments(draws, customers, owner, month), draws.uniform())
    goods = fresh[_sources(draws, customers, owner, receipt)]
    packs, number = _numbers(draws, customers.kind[owner], shop.pack[goods])
    pence = shop.pence[goods]
    pence = np.where(month >= shop.dearer_from[goods], pence * (100 + RISE) // 100, pence)
    pence = np.where(packs >= BULK, pence * BULK_PER_CENT // 100, pence)
    # Postage stands in the first line of a receipt.
    posted = receipts.posted[receipt] & (np.diff(receipt, prepend=-1) > 0)
    goods = np.where(posted, shop.postage, goods)
    kept = _once(receipt, goods) | draws.chance(TWICE)
    rows = pl.DataFrame(
        {
            "customer": customers.first + owner,
            "receipt": FIRST_RECEIPT + before + receipt,
            "date": _dates().gather(receipts.day[receipt]),
            "time": _times().gather(receipts.minute[receipt]),
            "goods": pl.Series(shop.codes).gather(goods),
            "price": np.where(posted, POSTAGE_PENCE, np.maximum(pence, 1)) / 100,
            "number": np.where(posted, 1 + receipts.lines[receipt] // POSTED_LINES, number),
        }
    )
    return rows.filter(pl.Series(kept))


def _once(receipt: Int, goods: Int) -> Bool:
    """Mark the first line of each good on a receipt."""
    first = np.zeros(len(goods), np.bool_)
    first[np.unique(receipt * (1 + goods.max(initial=0)) + goods, return_index=True)[1]] = True
    return first


def _departments(draws: Draws, customers: DrawnCustomers, owner: Int, month: Int) -> Int:
    """A favourite department of the customer, or any by the season."""
    by_month = np.array([department.sales for department in DEPARTMENTS.values()]).T
    any_department = draws.category(by_month.tolist(), month)
    favourite = customers.favourites[owner, np.floor(FAVOURITES * draws.uniform()).astype(np.int64)]
    return np.where(draws.chance(FAVOURED), favourite, any_department).astype(np.int64)


def _sources(draws: Draws, customers: DrawnCustomers, owner: Int, receipt: Int) -> Int:
    """The line whose good each line has: its own, or any of an earlier receipt of the same customer."""
    lines = np.arange(len(owner))
    begun = _first_of(owner)
    earlier = _first_of(receipt) - begun
    again = draws.chance(REPEATS[customers.kind[owner]]) & (earlier > 0)
    source = np.where(again, begun + np.floor(draws.uniform() * earlier).astype(np.int64), lines)
    # What an earlier line has may itself be a repeat: follow until nothing moves, twice as far each time.
    while True:
        further = source[source]
        if np.array_equal(further, source):
            return source
        source = further


def _first_of(labels: Int) -> Int:
    """The first place of each run of equal labels."""
    starts = np.flatnonzero(np.diff(labels, prepend=-1))
    return np.repeat(starts, np.diff(starts, append=len(labels)))


def _numbers(draws: Draws, kind: Int8, pack: Int) -> tuple[Int, Int]:
    """Packs and pieces bought; private people take single pieces."""
    packs = PACKS[draws.category(PACKS_WEIGHTS)] * np.where(kind == len(REPEATS) - 1, WHOLESALE, 1)
    singles = SINGLES[draws.category(SINGLES_WEIGHTS)]
    private = kind == 0
    return np.where(private, 0, packs), np.where(private, singles, packs * pack)


def _dates() -> pl.Series:
    return pl.Series(YEAR + np.arange(STARTS[-1])).cast(pl.Date).dt.to_string("%Y-%m-%d")


def _times() -> pl.Series:
    return pl.Series([f"{minute // 60:02}:{minute % 60:02}" for minute in range(24 * 60)])
