"""Cells to hide so that every combination occurs k times, where a hidden cell is a value of its own.

A greedy cover. A row waits until it is settled in a class of at least k rows that look alike. For a mask (a set of
columns to hide) the waiting rows form groups. A group can be settled if it has k rows, if its class exists, or if
classes of more than k rows can lend it enough settled rows that fit. Its price is the cost of all cells hidden for it,
divided by its rows. The cheapest groups are settled first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from icefire.kernels.common.counting_sort import positions_by_label
from icefire.kernels.suppression.cell_keys import (
    KeyedCells,
    KeyNumbers,
    empty_key_numbers,
    masked_keys,
    number_of_key,
)
from icefire.kernels.suppression.mask_search import QueuedMask, greedy_cover, mask_cost, masks_to_try
from icefire.kernels.types import Float, Int

WAITS = -1


class _LocalState(NamedTuple):
    """Where every row is, and the classes there are."""

    home: Int  # per row: its class, or WAITS
    masks: Int  # per row: the columns hidden
    costs: Float  # per row: what hiding them cost
    classes: KeyNumbers
    sizes: Int  # per class


class _LocalOffer(NamedTuple):
    """What a mask could settle now: groups of waiting rows, and the settled rows that could be lent to each."""

    rows: Int  # waiting rows by group
    start: Int
    lenders: Int  # settled rows by group
    lent_from: Int  # where each group's begin
    keys: Int  # per group
    prices: Float  # per group, infinite if it cannot be settled


def columns_to_hide(cells: KeyedCells, k: int) -> Int:
    """Return for each row the columns to hide, as bits; there must be at least k rows. Ties go to the lowest mask."""
    rows = cells.parts.shape[1]
    home = np.full(rows, WAITS, np.int64)
    state = _LocalState(
        home, np.zeros(rows, np.int64), np.zeros(rows), empty_key_numbers(rows), np.zeros(rows, np.int64)
    )
    queue = [QueuedMask(0.0, mask_cost(cells, mask), -rows, mask) for mask in masks_to_try(cells, k)]
    while True:
        before = np.count_nonzero(home == WAITS)
        greedy_cover(
            queue.copy(),
            lambda mask: _survey(cells, state, mask, k),
            lambda mask, offer, limit: _settle(cells, state, mask, k, offer, limit),
            lambda: bool((home == WAITS).any()),
        )
        left = np.flatnonzero(home == WAITS)
        if not len(left):
            return state.masks
        if len(left) == before:
            _merge(cells, state, int(left[0]))


def _merge(cells: KeyedCells, state: _LocalState, row: int) -> None:
    """Let a row to which no row can be lent join a whole class: the one for which that costs least."""
    settled = np.flatnonzero(state.home >= 0)
    homes, first = np.unique(state.home[settled], return_index=True)
    bits = 1 << np.arange(len(cells.weights))[:, None]
    shown = np.where(state.masks[settled[first]] & bits, 0, cells.parts[:, settled[first]])
    own = cells.parts[:, [row]]
    cells_gone = (shown != own) * ((shown != 0) * state.sizes[homes] + (own != 0))
    best = (cells.weights @ cells_gone).argmin()
    mask = int(((shown[:, [best]] != own) * bits).sum())
    members = np.append(np.flatnonzero(state.home == homes[best]), row)
    state.sizes[homes[best]] = 0
    home = number_of_key(state.classes, masked_keys(cells, members[-1:], mask)[0][0], True)
    state.masks[members] |= mask
    state.home[members] = home
    state.costs[members] = [_cost(cells, member, state.masks[member]) for member in members]
    state.sizes[home] += len(members)


@numba.njit(nogil=True, cache=True)
def _survey(cells, state, mask, k) -> Any:  # type: ignore[no-untyped-def]
    """Return the groups of a mask and their prices."""
    waiting = np.flatnonzero(state.home == WAITS)
    keys, costs = masked_keys(cells, waiting, mask)
    groups = empty_key_numbers(waiting.size)
    numbers = np.empty(waiting.size, np.int64)
    for i in range(waiting.size):
        numbers[i] = number_of_key(groups, keys[i], True)
    start, order = positions_by_label(numbers, groups.used[0])
    lenders, lent_from = _lenders(cells, state, mask, k, groups, start)
    prices = np.full(groups.used[0], np.inf)
    chosen = np.empty(k, np.int64)
    for group in range(prices.size):
        size = start[group + 1] - start[group]
        total = 0.0
        for i in range(start[group], start[group + 1]):
            total += costs[order[i]]
        need = _need(state, groups.keys[group], size, k)
        extra = _choose(cells, state, mask, k, lenders, lent_from[group], lent_from[group + 1], need, chosen)
        prices[group] = (total + extra) / size
    return _LocalOffer(waiting[order], start, lenders, lent_from, groups.keys[: groups.used[0]].copy(), prices)


@numba.njit(nogil=True, cache=True)
def _need(state, key, size, k) -> Any:  # type: ignore[no-untyped-def]
    """Return how many rows have to be lent to a group."""
    home = number_of_key(state.classes, key, False)
    return 0 if size >= k or (home >= 0 and state.sizes[home] > 0) else k - size


@numba.njit(nogil=True, cache=True)
def _lenders(cells, state, mask, k, groups, start) -> Any:  # type: ignore[no-untyped-def]
    """List, for each group that is too small, the rows that fit and that their class can spare."""
    able = np.zeros(state.home.size, np.bool_)
    for row in range(able.size):
        able[row] = state.home[row] >= 0 and state.sizes[state.home[row]] > k
    rows = np.flatnonzero(able)
    keys, _ = masked_keys(cells, rows, mask)
    numbers = np.empty(rows.size, np.int64)
    for i in range(rows.size):
        group = number_of_key(groups, keys[i], False)
        if group >= 0 and start[group + 1] - start[group] >= k:
            group = -1
        numbers[i] = group
    lent_from, order = positions_by_label(numbers, groups.used[0])
    return rows[order], lent_from


@numba.njit(nogil=True, cache=True)
def _choose(cells, state, mask, k, lenders, low, high, need, chosen) -> Any:  # type: ignore[no-untyped-def]
    """Choose the lenders of least extra cost, ties in order; returns that cost, infinite if there are too few."""
    if high - low < need:
        return np.inf
    extras, count = np.empty(need), 0
    for i in range(low, high):
        if need == 0:
            break
        row = lenders[i]
        extra = _cost(cells, row, mask) - state.costs[row]
        at = count - 1 if count == need else count
        if count == need and extra >= extras[at]:
            continue
        if _spared(state, k, chosen, at, row) < 1:
            continue
        while at > 0 and extra < extras[at - 1]:
            chosen[at], extras[at] = chosen[at - 1], extras[at - 1]
            at -= 1
        chosen[at], extras[at] = row, extra
        count = min(count + 1, need)
    return extras.sum() if count == need else np.inf


@numba.njit(nogil=True, cache=True)
def _spared(state, k, chosen, count, row) -> Any:  # type: ignore[no-untyped-def]
    """Return how many rows the class of a row can still spare, after those chosen."""
    home = state.home[row]
    spare = state.sizes[home] - k
    for i in range(count):
        if state.home[chosen[i]] == home:
            spare -= 1
    return spare


@numba.njit(nogil=True, cache=True)
def _cost(cells, row, mask) -> Any:  # type: ignore[no-untyped-def]
    """Return the cost of hiding the columns of a mask in a row."""
    total = 0.0
    for c in range(cells.weights.size):
        if mask >> c & 1 and cells.parts[c, row] != 0:
            total += cells.weights[c]
    return total


@numba.njit(nogil=True, cache=True)
def _settle(cells, state, mask, k, offer, limit) -> Any:  # type: ignore[no-untyped-def]
    """Settle the groups that still cost no more than the limit; returns how many rows no longer wait."""
    done = 0
    chosen = np.empty(k, np.int64)
    for group in range(offer.prices.size):
        low, high = offer.start[group], offer.start[group + 1]
        if offer.prices[group] > limit:
            continue
        # Groups settled just now may have taken the lenders that this one counted on.
        need = _need(state, offer.keys[group], high - low, k)
        first, last = offer.lent_from[group], offer.lent_from[group + 1]
        if _choose(cells, state, mask, k, offer.lenders, first, last, need, chosen) == np.inf:
            continue
        home = number_of_key(state.classes, offer.keys[group], True)
        for i in range(low, high):
            _move(cells, state, offer.rows[i], home, mask)
        for i in range(need):
            state.sizes[state.home[chosen[i]]] -= 1
            _move(cells, state, chosen[i], home, mask)
        done += high - low
    return done


@numba.njit(nogil=True, cache=True)
def _move(cells, state, row, home, mask) -> Any:  # type: ignore[no-untyped-def]
    """Put a row into a class, with the columns of the mask hidden."""
    state.home[row], state.masks[row], state.costs[row] = home, mask, _cost(cells, row, mask)
    state.sizes[home] += 1
