"""Shared items of pairs of sets, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire.core.history.baskets import make_baskets
from icefire.kernels.baskets.shared_items import most_shared, shared_of_pairs

GOODS = 8
sets = st.lists(st.sets(st.integers(0, GOODS - 1), max_size=5), min_size=1, max_size=7)


def as_arrays(listed):
    owners = np.array([number for number, items in enumerate(listed) for _ in items], np.int64)
    items = np.array([item for items in listed for item in sorted(items)], np.int64)
    baskets = make_baskets(owners, items, len(listed), GOODS)
    return baskets.start, baskets.items


@settings(max_examples=60, deadline=None)
@given(first=sets, second=sets, kept=st.integers(1, 4))
def test_the_sets_that_share_most_weight(first, second, kept) -> None:
    weights = np.arange(1, GOODS + 1) / 2
    best, scores = most_shared(as_arrays(first), as_arrays(second), weights, kept)
    for number, items in enumerate(first):
        shared = {
            other: weights[list(items & held)].sum() / np.sqrt(weights[list(held)].sum())
            for other, held in enumerate(second)
            if items & held
        }
        expected = sorted(shared.values(), reverse=True)[:kept]
        assert scores[number, : len(expected)] == pytest.approx(expected)
        assert (best[number, len(expected) :] == -1).all()
        for other, score in zip(best[number], scores[number], strict=True):
            assert other == -1 or shared[int(other)] == pytest.approx(score)


@settings(max_examples=60, deadline=None)
@given(first=sets, second=sets, seed=st.integers(0, 9))
def test_what_pairs_share(first, second, seed) -> None:
    rng = np.random.default_rng(seed)
    one, other = as_arrays(first), as_arrays(second)
    pairs = rng.integers(-1, len(second), (len(first), 3))
    present, common, gain = rng.random(GOODS), rng.random(len(one[1])), rng.random(len(one[1]))
    codes = rng.integers(0, 2, len(one[1])), rng.integers(0, 2, len(other[1]))
    sums = shared_of_pairs(one, other, pairs, present, [(*codes, common, gain)])
    for number in range(len(first)):
        for place, partner in enumerate(pairs[number]):
            expected = np.zeros(5)
            for i in range(one[0][number], one[0][number + 1]) if partner >= 0 else ():
                for j in range(other[0][partner], other[0][partner + 1]):
                    if one[1][i] == other[1][j]:
                        equal = codes[0][i] == codes[1][j]
                        expected += [1, present[one[1][i]], equal, common[i], gain[i] * equal]
            assert sums[number, place] == pytest.approx(expected)
