"""The search by weights leaves most sets out, and gives what summing up all pairs gives, to the last digit."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire.kernels.baskets import weighted_similarity
from icefire.kernels.baskets.weighted_index import WeightedSets, weighted_index

GOODS = 40


def drawn_sets(rng: np.random.Generator, count: int, weights: str) -> WeightedSets:
    """Sets of frequent and rare items, some empty, some equal."""
    chance = 1 / (1 + np.arange(GOODS))
    sets = [np.flatnonzero(rng.random(GOODS) < chance * rng.choice([0, 1, 3, 6])) for _ in range(count)]
    sets = [sets[rng.integers(0, count)] if rng.random() < 0.2 else one for one in sets]
    start = np.concatenate(([0], np.cumsum([len(one) for one in sets]))).astype(np.int64)
    items = np.concatenate(sets).astype(np.int32)
    by_item = np.log(1 / chance) + 1
    drawn = {
        "by item": by_item[items],
        "whole": rng.geometric(0.3, len(items)).astype(float),
        "any": rng.lognormal(0, 2, len(items)),
        "equal": np.ones(len(items)),
    }
    return start, items, drawn[weights]


def slow_best(known: WeightedSets, shown: WeightedSets, rule: str) -> list[list[int]]:
    """Compare every pair, item by item in ascending order."""
    sides = []
    for start, items, weights in (known, shown):
        sides.append([dict(zip(items[a:b].tolist(), weights[a:b].tolist(), strict=True)) for a, b in pairwise(start)])
    results = []
    for asked in sides[1]:
        scores = []
        for held in sides[0]:
            shared, total, wanted = 0.0, 0.0, 0.0
            for item in sorted(asked):
                if item in held:
                    shared += asked[item] * held[item] if rule == "cosine" else min(asked[item], held[item])
                wanted += asked[item]
            for item in sorted(held):
                total += held[item] * held[item] if rule == "cosine" else held[item]
            over = np.sqrt(total) if rule == "cosine" else total + wanted - shared
            scores.append(shared / over if shared else 0.0)
        top = max(scores, default=0.0)
        results.append([i for i, score in enumerate(scores) if score == top > 0])
    return results


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 30),
    st.sampled_from(["cosine", "amounts"]),
    st.sampled_from(["by item", "whole", "any", "equal"]),
)
def test_answers_and_ties_are_those_of_all_pairs(
    seed: int, count: int, rule: Literal["cosine", "amounts"], weights: str
) -> None:
    rng = np.random.default_rng(seed)
    known, shown = drawn_sets(rng, count, weights), drawn_sets(rng, 20, weights)
    groups = weights in ("by item", "equal") and bool(rng.integers(0, 2))
    best = weighted_similarity.best_weighted_matches(known, shown, GOODS, rule, groups)
    assert best.ties is not None
    expected = slow_best(known, shown, rule)
    assert [sorted(best.ties[a:b].tolist()) for a, b in zip(best.start, best.stop, strict=True)] == expected
    assert best.rows.tolist() == [min(found, default=-1) for found in expected]


@pytest.mark.parametrize("squares", [True, False])
def test_rests_bound_what_is_shared_from_an_item_on(squares: bool) -> None:
    index = weighted_index(drawn_sets(np.random.default_rng(1), 30, "any"), GOODS, squares)
    for rank, (a, b) in enumerate(pairwise(index.ends.tolist())):
        assert (np.diff(index.rests[a:b]) <= 0).all()
        for at in range(a, b):
            place = index.holders[at]
            held = slice(index.start[place], index.start[place + 1])
            later = index.weights[held][index.rank_of[index.items[held]] >= rank]
            rest = np.sqrt((later**2).sum()) / index.totals[place] if squares else later.sum()
            assert index.rests[at] == pytest.approx(rest)
