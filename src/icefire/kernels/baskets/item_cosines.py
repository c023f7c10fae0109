"""Cosines between goods over the people who bought them, and how much they change between two tables."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from icefire.kernels.types import Float, Int


class WeightedBaskets(NamedTuple):
    """Weights by person and good, both numbered from 0, sorted once by good and once by person."""

    good_start: Int
    people: Int
    people_weights: Float
    person_start: Int
    goods: Int
    goods_weights: Float
    norms: Float
    """Length of each good's vector."""


def weighted_baskets(person: Int, good: Int, weight: Float, goods: int) -> WeightedBaskets:
    """Arrange weights; each pair of person and good occurs once, with a weight above 0.

    Args:
        person: Number of the person of each weight.
        good: Number of the good.
        weight: The weight.
        goods: How many goods there are.

    Returns:
        The weights by good and by person.
    """
    by_good, by_person = np.lexsort((person, good)), np.lexsort((good, person))
    people = int(person.max(initial=-1)) + 1
    return WeightedBaskets(
        np.searchsorted(good[by_good], np.arange(goods + 1)).astype(np.int64),
        person[by_good],
        weight[by_good],
        np.searchsorted(person[by_person], np.arange(people + 1)).astype(np.int64),
        good[by_person],
        weight[by_person],
        np.sqrt(np.bincount(good, weight * weight, minlength=goods)),
    )


def cosine_changes(before: WeightedBaskets, after: WeightedBaskets, chosen: Int) -> tuple[float, float]:
    """Add up, over all pairs of chosen goods whose cosine is positive before, its change and the cosine itself.

    Args:
        before: One table.
        after: Another table of the same goods.
        chosen: Goods that count.

    Returns:
        The sum of the absolute changes and the sum of the cosines before.
    """
    counts = np.zeros(len(before.norms), np.bool_)
    counts[chosen] = True
    return _changes(before, after, np.sort(chosen), counts)  # type: ignore[no-any-return]


@numba.njit(nogil=True, cache=True)
def _changes(before, after, chosen, counts):  # type: ignore[no-untyped-def]
    first, second = np.zeros(len(counts)), np.zeros(len(counts))
    change, total = 0.0, 0.0
    for good in chosen:
        _products(before, good, first)
        _products(after, good, second)
        for other in range(good + 1, len(counts)):
            if first[other] > 0 and counts[other]:
                cosine = first[other] / (before.norms[good] * before.norms[other])
                now = 0.0
                if second[other] > 0:
                    now = second[other] / (after.norms[good] * after.norms[other])
                change += abs(cosine - now)
                total += cosine
        first[:] = 0
        second[:] = 0
    return change, total


@numba.njit(nogil=True, cache=True, inline="always")
def _products(baskets, good, products):  # type: ignore[no-untyped-def]
    """Add the products of one good's vector with those of all goods."""
    for at in range(baskets.good_start[good], baskets.good_start[good + 1]):
        person, weight = baskets.people[at], baskets.people_weights[at]
        for place in range(baskets.person_start[person], baskets.person_start[person + 1]):
            products[baskets.goods[place]] += weight * baskets.goods_weights[place]
