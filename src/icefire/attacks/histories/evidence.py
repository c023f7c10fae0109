"""How likely each good of each released customer is real and not added, learned by comparing both histories."""

from __future__ import annotations

import numpy as np

from icefire.attacks.histories.matching import entry_of_rows
from icefire.core.history import History, HistoryCase
from icefire.kernels.types import Float, Int

ROWS, NUMBERS = 3, 8
"""Classes of how often a good was bought (1, 2, more) and how many at a time (1, 2-3, 4-7, …)."""
CAUTION = 20.0
"""Number of added goods with the looks of real ones that are assumed beforehand, against rash conclusions."""
STRONGEST = 8.0
"""Largest absolute log-likelihood ratio of one good."""


def weights(case: HistoryCase) -> Float:
    """Return for every entry of the released baskets how much more often real goods look like it than added ones.

    The looks of a good of a customer are: in how many rows it stands, whether all of them are at the customer's last
    instant, how many pieces were bought at a time, and whether all of them at the good's latest price. The surplus of
    some looks over the original must have been added. Logarithms of likelihood ratios, within ±8; where little was
    added, anything is more likely to be real.
    """
    original, released, goods = case.coded
    price = _latest_price(case.known, original, goods)
    real = _looks(case.known, original, goods, price)
    shown = _looks(case.released, released, goods, price)
    size = 4 * ROWS * NUMBERS
    before, after = (np.bincount(looks, minlength=size).astype(float) for looks in (real, shown))
    added = np.maximum(after - before * min(1.0, len(shown) / max(len(real), 1)), 0.0)
    genuine = (before + 0.5) / (before.sum() + 0.5 * size)
    false = (added + CAUTION * genuine) / (added.sum() + CAUTION)
    share = (added.sum() + 0.5) / (after.sum() + 1.0)
    ratio = np.log(genuine / false) + max(0.0, np.log((1.0 - share) / share))
    log_ratios: Float = np.clip(ratio, -STRONGEST, STRONGEST)[shown]
    return log_ratios


def _latest_price(history: History, items: Int, goods: int) -> Float:
    """The price of each good in its last row; not a number for goods that the history does not have."""
    price = np.full(goods, np.nan)
    order = np.argsort(history.when, kind="stable")
    price[items[order]] = history.prices[order]
    return price


def _looks(history: History, items: Int, goods: int, price: Float) -> Int:
    """A number for the looks of every (customer, good), customers ascending, in each the goods ascending."""
    pair = entry_of_rows(history, items, goods)
    rows = np.bincount(pair)
    at_last = history.when == np.append(history.when, 0)[history.latest][history.codes]
    usual = history.prices == price[items]
    pieces = np.log2(np.maximum(np.bincount(pair, weights=history.numbers) / np.maximum(rows, 1), 1.0))
    looks = np.minimum(rows, ROWS) - 1
    looks = looks * NUMBERS + np.minimum(pieces, NUMBERS - 1).astype(np.int64)
    for fact in (at_last, usual):
        looks = looks * 2 + (np.bincount(pair, weights=fact) == rows)
    return looks
