"""Statistics of one history: its size, its ranges, and how much its customers resemble one another."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from icefire.core import seeds
from icefire.core.history import receipts
from icefire.core.history.baskets import Baskets
from icefire.core.history.dates import DAY
from icefire.core.history.history import History
from icefire.theory import dummies

if TYPE_CHECKING:
    from icefire.kernels.baskets.subject_pairs import PairSimilarity

EXACT_SUBJECTS = 20_000
EXACT_COUNTS = 10**10
"""Items held in common, counted one by one, up to which all pairs are looked at: about ten seconds."""
SAMPLED_PAIRS = 2_000_000
STEPS = 100
"""Bars of the histogram between 0 and 1."""


class Spread(msgspec.Struct, frozen=True):
    """Where numbers lie."""

    min: float
    median: float
    mean: float
    max: float


class Resemblance(msgspec.Struct, frozen=True):
    """The Jaccard coefficient of two customers' sets of goods, over pairs of customers."""

    pairs: int
    sampled: bool
    """The pairs are a random sample of all; then the largest coefficient of all may lie above `max`."""
    mean: float
    max: float
    histogram: list[int]
    """Pairs by coefficient, in steps of equal width from 0 to 1."""
    shared: float
    """Mean number of goods that two customers have in common."""


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """What `icefire inspect` says of a history; absent columns are None."""

    customers: int
    without_rows: int
    """Customers who are only in the customer table."""
    rows: int
    dropped: int
    """Rows left out on reading because they could not be used."""
    receipts: int | None
    goods: int
    price: Spread | None
    number: Spread | None
    first_date: str | None
    last_date: str | None
    goods_per_customer: Spread
    rows_per_customer: Spread
    receipts_per_customer: Spread | None
    buyers_per_good: Spread
    jaccard: Resemblance
    shared_goods: float
    """h = 2bμ / (1 + μ), the theory's estimate of `jaccard.shared`."""


def describe_history(history: History, *, seed: int = seeds.DEFAULT_SEED) -> Statistics:
    """Sum a history up; the seed matters only where pairs of customers are sampled."""
    held = history.baskets
    alike = resemblance(held, seed)
    bills = receipts.per_subject(history) if history.has("receipt") else None
    first, last = _dates(history)
    goods_held = _spread(held.sizes)
    return Statistics(
        customers=history.subjects,
        without_rows=int((held.sizes == 0).sum()),
        rows=history.height,
        dropped=history.dropped,
        receipts=None if bills is None else int(bills.sum()),
        goods=held.goods,
        price=_spread(history.prices) if history.has("price") else None,
        number=_spread(history.numbers) if history.has("number") else None,
        first_date=first,
        last_date=last,
        goods_per_customer=goods_held,
        rows_per_customer=_spread(np.bincount(history.codes, minlength=history.subjects)),
        receipts_per_customer=None if bills is None else _spread(bills),
        buyers_per_good=_spread(held.buyers),
        jaccard=alike,
        shared_goods=dummies.shared_goods(goods_held.mean, alike.mean),
    )


def resemblance(held: Baskets, seed: int = seeds.DEFAULT_SEED) -> Resemblance:
    """Compare every two customers; where that would take long, a random sample of pairs."""
    counts = np.square(held.buyers, dtype=np.float64).sum() / 2
    exact = held.subjects <= EXACT_SUBJECTS and bool(counts <= EXACT_COUNTS)
    likeness = _all_pairs(held) if exact else _some_pairs(held, seed)
    pairs = max(likeness.pairs, 1)
    return Resemblance(
        likeness.pairs,
        not exact,
        likeness.total / pairs,
        likeness.largest,
        likeness.bins.tolist(),
        likeness.shared / pairs,
    )


def _all_pairs(held: Baskets) -> PairSimilarity:
    from icefire.kernels.baskets import subject_pairs as basket_pairs

    return basket_pairs.all_pairs(held.start, held.items, held.by_item(), STEPS)


def _some_pairs(held: Baskets, seed: int) -> PairSimilarity:
    from icefire.kernels.baskets import subject_pairs as basket_pairs

    rng = seeds.generator(seed, "pairs of customers")
    left = rng.integers(0, held.subjects, SAMPLED_PAIRS)
    right = rng.integers(0, held.subjects - 1, SAMPLED_PAIRS)
    right += right >= left  # nobody is compared with himself
    return basket_pairs.some_pairs(held.start, held.items, left, right, STEPS)


def _spread(values: ArrayLike) -> Spread:
    numbers = np.asarray(values, np.float64)
    if not numbers.size:
        return Spread(0.0, 0.0, 0.0, 0.0)
    return Spread(*(float(f(numbers)) for f in (np.nanmin, np.nanmedian, np.nanmean, np.nanmax)))


def _dates(history: History) -> tuple[str | None, str | None]:
    if not history.has("date") or not history.height:
        return None, None
    days = (int(history.when.min()) // DAY, int(history.when.max()) // DAY)
    first, last = (datetime.fromtimestamp(day * DAY, UTC).date().isoformat() for day in days)
    return first, last
