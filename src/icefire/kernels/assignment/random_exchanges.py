"""A random matching by a random walk of exchanges, in which all matchings become about equally likely."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common.sorted_arrays import is_among
from icefire.kernels.types import Int, Int32


def exchange_at_random(
    start: Int, things: Int32, count: int, matched: Int, steps: int, rng: np.random.Generator
) -> Int:
    """Return another matching of the same people, reached by random exchanges. Who has nothing gets nothing.

    In each step a random person draws a thing of the own list: if it is free, it is taken; if its holder's list has
    what would be given in return, they exchange. Forward and back are equally likely, so that in the long run no
    matching is preferred.

    Args:
        start: Person i may get things[start[i]:start[i + 1]], ascending.
        things: See `start`.
        count: Number of things.
        matched: The thing of each person, or -1.
        steps: Number of steps.
        rng: Source of the draws.

    Returns:
        The thing of each person, or -1.
    """
    mixed = matched.copy()
    if len(matched):
        _exchange(start, things, count, mixed, rng.random(steps), rng.random(steps))
    return mixed


@njit(nogil=True, cache=True)
def _exchange(start, things, count, matched, who, what):  # type: ignore[no-untyped-def]
    """Exchange things in place, one step for each pair of draws."""
    holder = np.full(count, -1, np.int64)
    for person in range(matched.size):
        if matched[person] >= 0:
            holder[matched[person]] = person
    for step in range(who.size):
        person = int(who[step] * matched.size)
        size, mine = start[person + 1] - start[person], matched[person]
        if mine < 0 or size == 0:
            continue
        wanted = things[start[person] + int(what[step] * size)]
        other = holder[wanted]
        if other == person:
            continue
        if other >= 0 and not is_among(things, start[other], start[other + 1], mine):
            continue
        matched[person], holder[wanted] = wanted, person
        holder[mine] = other
        if other >= 0:
            matched[other] = mine
