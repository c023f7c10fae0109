"""Histories small enough to check by hand, shared by the tests of histories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from icefire.core.history import Fields, History, HistoryCase, HistoryComparison
from icefire.core.history.baskets import Baskets, make_baskets
from icefire.core.release import Truth
from icefire.io.format import Format
from icefire.io.histories import read
from support.places import DATA

FULL = Fields("user", "goods", "receipt", "date", "time", "price", "number")
CONTEST = DATA / "pwscup2016"


def history(rows: Sequence[tuple[object, ...]], customers: Sequence[tuple[str, str, str]] | None = None) -> History:
    """Rows of (user, receipt, date, time, goods, price, number); customers of (user, sex, country)."""
    names = ["user", "receipt", "date", "time", "goods", "price", "number"]
    types = [pl.String] * 5 + [pl.Float64, pl.Int64]
    frame = pl.DataFrame(rows, schema=dict(zip(names, types, strict=True)), orient="row")
    people = None if customers is None else pl.DataFrame(customers, schema=["user", "sex", "country"], orient="row")
    return History(frame, FULL, people)


def sets(*baskets: str) -> History:
    """One customer for each text, who bought its letters; without any other column."""
    rows = [(f"u{number}", good) for number, basket in enumerate(baskets) for good in basket]
    frame = pl.DataFrame(rows, schema={"user": pl.String, "goods": pl.String}, orient="row")
    customers = pl.DataFrame({"user": [f"u{number}" for number in range(len(baskets))]})
    return History(frame, Fields("user", "goods"), customers)


def compare(x: History, y: History, truth: Sequence[int] | None = None) -> HistoryComparison:
    """A comparison of two histories; without a truth, subject by subject."""
    rows = np.arange(y.subjects) if truth is None else np.array(truth, np.int64)
    return HistoryComparison(HistoryCase(x, y), Truth(rows))


def contest_data() -> History:
    """The real data of PWS Cup 2016, where they are at hand."""
    if not CONTEST.is_dir():
        pytest.skip("the shared data (../shared/data/pwscup2016) is not here")
    names = ("user", "receipt", "date", "time", "goods", "price", "number")
    return read(
        CONTEST / "T.csv",
        {"subject": "user", "item": "goods"},
        how=Format(False, names),
        customers=CONTEST / "M.csv",
        customers_how=Format(False, ("user", "sex", "birthday", "country")),
    )


def baskets_of(found: Sequence[set[int]], goods: int) -> Baskets:
    """Return the sets of goods of customers 0, 1, …; goods are numbers below `goods`."""
    pairs = [(u, g) for u, held in enumerate(found) for g in held]
    who, what = np.array(pairs, np.int64).reshape(-1, 2).T
    return make_baskets(who, what, len(found), goods)
