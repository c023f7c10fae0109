"""The customer answered for every released subject, and how far the answers can be trusted."""

from __future__ import annotations

import numpy as np

from icefire.attacks.histories.link.learning import LearnedRates
from icefire.attacks.histories.link.structure import Structure
from icefire.kernels.assignment import auction
from icefire.kernels.types import Float, Int, Int32

LEAST = 1e-30
STEP = 1e-3
NEGLIGIBLE = 0.01


def answer(learned: LearnedRates, owner: Int) -> tuple[Int, Float]:
    """Name one customer for every released subject, no unit twice as long as there are enough.

    Args:
        learned: Candidates and their weights.
        owner: The customer of every unit.

    Returns:
        The customers, and the summed weights of the units of each.
    """
    sets, weights = learned.pairs.sets, learned.weights
    people = np.where(sets >= 0, owner[np.maximum(sets, 0)], -1)
    total = _by_customer(people, weights)
    best = total.max(axis=1, keepdims=True)
    answers = np.where(total >= best * (1 - 1e-9), people, np.iinfo(np.int64).max).min(axis=1)
    if len(sets) <= len(owner):
        chosen = _assigned(sets, weights, len(owner))
        answers = np.where(chosen >= 0, owner[np.maximum(chosen, 0)], answers)
    return answers, np.where(people == answers[:, None], total, 0.0).max(axis=1)


def _by_customer(people: Int, weights: Float) -> Float:
    """For every candidate, the weights of all candidates that are the same customer."""
    order = np.argsort(people, axis=1, kind="stable")
    sorted_people = np.take_along_axis(people, order, axis=1)
    first = np.ones(people.shape, np.bool_)
    first[:, 1:] = sorted_people[:, 1:] != sorted_people[:, :-1]
    group = np.cumsum(first.ravel()) - 1
    sums = np.bincount(group, weights=np.take_along_axis(weights, order, axis=1).ravel())
    total = np.empty(people.shape)
    np.put_along_axis(total, order, sums[group].reshape(people.shape), axis=1)
    return np.where(people >= 0, total, 0.0)


def _assigned(sets: Int32, weights: Float, units: int) -> Int:
    """One unit for every released subject, each at most once; -1 where none is left."""
    m, kept = sets.shape
    likely = (weights > LEAST) & (sets >= 0)
    worth = np.where(likely, np.log(np.maximum(weights, LEAST)) - 2 * np.log(LEAST), -1.0)
    ends = np.arange(m + 1, dtype=np.int64) * kept
    return auction.assign(ends, np.maximum(sets, 0).ravel().astype(np.int64), worth.ravel(), units, STEP)


def credit(best: Structure) -> float:
    """Return how much the weights count, by whether two halves of the goods lead to the same customers.

    Args:
        best: The structure and what was learned by it.

    Returns:
        1 where the halves agree as often as their weights say, less where they agree less often.
    """
    expected = best.halves.expected
    return min(1.0, best.halves.agreeing / expected) if expected > NEGLIGIBLE else 1.0
