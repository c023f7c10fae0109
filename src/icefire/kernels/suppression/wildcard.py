"""Cells to hide so that every row matches k rows, where a hidden or missing cell matches anything.

A greedy cover. A row waits until it matches k rows, itself included. For a mask (a set of columns to hide) the waiting
rows form groups that agree on the other columns. Where k rows or more agree, hiding cells of a few rows of the group is
enough: those match every row of the group, and each of the others matches these few more.

The price of a group is the cost of the cells to hide divided by its waiting rows; the cheapest groups come first.

"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from icefire.kernels.common.counting_sort import positions_by_label
from icefire.kernels.suppression.cell_keys import KeyedCells, empty_key_numbers, masked_keys, number_of_key
from icefire.kernels.suppression.mask_search import QueuedMask, greedy_cover, mask_cost, masks_to_try
from icefire.kernels.types import Bool, Float, Int


class _WildcardState(NamedTuple):
    """What is hidden, and how many rows each row matches."""

    hidden: Int  # per row: the columns that are hidden or were missing, as bits
    matches: Int  # per row: the rows it matches; of rows that do not wait, at least k


class _WildcardOffer(NamedTuple):
    """What a mask could do now: groups of waiting rows, and the rows whose cells are to be hidden."""

    rows: Int  # waiting rows by group, those with fewest matches first, equal rows together
    start: Int
    picked: Bool  # per waiting row: is to be hidden
    prices: Float  # per group, infinite if fewer than k agree


def columns_to_hide(cells: KeyedCells, k: int) -> Int:
    """Return for each row the columns that are hidden or were missing, as bits; there must be at least k rows.

    A few rows with everything hidden would be enough, as they match all others. So that nobody is protected by blank
    rows alone, masks of lower cost come first: hidden is what the rows around do not share.
    """
    bits = 1 << np.arange(len(cells.weights))
    missing: Int = ((cells.parts == 0) * bits[:, None]).sum(axis=0)
    everybody = np.arange(len(missing))
    state = _WildcardState(missing, _matches(cells, missing, everybody, everybody))
    queue = _queue(cells, state, k)

    def settle(mask: int, offer: _WildcardOffer, limit: float) -> None:
        nonlocal queue
        _settle(cells, state, mask, k, offer, limit)
        queue = _queue(cells, state, k)

    greedy_cover(
        [QueuedMask(mask_cost(cells, mask), 0.0, -len(missing), mask) for mask in masks_to_try(cells, k) if mask],
        lambda mask: _survey(cells, state, mask, k, queue),
        settle,
        lambda: len(queue) > 0,
    )
    return state.hidden


def _matches(cells: KeyedCells, hidden: Int, rows: Int, others: Int) -> Int:
    """Count for each of the rows those of the others that it matches: one join for each pair of hidden sets."""
    counts = np.zeros(len(rows), np.int64)
    mine, theirs = hidden[rows], hidden[others]
    sets = [(theirs_are, others[theirs == theirs_are]) for theirs_are in np.unique(theirs)]
    for mine_are in np.unique(mine):
        places = np.flatnonzero(mine == mine_are)
        for theirs_are, some in sets:
            _join(cells, rows[places], some, mine_are | theirs_are, places, counts)
    return counts


@numba.njit(nogil=True, cache=True)
def _join(cells, rows, others, mask, places, matches) -> Any:  # type: ignore[no-untyped-def]
    """Add the number of others with the same cells outside the mask."""
    index, counts = empty_key_numbers(others.size), np.zeros(others.size, np.int64)
    for key in masked_keys(cells, others, mask)[0]:
        counts[number_of_key(index, key, True)] += 1
    keys, _ = masked_keys(cells, rows, mask)
    for i in range(rows.size):
        same = number_of_key(index, keys[i], False)
        if same >= 0:
            matches[places[i]] += counts[same]


def _queue(cells: KeyedCells, state: _WildcardState, k: int) -> Int:
    """Return the waiting rows, those with fewest matches first, equal rows together, then by row."""
    waiting = np.flatnonzero(state.matches < k)
    _, first, inverse = np.unique(_keys_now(cells, state.hidden, waiting, 0), return_index=True, return_inverse=True)
    return waiting[np.lexsort((waiting, first[inverse], state.matches[waiting]))]


@numba.njit(nogil=True, cache=True)
def _keys_now(cells, hidden, rows, mask) -> Any:  # type: ignore[no-untyped-def]
    """Return the keys of the rows as they are now, with the columns of the mask hidden as well."""
    keys = np.zeros(rows.size, np.int64)
    for c in range(cells.weights.size):
        if not mask >> c & 1:
            for i in range(rows.size):
                keys[i] += 0 if hidden[rows[i]] >> c & 1 else cells.parts[c, rows[i]]
    return keys


@numba.njit(nogil=True, cache=True)
def _survey(cells, state, mask, k, waiting) -> Any:  # type: ignore[no-untyped-def]
    """Return the groups of a mask and their prices."""
    groups = empty_key_numbers(waiting.size)
    numbers, totals = np.empty(waiting.size, np.int64), np.zeros(waiting.size, np.int64)
    keys = _keys_now(cells, state.hidden, waiting, mask)
    for i in range(waiting.size):
        numbers[i] = number_of_key(groups, keys[i], True)
    for key in _keys_now(cells, state.hidden, np.arange(state.hidden.size), mask):
        group = number_of_key(groups, key, False)
        if group >= 0:
            totals[group] += 1
    start, order = positions_by_label(numbers, groups.used[0])
    rows, picked = waiting[order], np.zeros(order.size, np.bool_)
    keys, costs = _keys_now(cells, state.hidden, rows, 0), masked_keys(cells, rows, mask)[1]
    prices = np.full(groups.used[0], np.inf)
    for group in range(prices.size):
        low, high = start[group], start[group + 1]
        if totals[group] >= k:
            prices[group] = _pick(state, k, rows, keys, costs, low, high, picked) / (high - low)
    return _WildcardOffer(rows, start, picked, prices)


@numba.njit(nogil=True, cache=True)
def _pick(state, k, rows, keys, costs, low, high, picked) -> Any:  # type: ignore[no-untyped-def]
    """Choose the rows to hide so that no row of the group waits any more; returns the cost.

    Equal rows match each other already: hiding one of them helps only the others. So a class of equal rows in need is
    either hidden as a whole or helped by hiding as many others, whichever takes fewer.
    """
    count, first = 0, low
    while first < high:
        last, mine = first, 0
        while last < high and keys[last] == keys[first]:
            mine += picked[last]
            last += 1
        short, own = k - state.matches[rows[first]] - (count - mine), last - first - mine
        if short > 0 and short < own:
            # One of each class of the others, so that what is hidden helps those classes too.
            for one_of_each in (True, False):
                helped = _hide(keys, last, high, short, one_of_each, picked)
                count, short = count + helped, short - helped
        if short > 0:
            count += _hide(keys, first, last, own, False, picked)
        first = last
    total = 0.0
    for i in range(low, high):
        total += costs[i] if picked[i] else 0.0
    return total


@numba.njit(nogil=True, cache=True)
def _hide(keys, low, high, wanted, one_of_each, picked) -> Any:  # type: ignore[no-untyped-def]
    """Pick so many rows not picked yet, or as many as there are; returns how many."""
    done = 0
    for i in range(low, high):
        if done == wanted:
            break
        if not picked[i] and (not one_of_each or i == low or keys[i] != keys[i - 1]):
            picked[i] = True
            done += 1
    return done


def _settle(cells: KeyedCells, state: _WildcardState, mask: int, k: int, offer: _WildcardOffer, limit: float) -> None:
    """Hide what the groups within the limit ask for, and count the new matches of all waiting rows."""
    cheap = np.repeat(offer.prices <= limit, np.diff(offer.start))
    chosen, others = offer.rows[cheap & offer.picked], offer.rows[~(cheap & offer.picked)]
    state.matches[others] -= _matches(cells, state.hidden, others, chosen)
    state.hidden[chosen] |= mask
    state.matches[others] += _matches(cells, state.hidden, others, chosen)
    state.matches[chosen] = k
