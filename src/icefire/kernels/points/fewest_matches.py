"""The k points of each person that fewest people fit: a search with bounds, not an enumeration.

The facts of a person are tried with the rarest first; the people that fit it become bits, one row of bits per further
fact. At each node of the search every further fact is counted. What a fact removes there is at least what it removes
deeper down, so the largest total that the points left can buy bounds the result, and branches that cannot improve on
the best set so far are left out. The search of a person ends when the best set fits nobody but those who fit all of
the person's facts, or when its effort is used up: then the result is an upper bound, and that number a lower one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.random_draws import mix_bits
from icefire.kernels.points.facts import FactIndex
from icefire.kernels.records.loss import popcount
from icefire.kernels.types import Bool, Int

EFFORT = 200_000_000
"""Elementary steps of the search of one person, about a tenth of a second."""


def fewest_matches(index: FactIndex, people: Int, k: int, effort: int = EFFORT) -> tuple[Int, Int, Bool]:
    """Return for each person the least number of people who fit k of the person's points.

    Args:
        index: What may be known, and whom it fits.
        people: The persons asked about, each with at least one entry.
        k: Number of points; where a person has fewer, all of them.
        effort: Most steps of the search of one person.

    Returns:
        The least number in the sets tried; a number below which it cannot be; and whether the search was complete.
    """
    least, bound = np.empty(len(people), np.int64), np.empty(len(people), np.int64)
    complete = np.empty(len(people), np.bool_)
    arrays = (index.start, index.keys, index.place, index.fact_start, index.low, index.high, index.holders)
    spans = threads.spans(len(people), 16, 64)
    calls = [(arrays, index.key_count, people, k, effort, *span, least, bound, complete) for span in spans]
    threads.starmap(_search_people, calls)
    return least, bound, complete


@njit(nogil=True, cache=True)
def _search_people(arrays, key_count, people, k, effort, first, last, least, bound, complete) -> Any:  # type: ignore[no-untyped-def]
    rank_of_key = np.full(key_count, -1, np.int64)
    start, keys, fact_start, low, high = arrays[0], arrays[1], arrays[3], arrays[4], arrays[5]
    for at in range(first, last):
        u = people[at]
        count = start[u + 1] - start[u]
        rarest = np.empty(count, np.int64)
        needed = 0
        for entry in range(start[u], start[u + 1]):
            levels = min(k, fact_start[entry + 1] - fact_start[entry])
            needed += levels
            fact = fact_start[entry] + levels - 1
            rarest[entry - start[u]] = high[fact] - low[fact]
        entries = np.argsort(rarest, kind="mergesort") + start[u]
        for rank in range(count):
            rank_of_key[keys[entries[rank]]] = rank
        fitting = _count_fitting_all(arrays, rank_of_key, entries, k)
        bound[at] = fitting
        if needed <= k:
            least[at], complete[at] = fitting, True
        else:
            least[at], complete[at] = _search_person(arrays, rank_of_key, entries, k, fitting, effort)
        if complete[at]:
            bound[at] = least[at]
        for rank in range(count):
            rank_of_key[keys[entries[rank]]] = -1


@njit(nogil=True, cache=True)
def _count_fitting_all(arrays, rank_of_key, entries, k) -> Any:  # type: ignore[no-untyped-def]
    """Count the people whom every entry fits, each known as far as k points allow."""
    start, keys, place, fact_start, low, high, holders = arrays
    levels = min(k, fact_start[entries[0] + 1] - fact_start[entries[0]])
    fact = fact_start[entries[0]] + levels - 1
    fitting = 0
    for at in range(low[fact], high[fact]):
        v = holders[at]
        if start[v + 1] - start[v] < len(entries):
            continue
        held = 0
        for entry in range(start[v], start[v + 1]):
            rank = rank_of_key[keys[entry]]
            if rank >= 0:
                own = entries[rank]
                top = fact_start[own] + min(k, fact_start[own + 1] - fact_start[own]) - 1
                held += low[top] <= place[entry] < high[top]
        fitting += held == len(entries)
    return fitting


@njit(nogil=True, cache=True)
def _search_person(arrays, rank_of_key, entries, k, floor, effort) -> Any:  # type: ignore[no-untyped-def]
    """Try every fact as the rarest of the set; returns the least number, and whether the search was complete."""
    fact_start, low, high = arrays[3], arrays[4], arrays[5]
    best, used = len(arrays[0]), 0
    for rank in range(len(entries)):
        entry = entries[rank]
        for level in range(min(k, fact_start[entry + 1] - fact_start[entry])):
            fact = fact_start[entry] + level
            best = min(best, high[fact] - low[fact])
            if best == floor:
                return best, True
            left = k - level - 1
            if left == 0 or rank == len(entries) - 1:
                continue
            if left == 1:
                best, steps = _least_with_one_more(arrays, rank_of_key, entries, rank, fact, best)
                used += steps
                if best == floor:
                    return best, True
                if used > effort:
                    return best, False
                continue
            bits, costs, groups, steps = _bits_of_fitting(arrays, rank_of_key, entries, rank, fact, left)
            _leave_out_equal_rows(bits, costs, groups, left)
            used += steps
            people = high[fact] - low[fact]
            best, steps = _search_bits(bits, costs, groups, people, left, best, floor, effort - used)
            used += steps
            if best == floor:
                return best, True
            if used > effort:
                return best, False
    return best, True


@njit(nogil=True, cache=True)
def _least_with_one_more(arrays, rank_of_key, entries, rank, fact, best) -> Any:  # type: ignore[no-untyped-def]
    """Add one point of a later rank to a fact; returns the least number, `best` if none is lower, and the steps."""
    start, keys, place, fact_start, low, high, holders = arrays
    counts, steps = np.zeros(len(entries), np.int64), len(entries)
    for at in range(low[fact], high[fact]):
        v = holders[at]
        steps += start[v + 1] - start[v]
        for entry in range(start[v], start[v + 1]):
            later = rank_of_key[keys[entry]]
            if later > rank:
                option = fact_start[entries[later]]
                counts[later] += low[option] <= place[entry] < high[option]
    for later in range(rank + 1, len(entries)):
        best = min(best, counts[later])
    return best, steps


@njit(nogil=True, cache=True)
def _bits_of_fitting(arrays, rank_of_key, entries, rank, fact, left) -> Any:  # type: ignore[no-untyped-def]
    """One row of bits for each fact of a later rank that `left` points can buy: whom it fits, of those `fact` fits."""
    start, keys, place, fact_start, low, high, holders = arrays
    row_start = np.zeros(len(entries) + 1, np.int64)
    for later in range(rank + 1, len(entries)):
        entry = entries[later]
        row_start[later + 1] = row_start[later] + min(left, fact_start[entry + 1] - fact_start[entry])
    rows, people = row_start[len(entries)], high[fact] - low[fact]
    bits = np.zeros((rows, (people + 63) // 64), np.uint64)
    costs, groups = np.empty(rows, np.int64), np.empty(rows, np.int64)
    for later in range(rank + 1, len(entries)):
        for row in range(row_start[later], row_start[later + 1]):
            costs[row], groups[row] = row - row_start[later] + 1, later
    steps = rows * bits.shape[1]
    for number in range(people):
        v = holders[low[fact] + number]
        steps += start[v + 1] - start[v]
        for entry in range(start[v], start[v + 1]):
            later = rank_of_key[keys[entry]]
            if later > rank:
                first = fact_start[entries[later]]
                for row in range(row_start[later], row_start[later + 1]):
                    option = first + row - row_start[later]
                    if low[option] <= place[entry] < high[option]:
                        bits[row, number >> 6] |= np.uint64(1) << np.uint64(number & 63)
    return bits, costs, groups, steps


@njit(nogil=True, cache=True)
def _leave_out_equal_rows(bits, costs, groups, left) -> Any:  # type: ignore[no-untyped-def]
    """Make rows of other facts that fit the same people too dear: knowing two of them is knowing one."""
    rows, words = bits.shape
    digests = np.zeros(rows, np.uint64)
    for row in range(rows):
        for word in range(words):
            digests[row] = mix_bits(digests[row] ^ bits[row, word])
    order = np.argsort(digests, kind="mergesort")
    kept = 0
    for at in range(1, rows):
        one, other = order[kept], order[at]
        more = other + 1 < rows and groups[other + 1] == groups[other]
        same = digests[one] == digests[other] and costs[one] == 1 and costs[other] == 1 and not more
        if same and (bits[one] == bits[other]).all():
            costs[other] = left + 1
        else:
            kept = at


@njit(nogil=True, cache=True)
def _search_bits(bits, costs, groups, people, points, best, floor, effort) -> Any:  # type: ignore[no-untyped-def]
    """Find the rows, `points` at most in cost and one of each group, whose common bits are fewest.

    Returns the least number, `best` if none is lower, and the steps taken; more than `effort` if it was cut short.
    """
    rows, words = bits.shape
    fitting = np.empty((points, words), np.uint64)
    counts, bounds = np.empty((points, rows), np.int64), np.empty((points, rows), np.int64)
    order, at = np.empty((points, rows), np.int64), np.zeros(points, np.int64)
    size, left = np.empty(points, np.int64), np.empty(points, np.int64)
    full = np.uint64(0xFFFFFFFFFFFFFFFF)
    for word in range(words):
        fitting[0, word] = full
    if people & 63:
        fitting[0, words - 1] = (np.uint64(1) << np.uint64(people & 63)) - np.uint64(1)
    size[0], left[0] = people, points
    # A first set is completed even if that takes more than the effort.
    depth, steps, completed = 0, rows * words, False
    best = _expand(bits, costs, groups, 0, fitting[0], people, points, best, counts[0], bounds[0])
    order[0] = np.argsort(counts[0], kind="mergesort")
    while depth >= 0 and best > floor and (steps <= effort or not completed):
        if at[depth] == rows:
            at[depth] = 0
            depth -= 1
            completed = True
            continue
        row = order[depth, at[depth]]
        at[depth] += 1
        if bounds[depth, row] >= best:
            continue
        for word in range(words):
            fitting[depth + 1, word] = fitting[depth, word] & bits[row, word]
        size[depth + 1], left[depth + 1] = counts[depth, row], left[depth] - costs[row]
        depth += 1
        at[depth] = 0
        first = row + 1
        while first < rows and groups[first] == groups[row]:
            first += 1
        steps += (rows - first) * words + rows
        best = _expand(
            bits, costs, groups, first, fitting[depth], size[depth], left[depth], best, counts[depth], bounds[depth]
        )
        order[depth] = np.argsort(counts[depth], kind="mergesort")
    if best > floor and depth >= 0:
        steps = effort + 1
    return best, steps


@njit(nogil=True, cache=True)
def _expand(bits, costs, groups, first, fitting, size, left, best, counts, bounds) -> Any:  # type: ignore[no-untyped-def]
    """Count whom each row from `first` on fits besides, and bound from below what can follow it.

    A row that nothing can follow, or that removes nobody, gets a bound that is never tried. Returns the least count.
    """
    rows, words = bits.shape
    never = np.int64(1) << np.int64(62)
    counts[:first], bounds[:first] = never, never
    # The most people that rows of later groups can remove together, by how many points they may cost.
    removed, updated = np.zeros(left + 1, np.int64), np.zeros(left + 1, np.int64)
    for row in range(rows - 1, first - 1, -1):
        counts[row], bounds[row] = never, never
        if costs[row] <= left:
            common = np.int64(0)
            for word in range(words):
                common += np.int64(popcount(fitting[word] & bits[row, word]))
            counts[row] = common
            best = min(best, common)
            if common < size:
                if costs[row] < left:
                    bounds[row] = common - removed[left - costs[row]]
                for points in range(costs[row], left + 1):
                    updated[points] = max(updated[points], removed[points - costs[row]] + size - common)
        if row == first or groups[row - 1] != groups[row]:
            for points in range(left + 1):
                removed[points] = max(removed[points], updated[points])
                updated[points] = removed[points]
    return best
