"""Evidence of shared keys: for every shown set the known sets that explain it best, and how well pairs agree.

A set holds keys; each key of a shown set has a weight, each key of a known set an amount that is added when the shown
set has the key, too. The score of a pair is the sum over shared keys, plus what is due to each set whatever is shared.
Holders of rare keys are looked up first, within a budget; the best of them are then scored by all their keys.

Of equal scores the lowest known set comes first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.baskets.top_list import insert_if_better
from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int, Int32

SHORT_LIST = 4
"""So many times the sets kept are scored by all their keys."""


class KnownKeys(NamedTuple):
    """Known sets: set i has keys[start[i]:start[i + 1]] with the amounts; `base` and `slope` are due to every set."""

    start: Int
    keys: Int32
    amounts: Float
    base: Float
    slope: Float


class ShownKeys(NamedTuple):
    """Shown sets: set j has keys[start[j]:start[j + 1]] with the weights; `base` is due to every set.

    A pair (i, j) is due slope[i] * size[j] besides.
    """

    start: Int
    keys: Int32
    weights: Float
    base: Float
    size: Float


class ScoredPairs(NamedTuple):
    """For every shown set the known sets of highest score, the best first; -1 where there are no more."""

    sets: Int32
    scores: Float
    rest: Float
    """Logarithm of the summed exponentials of all scores not listed, as far as they were computed."""


def best_pairs(known: KnownKeys, shown: ShownKeys, key_count: int, keep: int, budget: int) -> ScoredPairs:
    """Find the known sets of highest score for every shown set.

    Args:
        known: The known sets.
        shown: The shown sets.
        key_count: Number of keys; all lie below it.
        keep: Known sets listed for each shown one.
        budget: Holders of keys looked up for each shown set, those of rare keys first. If all fit in, or there are
            no more known sets than are scored anyway, the answer is exact.

    Returns:
        The pairs with their scores.
    """
    n, m = len(known.start) - 1, len(shown.start) - 1
    keep = max(1, min(keep, n))
    owners = np.repeat(np.arange(n, dtype=np.int32), np.diff(known.start))
    order = np.argsort(known.keys, kind="stable")
    holders = owners[order]
    ends = np.searchsorted(known.keys[order], np.arange(key_count + 1)).astype(np.int64)
    owner_of_key = np.repeat(np.arange(m), np.diff(shown.start))
    rare_first = np.lexsort((shown.keys, np.diff(ends)[shown.keys], owner_of_key))
    ranked = ShownKeys(shown.start, shown.keys[rare_first], shown.weights[rare_first], shown.base, shown.size)
    calls = [
        (known, ranked, holders, known.amounts[order], ends, key_count, keep, budget, *span)
        for span in threads.spans(m, 16)
    ]
    parts = threads.starmap(_best_pairs, calls)
    sets, scores, rest = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    return ScoredPairs(sets, scores, rest)


@njit(nogil=True, cache=True)
def _full_score(known, i, weight_of) -> Any:  # type: ignore[no-untyped-def]
    """Sum up the shared keys of known set i; weights of keys that are not shown are not a number."""
    total = 0.0
    for at in range(known.start[i], known.start[i + 1]):
        weight = weight_of[known.keys[at]]
        if weight == weight:
            total += weight + known.amounts[at]
    return total


@njit(nogil=True, cache=True)
def _look_up(shown, j, holders, amounts, ends, budget, sums) -> Any:  # type: ignore[no-untyped-def]
    """Add up shared keys for all holders, those of rare keys first; tell whether all were looked up."""
    spent = 0
    for at in range(shown.start[j], shown.start[j + 1]):
        key = shown.keys[at]
        spent += ends[key + 1] - ends[key]
        if spent > budget:
            return False
        for k in range(ends[key], ends[key + 1]):
            sums[holders[k]] += shown.weights[at] + amounts[k]
    return True


@njit(nogil=True, cache=True)
def _log_sum(values, top) -> Any:  # type: ignore[no-untyped-def]
    total = 0.0
    for value in values:
        if value > -np.inf:
            total += np.exp(value - top)
    return top + np.log(total) if total > 0 else -np.inf


@njit(nogil=True, cache=True)
def _best_pairs(known, shown, holders, amounts, ends, key_count, keep, budget, first, last) -> Any:  # type: ignore[no-untyped-def]
    """Find the best known sets of shown sets first … last - 1."""
    n = len(known.start) - 1
    sets, scores = np.full((last - first, keep), -1, np.int32), np.full((last - first, keep), -np.inf)
    rest = np.full(last - first, -np.inf)
    sums, weight_of = np.zeros(n), np.full(key_count, np.nan)
    wide = min(n, SHORT_LIST * keep)
    values, numbers = np.empty(wide), np.empty(wide, np.int64)
    for j in range(first, last):
        sums[:] = 0.0
        complete = _look_up(shown, j, holders, amounts, ends, budget, sums)
        for i in range(n):
            sums[i] += known.base[i] + shown.base[j] + known.slope[i] * shown.size[j]
        count = 0
        for i in range(n):
            count = insert_if_better(values[: keep if complete else wide], numbers, count, sums[i], i)
        if not complete:
            for at in range(shown.start[j], shown.start[j + 1]):
                weight_of[shown.keys[at]] = shown.weights[at]
            listed = numbers[:count].copy()
            count = 0
            for i in np.sort(listed):
                score = (
                    known.base[i] + shown.base[j] + known.slope[i] * shown.size[j] + _full_score(known, i, weight_of)
                )
                sums[i] = score
                count = insert_if_better(values[:keep], numbers, count, score, i)
            for at in range(shown.start[j], shown.start[j + 1]):
                weight_of[shown.keys[at]] = np.nan
        for k in range(count):
            sets[j - first, k], scores[j - first, k] = numbers[k], values[k]
            sums[numbers[k]] = -np.inf
        rest[j - first] = _log_sum(sums, scores[j - first, 0])
    return sets, scores, rest


def balanced_weights(pairs: ScoredPairs, known: int, rounds: int, everybody: bool) -> Float:
    """Return posterior weights of the pairs when every known set stands for at most one shown set (Sinkhorn).

    Args:
        pairs: The pairs with their scores.
        known: Number of known sets.
        rounds: How often both sides are balanced.
        everybody: Every known set stands for one shown set, none for none.
    """
    weights: Float = _balanced(pairs.sets, pairs.scores, pairs.rest, known, rounds, everybody)
    return weights


@njit(nogil=True, cache=True)
def _balanced(sets, scores, rest, known, rounds, everybody) -> Any:  # type: ignore[no-untyped-def]
    m, kept = sets.shape
    weights, price, demand = np.zeros((m, kept)), np.zeros(known), np.empty(known)
    for turn in range(rounds + 1):
        # Logarithms of the demand, because that of a set nobody takes can be too small for a number.
        highest = np.full(known, -np.inf)
        logs = np.full((m, kept), -np.inf)
        for j in range(m):
            top = rest[j]
            for k in range(kept):
                if sets[j, k] >= 0:
                    logs[j, k] = scores[j, k] - price[sets[j, k]]
                    top = max(top, logs[j, k])
            total = np.exp(rest[j] - top) if rest[j] > -np.inf else 0.0
            for k in range(kept):
                if sets[j, k] >= 0:
                    total += np.exp(logs[j, k] - top)
            for k in range(kept):
                if sets[j, k] >= 0:
                    logs[j, k] -= top + np.log(total)
                    weights[j, k] = np.exp(logs[j, k])
                    highest[sets[j, k]] = max(highest[sets[j, k]], logs[j, k])
        if turn == rounds:
            break
        demand[:] = 0.0
        for j in range(m):
            for k in range(kept):
                if sets[j, k] >= 0:
                    demand[sets[j, k]] += np.exp(logs[j, k] - highest[sets[j, k]])
        for i in range(known):
            if highest[i] > -np.inf:
                price[i] += highest[i] + np.log(demand[i])
                if not everybody:
                    price[i] = max(price[i], 0.0)
    return weights


class KeyTree(NamedTuple):
    """For every key its layer, and the key that it refines in the layer before; -1 for none."""

    layer: Int32
    parent: Int32
    layers: int


class KeyGains(NamedTuple):
    """What each key counts if both sets have it, if only the known set has it, if only the shown set has it."""

    both: Float
    missing: Float
    alone: Float
    by_chance: Float
    """The chance that a key of the known set is in the shown one although it did not survive."""


def agreement(
    known: KnownKeys, shown: ShownKeys, tree: KeyTree, pairs: tuple[Int, Int, Float], gains: KeyGains
) -> Float:
    """Sum up how pairs of sets agree, layer by layer.

    Only keys whose parent both sets have are counted.

    Args:
        known: The known sets.
        shown: The shown sets.
        tree: Layer and parent of every key.
        pairs: Known set, shown set and weight of every pair.
        gains: What the keys count.

    Returns:
        By layer: keys of the known set, of the shown set, of both, chances summed up over keys of the known set, and
        what the keys count in all.
    """
    calls = [
        (known, shown, tree.layer, tree.parent, tree.layers, pairs, gains, *span)
        for span in threads.spans(len(pairs[0]), 16)
    ]
    return np.sum(threads.starmap(_agreement, calls), axis=0)  # type: ignore[no-any-return]


@njit(nogil=True, cache=True)
def _agreement(known, shown, layer, parent, layers, pairs, gains, first, last) -> Any:  # type: ignore[no-untyped-def]
    sums = np.zeros((layers, 5))
    in_known, in_shown = np.full(len(layer), -1, np.int64), np.full(len(layer), -1, np.int64)
    for p in range(first, last):
        i, j, weight = pairs[0][p], pairs[1][p], pairs[2][p]
        for at in range(known.start[i], known.start[i + 1]):
            in_known[known.keys[at]] = p
        for at in range(shown.start[j], shown.start[j + 1]):
            in_shown[shown.keys[at]] = p
        for at in range(known.start[i], known.start[i + 1]):
            key = known.keys[at]
            if parent[key] < 0 or in_shown[parent[key]] == p:
                sums[layer[key], 0] += weight
                sums[layer[key], 3] += weight * gains.by_chance[key]
                if in_shown[key] == p:
                    sums[layer[key], 2] += weight
                    sums[layer[key], 4] += weight * gains.both[key]
                else:
                    sums[layer[key], 4] += weight * gains.missing[key]
        for at in range(shown.start[j], shown.start[j + 1]):
            key = shown.keys[at]
            if parent[key] < 0 or in_known[parent[key]] == p:
                sums[layer[key], 1] += weight
                if in_known[key] != p:
                    sums[layer[key], 4] += weight * gains.alone[key]
    return sums
