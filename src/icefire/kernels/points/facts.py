"""Facts about people, and which people each fact fits: an index that all searches over known points use.

Person u has the entries start[u] … start[u + 1] - 1, one for each of the person's keys, ascending. All entries of all
people, sorted by key, then value, then person, have a place; `holders` names the person at each place. What may be
known of an entry are its facts: fact number x, which takes x points to know, fits the people at places low … high - 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from icefire.kernels.common.ranges import concatenated_ranges, offsets
from icefire.kernels.types import Float, Int, Int32


class FactIndex(NamedTuple):
    """The arrays that the module describes."""

    start: Int
    keys: Int
    place: Int
    fact_start: Int
    """Entry e has the facts fact_start[e] … fact_start[e + 1] - 1."""
    low: Int
    high: Int
    holders: Int32
    points: Int
    """How many points of the person each entry stands for."""
    key_count: int


def index_facts(people: Int, keys: Int, values: Float, person_count: int, key_count: int) -> FactIndex:
    """Index entries of which only the key is known, whatever the value.

    Args:
        people: The person of each entry; a person has a key once.
        keys: The key of each entry, from 0 to `key_count` - 1.
        values: The value of each entry.
        person_count: Number of people.
        key_count: Number of keys.
    """
    order = np.lexsort((keys, people))
    people, keys, values = people[order], keys[order], values[order]
    by_value = np.lexsort((people, values, keys))
    place = np.empty(len(keys), np.int64)
    place[by_value] = np.arange(len(keys))
    ends = offsets(np.bincount(keys, minlength=key_count))
    return FactIndex(
        offsets(np.bincount(people, minlength=person_count)),
        keys,
        place,
        np.arange(len(keys) + 1),
        ends[keys],
        ends[keys + 1],
        people[by_value].astype(np.int32),
        np.ones(len(keys), np.int64),
        key_count,
    )


def with_thresholds(index: FactIndex, counts: Int, most: int) -> FactIndex:
    """Return the index with facts "at least x times", x = 1 … the count of the entry or `most`.

    Args:
        index: The index; its values were the counts.
        counts: The count of every entry, in the order of the index.
        most: Largest x.
    """
    at_place = np.empty(len(counts), np.int64)
    at_place[index.place] = counts
    levels = np.minimum(counts, most)
    wanted = concatenated_ranges(np.ones(len(counts), np.int64), levels)
    entries = np.repeat(np.arange(len(counts)), levels)
    width = int(counts.max(initial=0)) + 1
    ranked = np.empty(len(counts), np.int64)
    ranked[index.place] = index.keys * width + counts
    low = np.searchsorted(ranked, index.keys[entries] * width + wanted)
    return index._replace(
        fact_start=offsets(levels), low=low.astype(np.int64), high=index.high[entries], points=counts.astype(np.int64)
    )


def with_tolerance(index: FactIndex, values: Float, tolerance: float) -> FactIndex:
    """Return the index with facts "the value is this one, give or take a share of it".

    Args:
        index: The index; its values were these.
        values: The value of every entry, in the order of the index.
        tolerance: Share of the value.
    """
    distinct, ranks = np.unique(values, return_inverse=True)
    # Products such as 10 * 1.1 are not exact: a value at the very edge belongs to the range.
    lowest = np.searchsorted(distinct, distinct * (1.0 - tolerance) * (1.0 - EDGE), "left")
    highest = np.searchsorted(distinct, distinct * (1.0 + tolerance) * (1.0 + EDGE), "right")
    width = len(distinct) + 1
    ranks = ranks.reshape(-1)
    ranked = np.empty(len(values), np.int64)
    ranked[index.place] = index.keys * width + ranks
    low = np.searchsorted(ranked, index.keys * width + lowest[ranks], "left")
    high = np.searchsorted(ranked, index.keys * width + highest[ranks], "left")
    return index._replace(low=low.astype(np.int64), high=high.astype(np.int64))


EDGE = 1e-12
