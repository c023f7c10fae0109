"""Matching of the largest size: as many people as possible get a thing of their own list (Hopcroft and Karp, 1973)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.types import Float, Int, Int32

FAR = 1 << 60


def maximum_matching(start: Int, things: Int32, count: int, draws: Float, before: Int | None = None) -> Int:
    """Return for each person one thing of the own list, or -1; as many as possible get one.

    The person with the shortest list comes first and takes the next free thing after the position drawn. Who finds none
    makes others change theirs. O(√people · length of all lists).

    Args:
        start: Person i may get things[start[i]:start[i + 1]].
        things: See `start`.
        count: Number of things.
        draws: One number per person: where to start in the list (0 the first, 0.5 the middle).
        before: A matching to extend: who has a thing in it keeps one, perhaps another.

    Returns:
        One thing per person, each at most once.
    """
    order = np.argsort(np.diff(start), kind="stable")
    matched = np.full(len(start) - 1, -1, np.int64) if before is None else before.copy()
    holder = np.full(count, -1, np.int64)
    holder[matched[matched >= 0]] = np.flatnonzero(matched >= 0)
    _greedy(start, things, order, draws, matched, holder)
    while _augment(start, things, order, matched, holder):
        pass
    return matched


@njit(nogil=True, cache=True)
def _greedy(start, things, order, draws, matched, holder):  # type: ignore[no-untyped-def]
    """Give each person without a thing the next free one of the list."""
    for person in order:
        size = start[person + 1] - start[person]
        for turn in range(0 if matched[person] >= 0 else size):
            thing = things[start[person] + (int(draws[person] * size) + turn) % size]
            if holder[thing] < 0:
                matched[person], holder[thing] = thing, person
                break


@njit(nogil=True, cache=True)
def _augment(start, things, order, matched, holder) -> Any:  # type: ignore[no-untyped-def]
    """Make shortest chains of changes that share nobody, one after another; returns how many."""
    level, depth = _levels(start, things, order, matched, holder)
    if depth == FAR:
        return 0
    changed, tried = 0, start[:-1].copy()
    chain = np.empty(depth + 1, np.int64)
    for person in order:
        if matched[person] < 0:
            changed += _chain(person, start, things, level, tried, chain, matched, holder)
    return changed


@njit(nogil=True, cache=True)
def _levels(start, things, order, matched, holder) -> Any:  # type: ignore[no-untyped-def]
    """Return after how many changes it is each person's turn, and how many the shortest chain needs."""
    level, queue = np.full(matched.size, FAR), np.empty(matched.size, np.int64)
    head, tail, depth = 0, 0, FAR
    for person in order:
        if matched[person] < 0:
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
def _chain(person, start, things, level, tried, chain, matched, holder) -> Any:  # type: ignore[no-untyped-def]
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
                matched[chain[i]], holder[thing] = thing, chain[i]
                tried[chain[i]] += 1
            return 1
        if last + 1 < chain.size and level[other] == last + 1:
            last += 1
            chain[last] = other
        else:
            tried[chain[last]] += 1
    return 0
