"""The mean of 1 / number of people who fit, over random sets of k points of each person, or over all sets if few."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.random_draws import mix_bits, random_below
from icefire.kernels.points.facts import FactIndex
from icefire.kernels.points.sequences import SequenceIndex, count_containing
from icefire.kernels.types import Float, Int

MANY = 1 << 60


def mean_of_fact_sets(index: FactIndex, people: Int, k: int, sets: int, seed: int) -> tuple[Float, Float, Int]:
    """Return for each person the mean over sets of k points, and the variance of that mean.

    Args:
        index: What may be known, and whom it fits.
        people: The persons asked about, each with at least one entry.
        k: Number of points; where a person has fewer, all of them.
        sets: Sets drawn per person; all sets are taken where there are not more.
        seed: Seed of the draws; the sets of a person do not depend on who else is asked about.

    Returns:
        The means; their variances, 0 where all sets were taken; and the fewest people who fit one of the sets.
    """
    arrays = (index.start, index.keys, index.place, index.fact_start, index.low, index.high, index.holders)
    return _means(_mean_facts, (*arrays, index.points), people, k, sets, seed)


def mean_of_sequences(index: SequenceIndex, people: Int, k: int, sets: int, seed: int) -> tuple[Float, Float, Int]:
    """Return for each person the mean over sets of k rows known in their order, and the variance of that mean.

    Args:
        index: The sequences.
        people: The persons asked about, each with at least one row.
        k: Number of rows; where a sequence is shorter, all of it.
        sets: Sets drawn per person; all sets are taken where there are not more.
        seed: Seed of the draws.

    Returns:
        The means; their variances, 0 where all sets were taken; and the fewest people who fit one of the sets.
    """
    return _means(_mean_sequences, tuple(index), people, k, sets, seed)


def _means(kernel: Any, arrays: tuple[Any, ...], people: Int, k: int, sets: int, seed: int) -> tuple[Float, Float, Int]:
    means, variances, least = np.empty(len(people)), np.empty(len(people)), np.empty(len(people), np.int64)
    spans = threads.spans(len(people), 16, 64)
    arguments = (arrays, people, k, sets, np.uint64(seed))
    threads.starmap(kernel, [(*arguments, *span, means, variances, least) for span in spans])
    return means, variances, least


@njit(nogil=True, cache=True)
def _mean_facts(arrays, people, k, sets, seed, first, last, means, variances, least) -> Any:  # type: ignore[no-untyped-def]
    start, points = arrays[0], arrays[7]
    for at in range(first, last):
        u = people[at]
        own = np.repeat(np.arange(start[u], start[u + 1]), points[start[u] : start[u + 1]])
        taken = min(k, len(own))
        chosen = np.arange(taken)
        facts, owners = np.empty(taken, np.int64), np.empty(taken, np.int64)
        state = np.array([mix_bits(seed ^ mix_bits(np.uint64(u + 1)))], np.uint64)
        total, squares, count, fewest = 0.0, 0.0, 0, MANY
        few = _number_of_sets(len(own), taken, sets) <= sets
        while count < sets:
            if not few:
                _draw(state, len(own), chosen)
            fitting = _count_fitting(arrays, own, chosen, facts, owners)
            risk, fewest = 1.0 / fitting, min(fewest, fitting)
            total, squares, count = total + risk, squares + risk * risk, count + 1
            if few and not _next_set(chosen, len(own)):
                break
        means[at], variances[at], least[at] = total / count, _variance(total, squares, count, few), fewest


@njit(nogil=True, cache=True)
def _mean_sequences(arrays, people, k, sets, seed, first, last, means, variances, least) -> Any:  # type: ignore[no-untyped-def]
    begin, items = arrays[0], arrays[1]
    for at in range(first, last):
        u = people[at]
        own = items[begin[u] : begin[u + 1]]
        taken = min(k, len(own))
        chosen = np.arange(taken)
        state = np.array([mix_bits(seed ^ mix_bits(np.uint64(u + 1)))], np.uint64)
        total, squares, count, fewest = 0.0, 0.0, 0, MANY
        few = _number_of_sets(len(own), taken, sets) <= sets
        while count < sets:
            if not few:
                _draw(state, len(own), chosen)
            fitting = count_containing(arrays, own[chosen])
            risk, fewest = 1.0 / fitting, min(fewest, fitting)
            total, squares, count = total + risk, squares + risk * risk, count + 1
            if few and not _next_set(chosen, len(own)):
                break
        means[at], variances[at], least[at] = total / count, _variance(total, squares, count, few), fewest


@njit(nogil=True, cache=True)
def _variance(total, squares, count, complete) -> Any:  # type: ignore[no-untyped-def]
    """The variance of the mean of so many draws."""
    if complete or count < 2:
        return 0.0
    return max(0.0, squares - total * total / count) / (count - 1) / count


@njit(nogil=True, cache=True)
def _number_of_sets(n, k, most) -> Any:  # type: ignore[no-untyped-def]
    """The number of sets of k out of n; some number above `most` where it is more."""
    number = 1.0
    for i in range(min(k, n - k)):
        number = number * (n - i) / (i + 1)
        if number > 4.0 * most + 4.0:
            break
    return np.int64(np.rint(number))


@njit(nogil=True, cache=True)
def _draw(state, n, chosen) -> Any:  # type: ignore[no-untyped-def]
    """Draw distinct numbers below n, ascending (Floyd)."""
    for i in range(len(chosen)):
        upper = n - len(chosen) + i
        number = random_below(state, upper + 1)
        for j in range(i):
            if chosen[j] == number:
                number = upper
                break
        chosen[i] = number
    chosen.sort()


@njit(nogil=True, cache=True)
def _next_set(chosen, n) -> Any:  # type: ignore[no-untyped-def]
    """Step to the next set in the order of the dictionary; False after the last."""
    k = len(chosen)
    i = k - 1
    while i >= 0 and chosen[i] == n - k + i:
        i -= 1
    if i < 0:
        return False
    chosen[i] += 1
    for j in range(i + 1, k):
        chosen[j] = chosen[j - 1] + 1
    return True


@njit(nogil=True, cache=True)
def _count_fitting(arrays, own, chosen, facts, entries) -> Any:  # type: ignore[no-untyped-def]
    """Count the people who fit the points chosen; points of one entry make a higher fact of it, where it has one."""
    start, keys, place, fact_start, low, high, holders, _ = arrays
    count = 0
    for number in chosen:
        entry = own[number]
        if count and entries[count - 1] == entry:
            facts[count - 1] = min(facts[count - 1] + 1, fact_start[entry + 1] - 1)
        else:
            entries[count], facts[count] = entry, fact_start[entry]
            count += 1
    rarest = 0
    for i in range(1, count):
        if high[facts[i]] - low[facts[i]] < high[facts[rarest]] - low[facts[rarest]]:
            rarest = i
    if count == 1:
        return high[facts[0]] - low[facts[0]]
    fitting = 0
    for at in range(low[facts[rarest]], high[facts[rarest]]):
        v = holders[at]
        fits = True
        for i in range(count):
            if i != rarest:
                key = keys[entries[i]]
                entry = start[v] + np.searchsorted(keys[start[v] : start[v + 1]], key)
                fits = entry < start[v + 1] and keys[entry] == key and low[facts[i]] <= place[entry] < high[facts[i]]
                if not fits:
                    break
        fitting += fits
    return fitting
