"""A random matching by a random walk of exchanges, in which all matchings become about equally likely."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common.sorted_arrays import is_among
from icefire.kernels.types import Int, Int32


def exchange_at_random(start: Int, things: Int32, count: int, given: Int, steps: int, rng: np.random.Generator) -> Int:
    """Exchange things between people who have each other's in their lists, which ascend; who has none stays without.

    In each step somebody drawn at random draws a thing of the own list: if it is free, takes it; if its holder's list
    has what would be given in return, they exchange. Forward and back are equally likely, so that in the long run no
    matching is preferred.
    """
    mixed = given.copy()
    if len(given):
        _exchange(start, things, count, mixed, rng.random(steps), rng.random(steps))
    return mixed


@njit(nogil=True, cache=True)
def _exchange(start, things, count, given, who, what):  # type: ignore[no-untyped-def]
    holder = np.full(count, -1, np.int64)
    for person in range(given.size):
        if given[person] >= 0:
            holder[given[person]] = person
    for step in range(who.size):
        person = int(who[step] * given.size)
        size, mine = start[person + 1] - start[person], given[person]
        if mine < 0 or size == 0:
            continue
        wanted = things[start[person] + int(what[step] * size)]
        other = holder[wanted]
        if other == person:
            continue
        if other >= 0 and not is_among(things, start[other], start[other + 1], mine):
            continue
        given[person], holder[wanted] = wanted, person
        holder[mine] = other
        if other >= 0:
            given[other] = mine
