"""Candidates: for each target the rows of a table within a limit of loss, counted, summed up or listed.

`own` names for each target its own row in the table, which is not its candidate, or -1 for a target that is not in the
table. Without `own`, no target is in the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.common import ranges, threads
from icefire.kernels.records.loss import Records, differing_categories, differing_lanes, popcount
from icefire.kernels.records.sliding_counts import LEAST_PAIRS, pairs_within_reach, sliding_counts
from icefire.kernels.records.strip_index import (
    StripIndex,
    build_index,
    leading_column,
    numbers_in_reach,
    places_in_reach,
    strips_in_reach,
    tolerances,
)
from icefire.kernels.types import Float, Int, Int32

SPAN = 512
"""Least number of targets of a task; near ones follow each other and read the same memory."""
MOST = 1 << 24
"""Candidates listed at a time."""


def counts(targets: Records, rows: Records, limit: float, own: Int | None = None) -> Int:
    """Return for each target the number of rows within the limit.

    Args:
        targets: Records to search for.
        rows: The table, encoded together with the targets.
        limit: Largest loss of a candidate.
        own: Each target's own row, or -1; see the module.
    """
    reach, most = tolerances(limit)
    pairs = pairs_within_reach(targets, rows, reach)
    counted = None if pairs < LEAST_PAIRS else sliding_counts(targets, rows, reach, most, pairs)
    if counted is None:
        return _counted(targets, build_index(rows, limit), limit, own)
    # The row itself was counted: it differs from itself in nothing.
    return counted if own is None else counted - (own >= 0)


def sums(targets: Records, rows: Records, weights: Float, limit: float, own: Int | None = None) -> Float:
    """Return for each target the sum of the weights of the rows within the limit.

    Args:
        targets: Records to search for.
        rows: The table, encoded together with the targets.
        weights: One weight per row of the table.
        limit: Largest loss of a candidate.
        own: Each target's own row, or -1; see the module.
    """
    totals, strips = np.zeros(len(targets.numbers)), build_index(rows, limit)
    _search(_sum, targets, strips, limit, own, weights[strips.rows], totals)
    return totals


def lists(
    targets: Records,
    rows: Records,
    limit: float,
    cap: int | None = None,
    offsets: Float | None = None,
    own: Int | None = None,
) -> tuple[Int, Int32]:
    """Return where the candidates of each target start (and one more for the end), and all candidates, ascending.

    Of more than `cap` candidates, every so many-th in the order of the index is taken, near and far alike. Which one
    comes first is decided by the target's offset; offsets drawn at random make a random selection.

    Args:
        targets: Records to search for.
        rows: The table, encoded together with the targets.
        limit: Largest loss of a candidate.
        cap: Candidates listed at most for each target. Default: all.
        offsets: One number from 0 to 1 per target.
        own: Each target's own row, or -1; see the module.

    Returns:
        Offsets (targets + 1) and rows.
    """
    strips = build_index(rows, limit)
    return _listed(targets, strips, limit, _counted(targets, strips, limit, own), cap, offsets, own)


def batches(
    targets: Records, rows: Records, limit: float, own: Int | None = None, most: int = MOST
) -> Iterator[tuple[Int, Int, Int32]]:
    """List all candidates, some targets at a time: at most `most` together, or those of a single target.

    Args:
        targets: Records to search for.
        rows: The table, encoded together with the targets.
        limit: Largest loss of a candidate.
        own: Each target's own row, or -1; see the module.
        most: Candidates in a batch at most.

    Yields:
        The targets, where the candidates of each start (and one more for the end), and the candidates, ascending.
    """
    strips = build_index(rows, limit)
    total = _counted(targets, strips, limit, own)
    ends, first = np.cumsum(total), 0
    while first < len(total):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
        some = np.arange(first, last)
        mine = None if own is None else own[some]
        yield some, *_listed(targets.take(some), strips, limit, total[some], None, None, mine)
        first = last


def _counted(targets: Records, strips: StripIndex, limit: float, own: Int | None) -> Int:
    """Return the number of candidates of each target."""
    totals = np.zeros(len(targets.numbers), np.int64)
    _search(_count, targets, strips, limit, own, totals)
    return totals


def _listed(
    targets: Records,
    strips: StripIndex,
    limit: float,
    total: Int,
    cap: int | None,
    offsets: Float | None,
    own: Int | None,
) -> tuple[Int, Int32]:
    """Return offsets and candidates, from the known number of each target."""
    taken = total if cap is None else np.minimum(total, cap)
    start = ranges.offsets(taken)
    listed = np.empty(int(start[-1]), np.int32)
    # Below 1, so that adding a whole number never rounds up to the next.
    shift = np.zeros(len(total)) if offsets is None else np.minimum(offsets, 0.999)
    _search(_fill, targets, strips, limit, own, total, shift, start, listed)
    return start, listed


def _search(kernel: Any, targets: Records, strips: StripIndex, limit: float, own: Int | None, *extra: Any) -> None:
    """Run a compiled search over all targets, near ones one after another."""
    reach, most = tolerances(limit)
    first, second = leading_column(targets, 0), leading_column(targets, 1)
    order = np.lexsort((second, first))
    home = np.full(len(first), -1, np.int64)
    if own is not None:
        place = np.empty(len(strips.rows), np.int64)
        place[strips.rows] = np.arange(len(place))
        home = np.where(own >= 0, place[own], -1)
    common = (targets, first, second, order, home, strips, reach, most, *extra)
    threads.starmap(kernel, [(*common, *span) for span in threads.spans(len(order), SPAN, 256)])


@njit(nogil=True, cache=True)
def _count(targets, first, second, order, home, strips, reach, most, totals, start, stop):  # type: ignore[no-untyped-def]
    """Count the candidates of targets start … stop - 1 in the order of the search."""
    numbers_x, words_x, tops = targets.numbers, targets.words, targets.tops
    numbers_y, words_y, seconds = strips.numbers, strips.words, strips.second
    for at in range(start, stop):
        t = order[at]
        word, total = words_x[t, 0], 0
        low, high = strips_in_reach(strips.lowest, strips.highest, first[t], reach)
        for strip in range(low, high):
            begin, end = places_in_reach(seconds, strips.start[strip], strips.start[strip + 1], second[t], reach)
            if sure(targets, strips.lowest[strip], strips.highest[strip], first[t], reach):
                for p in range(begin, end):
                    total += popcount(differing_lanes(word, words_y[p, 0], tops[0])) <= most
            else:
                for p in range(begin, end):
                    if popcount(differing_lanes(word, words_y[p, 0], tops[0])) <= most:
                        total += fits(numbers_x, words_x, t, numbers_y, words_y, p, tops, reach, most)
        # The row itself was counted: it differs from itself in nothing.
        totals[t] = total - (home[t] >= 0)


@njit(nogil=True, cache=True)
def sure(targets, lowest, highest, first, reach) -> Any:  # type: ignore[no-untyped-def]
    """Tell whether the first word alone decides for rows of a strip with the second number within reach.

    Args:
        targets: The targets.
        lowest: Smallest first number of the strip.
        highest: Largest first number of the strip.
        first: First number of the target.
        reach: How far numbers may differ.
    """
    simple = targets.numbers.shape[1] <= 2 and targets.tops.size == 1
    return simple and lowest >= first - reach and highest <= first + reach


@njit(nogil=True, cache=True)
def fits(numbers_x, words_x, i, numbers_y, words_y, place, tops, reach, most) -> Any:  # type: ignore[no-untyped-def]
    """Tell whether the row at a place is a candidate (or the target itself).

    Args:
        numbers_x: Numbers of the targets.
        words_x: Packed categories of the targets.
        i: The target.
        numbers_y: Numbers of the rows, in the order of the index.
        words_y: Packed categories of the rows, in the order of the index.
        place: Place in the index.
        tops: Highest bit of every lane.
        reach: How far numbers may differ.
        most: How many categories may differ.
    """
    return (
        numbers_in_reach(numbers_x, i, numbers_y, place, reach)
        and differing_categories(words_x, i, words_y, place, tops) <= most
    )


@njit(nogil=True, cache=True)
def _sum(targets, first, second, order, home, strips, reach, most, weights, totals, start, stop):  # type: ignore[no-untyped-def]
    """Sum the weights of the candidates of targets start … stop - 1 in the order of the search."""
    numbers_x, words_x, tops = targets.numbers, targets.words, targets.tops
    numbers_y, words_y, seconds = strips.numbers, strips.words, strips.second
    for at in range(start, stop):
        t = order[at]
        word, total = words_x[t, 0], 0.0
        low, high = strips_in_reach(strips.lowest, strips.highest, first[t], reach)
        for strip in range(low, high):
            begin, end = places_in_reach(seconds, strips.start[strip], strips.start[strip + 1], second[t], reach)
            if sure(targets, strips.lowest[strip], strips.highest[strip], first[t], reach):
                for p in range(begin, end):
                    # No branch: the processor could not predict whether a row is a candidate.
                    total += weights[p] * (popcount(differing_lanes(word, words_y[p, 0], tops[0])) <= most)
            else:
                for p in range(begin, end):
                    if fits(numbers_x, words_x, t, numbers_y, words_y, p, tops, reach, most):
                        total += weights[p]
        totals[t] = total - (weights[home[t]] if home[t] >= 0 else 0.0)


@njit(nogil=True, cache=True)
def _fill(targets, first, second, order, home, strips, reach, most, total, shift, ends, listed, start, stop):  # type: ignore[no-untyped-def]
    """List the candidates of targets start … stop - 1 in the order of the search."""
    numbers_x, words_x, tops = targets.numbers, targets.words, targets.tops
    numbers_y, words_y, seconds, rows = strips.numbers, strips.words, strips.second, strips.rows
    for at in range(start, stop):
        t = order[at]
        room = ends[t + 1] - ends[t]
        word, seen, taken, step = words_x[t, 0], 0, 0, total[t] / max(room, 1)
        wanted = int(shift[t] * step) if room else total[t]
        low, high = strips_in_reach(strips.lowest, strips.highest, first[t], reach)
        for strip in range(low, high if room else low):
            begin, end = places_in_reach(seconds, strips.start[strip], strips.start[strip + 1], second[t], reach)
            safe = sure(targets, strips.lowest[strip], strips.highest[strip], first[t], reach)
            for p in range(begin, end):
                ok = popcount(differing_lanes(word, words_y[p, 0], tops[0])) <= most
                if ok and not safe:
                    ok = fits(numbers_x, words_x, t, numbers_y, words_y, p, tops, reach, most)
                seen += ok & (p != home[t])
                if seen > wanted:
                    listed[ends[t] + taken] = rows[p]
                    taken += 1
                    wanted = int((taken + shift[t]) * step) if taken < room else total[t]
        listed[ends[t] : ends[t + 1]].sort()
