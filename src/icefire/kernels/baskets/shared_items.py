"""Pairs of sets from two sides: the second sets that share most weight with each first set, and what pairs share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.baskets.top_list import insert_if_better
from icefire.kernels.common import threads
from icefire.kernels.common.ranges import offsets
from icefire.kernels.types import Float, Int, Int32

Sets = tuple[Int, Int32]
"""Where the items of each set begin (and the last ones end), and the items, ascending in each set."""


def most_shared(first: Sets, second: Sets, weights: Float, kept: int) -> tuple[Int, Float]:
    """Find for each first set the second sets with the largest weight of shared items over the root of their weight.

    Args:
        first: Offsets and items of the first sets.
        second: Offsets and items of the second sets.
        weights: Weight of each item, above 0.
        kept: How many second sets are kept for each first set.

    Returns:
        Second sets, the best first, -1 where there are no more; and their scores. Sets that share nothing are left out.
    """
    start, items = second
    order = np.argsort(items, kind="stable")
    ends = offsets(np.bincount(items, minlength=len(weights)))
    owners = np.repeat(np.arange(len(start) - 1, dtype=np.int64), np.diff(start))[order]
    heavy = np.bincount(np.repeat(np.arange(len(start) - 1), np.diff(start)), weights[items], minlength=len(start) - 1)
    count = len(first[0]) - 1
    best, scores = np.full((count, kept), -1, np.int64), np.zeros((count, kept))
    arguments = (*first, ends, owners, np.sqrt(np.maximum(heavy, 1e-300)), weights, best, scores)
    threads.starmap(_most_shared, [(*arguments, *span) for span in threads.spans(count, 256)])
    return best, scores


@njit(nogil=True, cache=True)
def _most_shared(start, items, ends, owners, lengths, weights, best, scores, first, last) -> Any:  # type: ignore[no-untyped-def]
    sums, seen = np.zeros(len(lengths)), np.empty(len(lengths), np.int64)
    for s in range(first, last):
        count, listed = 0, 0
        for at in range(start[s], start[s + 1]):
            item = items[at]
            for k in range(ends[item], ends[item + 1]):
                other = owners[k]
                if sums[other] == 0.0:
                    seen[count] = other
                    count += 1
                sums[other] += weights[item]
        for k in range(count):
            other = seen[k]
            listed = insert_if_better(scores[s], best[s], listed, sums[other] / lengths[other], other)
            sums[other] = 0.0


def shared_of_pairs(
    first: Sets, second: Sets, pairs: Int, present: Float, values: Sequence[tuple[Int, Int, Float, Float]]
) -> Float:
    """Sum up over the items that each pair of sets shares.

    Args:
        first: Offsets and items of the first sets.
        second: Offsets and items of the second sets.
        pairs: For each first set second sets, -1 for none.
        present: What a shared item adds, by item.
        values: Codes of a value of every entry of the first sets and of the second, and for each entry of the first
            how common its value is among others who have the item, and what an equal value adds.

    Returns:
        By first set, pair and column: how many items are shared, the sum of `present`, and then for every value: how
        often it is equal, the sum of how common it is over all shared items, and the sum of what equal ones add.
    """
    sums = np.zeros((*pairs.shape, 2 + 3 * len(values)))
    _add_shared(*first, *second, pairs, present, sums)
    for number, (one, other, common, gain) in enumerate(values):
        _add_equal(*first, *second, pairs, one, other, common, gain, 2 + 3 * number, sums)
    return sums


@njit(nogil=True, cache=True)
def _add_shared(start, items, start_2, items_2, pairs, present, sums) -> Any:  # type: ignore[no-untyped-def]
    for s in range(len(pairs)):
        for at in range(pairs.shape[1]):
            other = pairs[s, at]
            if other < 0:
                continue
            i, j = start[s], start_2[other]
            while i < start[s + 1] and j < start_2[other + 1]:
                if items[i] == items_2[j]:
                    sums[s, at, 0] += 1.0
                    sums[s, at, 1] += present[items[i]]
                    i += 1
                    j += 1
                elif items[i] < items_2[j]:
                    i += 1
                else:
                    j += 1


@njit(nogil=True, cache=True)
def _add_equal(start, items, start_2, items_2, pairs, one, two, common, gain, column, sums) -> Any:  # type: ignore[no-untyped-def]
    for s in range(len(pairs)):
        for at in range(pairs.shape[1]):
            other = pairs[s, at]
            if other < 0:
                continue
            i, j = start[s], start_2[other]
            while i < start[s + 1] and j < start_2[other + 1]:
                if items[i] == items_2[j]:
                    sums[s, at, column + 1] += common[i]
                    if one[i] == two[j]:
                        sums[s, at, column] += 1.0
                        sums[s, at, column + 2] += gain[i]
                    i += 1
                    j += 1
                elif items[i] < items_2[j]:
                    i += 1
                else:
                    j += 1
