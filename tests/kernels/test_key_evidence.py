"""Evidence of shared keys: the kernels beside sums written out."""

from __future__ import annotations

import numpy as np
import pytest

from icefire.kernels.baskets import key_evidence
from icefire.kernels.baskets.key_evidence import KeyGains, KeyTree, KnownKeys, ScoredPairs, ShownKeys

KEYS = 40


def some_sets(rng: np.random.Generator, count: int) -> list[np.ndarray]:
    return [np.sort(rng.choice(KEYS, rng.integers(0, 12), replace=False)) for _ in range(count)]


def example(seed: int, known: int = 30, shown: int = 20) -> tuple[KnownKeys, ShownKeys]:
    rng = np.random.default_rng(seed)
    parts = []
    for count in (known, shown):
        sets = some_sets(rng, count)
        start = np.concatenate(([0], np.cumsum([len(keys) for keys in sets]))).astype(np.int64)
        keys = np.concatenate(sets).astype(np.int32)
        parts.append((start, keys, rng.normal(size=len(keys)), rng.normal(size=count), rng.normal(size=count)))
    return KnownKeys(*parts[0]), ShownKeys(*parts[1])


def plain_score(known: KnownKeys, shown: ShownKeys, i: int, j: int) -> float:
    total = known.base[i] + shown.base[j] + known.slope[i] * shown.size[j]
    mine = {known.keys[at]: known.amounts[at] for at in range(known.start[i], known.start[i + 1])}
    for at in range(shown.start[j], shown.start[j + 1]):
        if shown.keys[at] in mine:
            total += shown.weights[at] + mine[shown.keys[at]]
    return float(total)


@pytest.mark.parametrize("budget", [10**9, 0])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_pairs_are_those_of_all_pairs_scored_one_by_one(seed: int, budget: int) -> None:
    # Without any budget all known sets are scored anyway, because four times as many as are kept are.
    known, shown = example(seed)
    best = key_evidence.best_pairs(known, shown, KEYS, 8, budget)
    for j in range(20):
        scores = np.array([plain_score(known, shown, i, j) for i in range(30)])
        order = np.lexsort((np.arange(30), -scores.round(9)))
        if budget == 0:
            assert set(best.sets[j]) <= set(range(30))
            assert best.scores[j] == pytest.approx(scores[best.sets[j]])
            continue
        assert best.sets[j].tolist() == order[:8].tolist()
        assert best.scores[j] == pytest.approx(scores[order[:8]])
        assert best.rest[j] == pytest.approx(np.log(np.exp(scores[order[8:]]).sum()))


def test_rare_keys_are_looked_up_first_within_the_budget() -> None:
    # Key 0 is everybody's, key 1 only that of set 7: the budget suffices for key 1.
    start = np.arange(0, 101, dtype=np.int64)
    start[8:] += 1
    keys = np.concatenate([[0] if i != 7 else [0, 1] for i in range(100)]).astype(np.int32)
    known = KnownKeys(start, keys, np.zeros(len(keys)), np.zeros(100), np.zeros(100))
    shown = ShownKeys(np.array([0, 2]), np.array([0, 1], np.int32), np.array([1.0, 5.0]), np.zeros(1), np.zeros(1))
    best = key_evidence.best_pairs(known, shown, 2, 1, 10)
    assert (best.sets[0, 0], best.scores[0, 0]) == (7, 6.0)


@pytest.mark.parametrize("seed", range(3))
def test_agreement_counts_keys_whose_parent_both_have(seed: int) -> None:
    known, shown = example(seed)
    rng = np.random.default_rng(seed)
    # Keys from 20 refine keys below 20.
    parent = np.where(np.arange(KEYS) < 20, -1, np.arange(KEYS) - 20).astype(np.int32)
    tree = KeyTree((np.arange(KEYS) >= 20).astype(np.int32), parent, 2)
    gains = KeyGains(*(rng.normal(size=KEYS) for _ in range(4)))
    pairs = (rng.integers(0, 30, 15), rng.integers(0, 20, 15), rng.random(15))
    sums = np.zeros((2, 5))
    for i, j, weight in zip(*pairs, strict=True):
        mine = set(known.keys[known.start[i] : known.start[i + 1]].tolist())
        theirs = set(shown.keys[shown.start[j] : shown.start[j + 1]].tolist())
        for key in mine | theirs:
            layer = int(key >= 20)
            if key in mine and (layer == 0 or key - 20 in theirs):
                gain = gains.both[key] if key in theirs else gains.missing[key]
                sums[layer] += weight * np.array([1, 0, key in theirs, gains.by_chance[key], gain])
            if key in theirs and (layer == 0 or key - 20 in mine):
                sums[layer] += weight * np.array([0, 1, 0, 0, 0 if key in mine else gains.alone[key]])
    assert key_evidence.agreement(known, shown, tree, pairs, gains) == pytest.approx(sums)


def test_balanced_weights_share_out_what_everybody_wants() -> None:
    # Both shown sets fit set 0 best, by far; each known set stands for one.
    pairs = ScoredPairs(np.array([[0, 1], [0, 1]], np.int32), np.array([[500.0, 0.0]] * 2), np.full(2, -np.inf))
    assert key_evidence.balanced_weights(pairs, 2, 50, True) == pytest.approx(np.full((2, 2), 0.5))
    assert key_evidence.balanced_weights(pairs, 2, 0, True)[:, 0] == pytest.approx([1.0, 1.0])


def test_balanced_weights_leave_people_out_who_were_not_released() -> None:
    pairs = ScoredPairs(np.array([[0, 1]], np.int32), np.array([[3.0, 0.0]]), np.array([-np.inf]))
    weights = key_evidence.balanced_weights(pairs, 5, 50, False)
    assert weights[0, 0] == pytest.approx(np.exp(3.0) / (np.exp(3.0) + 1.0), abs=1e-6)
