"""Matching of the largest size: as many people as possible get a thing of their own list (Hopcroft and Karp, 1973)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.types import Float, Int, Int32

FAR = 1 << 60


def maximum_matching(start: Int, things: Int32, count: int, draws: Float, given: Int | None = None) -> Int:
    """Return for each person one of things[start[i]:start[i + 1]], of which there are `count` in all, or -1.

    As many as possible are given. Whoever has the shortest list comes first and takes the next free thing after the
    place `draws` points to (0 the first of the list, 0.5 the middle); who finds none then makes others change what
    they have. With `given`, a matching made before is extended: whoever has a thing keeps one, perhaps another.
    """
    order = np.argsort(np.diff(start), kind="stable")
    made = np.full(len(start) - 1, -1, np.int64) if given is None else given.copy()
    holder = np.full(count, -1, np.int64)
    holder[made[made >= 0]] = np.flatnonzero(made >= 0)
    _greedy(start, things, order, draws, made, holder)
    while _augment(start, things, order, made, holder):
        pass
    return made


@njit(nogil=True, cache=True)
def _greedy(start, things, order, draws, given, holder):  # type: ignore[no-untyped-def]
    for person in order:
        size = start[person + 1] - start[person]
        for turn in range(0 if given[person] >= 0 else size):
            thing = things[start[person] + (int(draws[person] * size) + turn) % size]
            if holder[thing] < 0:
                given[person], holder[thing] = thing, person
                break


@njit(nogil=True, cache=True)
def _augment(start, things, order, given, holder) -> Any:  # type: ignore[no-untyped-def]
    """Find shortest chains of changes that do not meet, one after another; returns how many were made."""
    level, depth = _levels(start, things, order, given, holder)
    if depth == FAR:
        return 0
    made, tried = 0, start[:-1].copy()
    chain = np.empty(depth + 1, np.int64)
    for person in order:
        if given[person] < 0:
            made += _chain(person, start, things, level, tried, chain, given, holder)
    return made


@njit(nogil=True, cache=True)
def _levels(start, things, order, given, holder) -> Any:  # type: ignore[no-untyped-def]
    """Number everybody by the changes after which it is their turn, and find how many the shortest chain needs."""
    level, queue = np.full(given.size, FAR), np.empty(given.size, np.int64)
    head, tail, depth = 0, 0, FAR
    for person in order:
        if given[person] < 0:
            level[person], queue[tail] = 0, person
            tail += 1
    while head < tail:
        person = queue[head]
        head += 1
        if level[person] >= depth:
            break
        for at in range(start[person], start[person + 1]):
            other = holder[things[at]]
            if other < 0:
                depth = level[person]
            elif level[other] == FAR:
                level[other], queue[tail] = level[person] + 1, other
                tail += 1
    return level, depth


@njit(nogil=True, cache=True)
def _chain(person, start, things, level, tried, chain, given, holder) -> Any:  # type: ignore[no-untyped-def]
    """Look for a chain of changes that ends with a free thing, and make them; nobody tries a thing twice."""
    chain[0], last = person, 0
    while last >= 0:
        at = tried[chain[last]]
        if at == start[chain[last] + 1]:
            last -= 1
            if last >= 0:
                tried[chain[last]] += 1
            continue
        other = holder[things[at]]
        if other < 0:
            for i in range(last + 1):
                thing = things[tried[chain[i]]]
                given[chain[i]], holder[thing] = thing, chain[i]
                tried[chain[i]] += 1
            return 1
        if last + 1 < chain.size and level[other] == last + 1:
            last += 1
            chain[last] = other
        else:
            tried[chain[last]] += 1
    return 0
