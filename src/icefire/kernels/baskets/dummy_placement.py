"""Inconspicuous places for added purchases: bought as a real buyer bought them, on receipts the customer has.

Draws depend on the seed and the number of the purchase alone, so that the number of threads does not matter.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from icefire.kernels.common import threads
from icefire.kernels.common.random_draws import mix_bits, random_below
from icefire.kernels.common.ranges import offsets
from icefire.kernels.types import Float, Int

BUYERS_ASKED = 3


class Purchases(NamedTuple):
    """All rows, by subject, then by item, then by time.

    Entry e is a subject with an item: rows[row_start[e]:row_start[e+1]]. Subject u has the entries
    start[u]:start[u+1]; the entries of item g are by_item[item_start[g]:item_start[g+1]].
    """

    rows: Int
    row_start: Int
    start: Int
    owner: Int
    by_item: Int
    item_start: Int
    when: Int
    """The time of every row of the file."""
    visit: Int
    """The receipt of every row of the file."""
    habit: Float
    """How a subject buys, as a number; buyers with a similar one are preferred as examples."""


def place_purchases(purchases: Purchases, who: Int, what: Int, repeats: bool, seed: int) -> tuple[Int, Int, Int]:
    """Find places for purchases to be added: subject who[i] is to buy item what[i].

    The example is, of three real buyers of the item drawn at random, the one with the nearest habit. The item is bought
    as often as the example bought it (or once, without `repeats`), each time on the receipt of one of the subject's own
    rows: of two rows drawn at random the one nearer in time. An item is not added twice to one receipt.

    Args:
        purchases: All real purchases.
        who: Subject of each purchase to add.
        what: Item of each purchase to add; somebody buys it.
        repeats: Buy as often as the example did.
        seed: Seed of all draws.

    Returns:
        Three arrays of equal length, one entry per added row: i, the subject's row whose receipt is used, and the
        example's row of the item.
    """
    examples = np.empty(len(who), np.int64)
    parts = threads.spans(len(who))
    words = np.uint64(seed)
    threads.starmap(_choose_examples, [(purchases, who, what, words, examples, *part) for part in parts])
    times = np.diff(purchases.row_start)[examples] if repeats else np.ones(len(who), np.int64)
    first = offsets(times)
    hosts, donors = np.full(first[-1], -1, np.int64), np.empty(first[-1], np.int64)
    threads.starmap(_place, [(purchases, who, examples, first, ~words, hosts, donors, *part) for part in parts])
    kept = hosts >= 0
    return np.repeat(np.arange(len(who)), times)[kept], hosts[kept], donors[kept]


@numba.njit(nogil=True, cache=True)
def _choose_examples(purchases, who, what, seed, examples, begin, end) -> Any:  # type: ignore[no-untyped-def]
    """Draw three buyers of each item, and take the one whose habit is nearest to the subject's."""
    state = np.empty(1, np.uint64)
    for i in range(begin, end):
        state[0] = mix_bits(seed + np.uint64(i))
        low, high = purchases.item_start[what[i]], purchases.item_start[what[i] + 1]
        best = np.inf
        for _ in range(BUYERS_ASKED):
            entry = purchases.by_item[low + random_below(state, high - low)]
            gap = abs(purchases.habit[purchases.owner[entry]] - purchases.habit[who[i]])
            if gap < best:
                best = gap
                examples[i] = entry


@numba.njit(nogil=True, cache=True)
def _place(purchases, who, examples, first, seed, hosts, donors, begin, end) -> Any:  # type: ignore[no-untyped-def]
    """Choose for every purchase the subject's row whose receipt is used; -1 where the receipt has the item already."""
    state = np.empty(1, np.uint64)
    for i in range(begin, end):
        state[0] = mix_bits(seed + np.uint64(i))
        low = purchases.row_start[purchases.start[who[i]]]
        rows = purchases.row_start[purchases.start[who[i] + 1]] - low
        example = purchases.row_start[examples[i]]
        bought = purchases.row_start[examples[i] + 1] - example
        times = first[i + 1] - first[i]
        for turn in range(times):
            donor = purchases.rows[example + (turn if times == bought else random_below(state, bought))]
            one, other = (
                purchases.rows[low + random_below(state, rows)],
                purchases.rows[low + random_below(state, rows)],
            )
            moment = purchases.when[donor]
            if abs(purchases.when[other] - moment) < abs(purchases.when[one] - moment):
                one = other
            fresh = True
            for before in range(first[i], first[i] + turn):
                if hosts[before] >= 0 and purchases.visit[hosts[before]] == purchases.visit[one]:
                    fresh = False
            if fresh:
                hosts[first[i] + turn], donors[first[i] + turn] = one, donor
