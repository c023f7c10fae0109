"""Sequences of items, and the k items in order of each person that fewest people have in that order.

Only the first place of an item behind the items chosen so far is tried: what can follow a later place can follow the
first one too. People who have all that is left of the sequence fit whatever is chosen; they bound the result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.ranges import offsets
from icefire.kernels.types import Bool, Int

EFFORT = 200_000_000
"""Elementary steps of the search of one person, about a quarter of a second."""


SHORT = 8
"""A pattern of at most so many items is looked up item by item; for a longer one the sequence is read."""


LOOK_UP = 16
"""Steps to look up where an item comes next."""


class SequenceIndex(NamedTuple):
    """The items of person u in order are items[begin[u]:begin[u + 1]]; the others say where each item occurs.

    Entries start[u] … start[u + 1] - 1 are the person's distinct items, ascending; entry e occurs at the places
    places[occurs[e]:occurs[e + 1]]. The entries of item g are by_item[item_start[g]:item_start[g + 1]].
    """

    begin: Int
    items: Int
    start: Int
    keys: Int
    occurs: Int
    places: Int
    item_start: Int
    by_item: Int
    owners: Int
    """The person of every entry."""


def index_sequences(people: Int, items: Int, person_count: int, item_count: int) -> SequenceIndex:
    """Index the sequences of people; the rows stand in the order of time.

    Args:
        people: The person of each row.
        items: The item of each row, from 0 to `item_count` - 1.
        person_count: Number of people.
        item_count: Number of items.
    """
    by_person = np.argsort(people, kind="stable")
    owners, ordered = people[by_person], items[by_person].astype(np.int64)
    begin = offsets(np.bincount(owners, minlength=person_count))
    place = np.arange(len(ordered)) - begin[owners]
    pairs = owners * max(item_count, 1) + ordered
    order = np.argsort(pairs, kind="stable")
    distinct, counts = np.unique(pairs, return_counts=True)
    entry_owner, keys = np.divmod(distinct, max(item_count, 1))
    return SequenceIndex(
        begin,
        ordered,
        offsets(np.bincount(entry_owner, minlength=person_count)),
        keys,
        offsets(counts),
        place[order],
        offsets(np.bincount(keys, minlength=item_count)),
        np.argsort(keys, kind="stable"),
        entry_owner,
    )


def fewest_in_order(index: SequenceIndex, people: Int, k: int, effort: int = EFFORT) -> tuple[Int, Int, Bool]:
    """Return for each person the least number of people who have k of the person's items in the same order.

    Args:
        index: The sequences.
        people: The persons asked about, each with at least one row.
        k: Number of items; where a sequence is shorter, all of it.
        effort: Most steps of the search of one person.

    Returns:
        The least number in what was tried; a number below which it cannot be; and whether the search was complete.
    """
    least, bound = np.empty(len(people), np.int64), np.empty(len(people), np.int64)
    complete = np.empty(len(people), np.bool_)
    arrays = tuple(index)
    spans = threads.spans(len(people), 16, 64)
    threads.starmap(_search_people, [(arrays, people, k, effort, *span, least, bound, complete) for span in spans])
    return least, bound, complete


@njit(nogil=True, cache=True)
def contains(items, begin, end, pattern) -> Any:  # type: ignore[no-untyped-def]
    """Tell whether items[begin:end] contain the pattern as a subsequence."""
    matched = 0
    for at in range(begin, end):
        if matched == len(pattern):
            break
        matched += items[at] == pattern[matched]
    return matched == len(pattern)


@njit(nogil=True, cache=True)
def count_containing(arrays, pattern) -> Any:  # type: ignore[no-untyped-def]
    """Count the people whose sequence contains the pattern; the holders of its rarest item are looked at."""
    begin, items, item_start, by_item, owners = arrays[0], arrays[1], arrays[6], arrays[7], arrays[8]
    rarest = pattern[0]
    for item in pattern:
        if item_start[item + 1] - item_start[item] < item_start[rarest + 1] - item_start[rarest]:
            rarest = item
    if len(pattern) == 1:
        return item_start[rarest + 1] - item_start[rarest]
    total = 0
    for at in range(item_start[rarest], item_start[rarest + 1]):
        v = owners[by_item[at]]
        if begin[v + 1] - begin[v] < len(pattern):
            continue
        if len(pattern) > SHORT:
            total += contains(items, begin[v], begin[v + 1], pattern)
        else:
            total += _jumps_through(arrays, v, pattern)
    return total


@njit(nogil=True, cache=True)
def _jumps_through(arrays, v, pattern) -> Any:  # type: ignore[no-untyped-def]
    """Tell whether a person's sequence contains the pattern, by looking up where each item comes next."""
    start, keys, occurs, places = arrays[2], arrays[3], arrays[4], arrays[5]
    end = -1
    for item in pattern:
        entry = start[v] + np.searchsorted(keys[start[v] : start[v + 1]], item)
        if entry == start[v + 1] or keys[entry] != item or places[occurs[entry + 1] - 1] <= end:
            return False
        end = places[occurs[entry] + np.searchsorted(places[occurs[entry] : occurs[entry + 1]], end, "right")]
    return True


@njit(nogil=True, cache=True)
def _search_people(arrays, people, k, effort, first, last, least, bound, complete) -> Any:  # type: ignore[no-untyped-def]
    begin, items, item_start = arrays[0], arrays[1], arrays[6]
    number_of_item = np.full(len(item_start), -1, np.int64)
    for at in range(first, last):
        u = people[at]
        own = items[begin[u] : begin[u + 1]]
        bound[at] = count_containing(arrays, own)
        if len(own) <= k:
            least[at], complete[at] = bound[at], True
        else:
            least[at], complete[at] = _search_person(arrays, own, k, bound[at], effort, number_of_item)
        if complete[at]:
            bound[at] = least[at]


@njit(nogil=True, cache=True)
def _search_person(arrays, own, k, floor, effort, number_of_item) -> Any:  # type: ignore[no-untyped-def]
    """Search the subsequences of `own`; returns the least number, and whether the search was complete."""
    item_start, by_item, owners, occurs, places = arrays[6], arrays[7], arrays[8], arrays[4], arrays[5]
    first_places = _first_places(own, 0, number_of_item)
    counts = np.empty(len(first_places), np.int64)
    for i in range(len(first_places)):
        counts[i] = item_start[own[first_places[i]] + 1] - item_start[own[first_places[i]]]
    best, used = counts.min(), len(own)
    if k == 1 or best == floor:
        return best, True
    for i in np.argsort(counts, kind="mergesort"):
        item = own[first_places[i]]
        people, ends = np.empty(counts[i], np.int64), np.empty(counts[i], np.int64)
        for at in range(counts[i]):
            entry = by_item[item_start[item] + at]
            people[at], ends[at] = owners[entry], places[occurs[entry]]
        best, used = _search_rest(
            arrays, own, first_places[i] + 1, people, ends, k - 1, best, floor, used, effort, number_of_item
        )
        if best == floor:
            return best, True
        if used > effort:
            return best, False
    return best, True


@njit(nogil=True, cache=True)
def _first_places(own, begin, number_of_item) -> Any:  # type: ignore[no-untyped-def]
    """The first place of every distinct item from `begin` on."""
    first = np.empty(len(own) - begin, np.int64)
    count = 0
    for place in range(begin, len(own)):
        if number_of_item[own[place]] < 0:
            number_of_item[own[place]] = count
            first[count] = place
            count += 1
    for i in range(count):
        number_of_item[own[first[i]]] = -1
    return first[:count]


@njit(nogil=True, cache=True)
def _search_rest(arrays, own, begin, people, ends, left, best, floor, used, effort, number_of_item) -> Any:  # type: ignore[no-untyped-def]
    """Extend a subsequence that the people named have, ending at `ends`, by `left` items of own[begin:]."""
    # A stack of subsequences still to be extended: whom they fit before their last item, where they end there and in
    # `own`, the points left, the last item (none in the first), and how many people have it.
    waiting = [(people, ends, begin, left, np.int64(-1), np.int64(len(people)))]
    # A first subsequence is completed even if that takes more than the effort.
    completed = False
    while len(waiting) > 0:
        people, ends, begin, left, item, count = waiting.pop()
        if used > effort and completed:
            return best, used
        if item >= 0:
            used += LOOK_UP * len(people)
            people, ends = _advance(arrays, item, people, ends, count)
        if begin == len(own) or len(people) == floor:
            best, completed = min(best, len(people)), True
            continue
        first_places = _first_places(own, begin, number_of_item)
        counts, steps = _count_next(arrays, own, first_places, people, ends, number_of_item)
        used += steps + len(own)
        best = min(best, counts.min())
        if best == floor:
            return best, used
        if left == 1:
            completed = True
            continue
        safe, steps = _count_safe(arrays, own[begin:], people, ends)
        used += steps
        if safe >= best:
            completed = True
            continue
        # The fewest on top: they are tried first.
        for i in np.argsort(-counts, kind="mergesort"):
            place = first_places[i]
            if counts[i] > 0:
                waiting.append((people, ends, place + 1, left - 1, own[place], counts[i]))
    return best, used


@njit(nogil=True, cache=True)
def _count_next(arrays, own, first_places, people, ends, number_of_item) -> Any:  # type: ignore[no-untyped-def]
    """Count for every item at `first_places` the people who have it behind their end; returns the steps, too."""
    start, keys, occurs, places = arrays[2], arrays[3], arrays[4], arrays[5]
    for i in range(len(first_places)):
        number_of_item[own[first_places[i]]] = i
    counts, steps = np.zeros(len(first_places), np.int64), 0
    for at in range(len(people)):
        v = people[at]
        steps += start[v + 1] - start[v]
        for entry in range(start[v], start[v + 1]):
            number = number_of_item[keys[entry]]
            if number >= 0:
                counts[number] += places[occurs[entry + 1] - 1] > ends[at]
    for i in range(len(first_places)):
        number_of_item[own[first_places[i]]] = -1
    return counts, steps


@njit(nogil=True, cache=True)
def _count_safe(arrays, rest, people, ends) -> Any:  # type: ignore[no-untyped-def]
    """Count the people who have the whole rest behind their end; returns the steps, too."""
    begin, items = arrays[0], arrays[1]
    safe, steps = 0, 0
    for at in range(len(people)):
        v = people[at]
        steps += begin[v + 1] - begin[v] - ends[at]
        safe += contains(items, begin[v] + ends[at] + 1, begin[v + 1], rest)
    return safe, steps


@njit(nogil=True, cache=True)
def _advance(arrays, item, people, ends, count) -> Any:  # type: ignore[no-untyped-def]
    """The people who have the item behind their end, and where it is first."""
    start, keys, occurs, places = arrays[2], arrays[3], arrays[4], arrays[5]
    fitting, next_ends = np.empty(count, np.int64), np.empty(count, np.int64)
    written = 0
    for at in range(len(people)):
        v = people[at]
        entry = start[v] + np.searchsorted(keys[start[v] : start[v + 1]], item)
        if entry < start[v + 1] and keys[entry] == item:
            after = occurs[entry] + np.searchsorted(places[occurs[entry] : occurs[entry + 1]], ends[at], "right")
            if after < occurs[entry + 1]:
                fitting[written], next_ends[written] = v, places[after]
                written += 1
    return fitting, next_ends
