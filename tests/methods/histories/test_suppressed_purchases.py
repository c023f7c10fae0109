"""Rare goods and purchases left out: by hand, and against plain versions on random histories."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_methods import FEW, SHOP, applied, bought, histories, rows
from support.history_tables import history, sets

from icefire.core.errors import ParameterError


def too_rare(held: list[set[str]], k: int, m: int) -> set[tuple[str, ...]]:
    """Combinations of up to m goods that somebody has, but fewer than k have."""
    found = Counter(some for goods in held for size in range(1, m + 1) for some in combinations(sorted(goods), size))
    return {some for some, times in found.items() if times < k}


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sets(st.sampled_from("abcdef")), min_size=2, max_size=9), st.integers(1, 3), st.integers(1, 3))
def test_every_combination_left_is_shared_and_no_good_was_left_out_needlessly(held, k, m):
    data = sets(*("".join(sorted(goods)) for goods in held))
    if not data.height:
        return
    try:
        left = bought(applied("suppress_rare_goods", data, k=k, m=m))
    except ParameterError:
        # Then not even one good has k buyers.
        assert len(too_rare(held, k, 1)) == len(set().union(*held))
        return
    assert not too_rare(list(left.values()), k, m)
    stayed = set().union(*left.values())
    assert all(left[name] == bought(data)[name] & stayed for name in data.names)
    for good in set().union(*held) - stayed:
        assert too_rare([goods & (stayed | {good}) for goods in held], k, m)


def test_rare_goods_by_hand():
    # c and d have one buyer each: they go. Pairs: a with b twice. With k = 2, m = 2 all else may stay.
    made = applied("suppress_rare_goods", sets("abc", "abd", "a", "c"), k=2)
    assert bought(made) == {"u0": {"a", "b", "c"}, "u1": {"a", "b"}, "u2": {"a"}, "u3": {"c"}}
    assert made.notes == {"goods_suppressed": 1, "rows_suppressed": 1, "customers_emptied": 0}
    made = applied("suppress_rare_goods", sets("abc", "abd", "a", "c"), k=2, m=2)
    assert bought(made) == {"u0": {"a", "b"}, "u1": {"a", "b"}, "u2": {"a"}, "u3": set()}
    assert made.notes == {"goods_suppressed": 2, "rows_suppressed": 3, "customers_emptied": 1}
    with pytest.raises(ParameterError, match="k = 4, m = 1 leaves none of 4 goods; choose less"):
        applied("suppress_rare_goods", sets("abc", "abd", "a", "c"), k=4)


@FEW
@given(histories(), st.floats(0, 1), st.integers(0, 5))
def test_deleted_purchases_leave_everybody_one(data, share, seed):
    made = applied("delete_purchases", data, seed, share=share)
    gone = min(round(share * data.height), data.height - np.count_nonzero(data.baskets.sizes))
    assert made.height == data.height - gone
    assert np.array_equal(made.baskets.sizes > 0, data.baskets.sizes > 0)
    assert Counter(rows(made)) <= Counter(rows(data))
    assert made.notes == {"rows_suppressed": gone, "customers_emptied": 0}


def test_purchases_are_deleted_by_chance():
    data = history([(name, "r", "2020/1/1", "9:00", f"g{i}", 1.0, 1) for i in range(50) for name in "ab"])
    kept = [set(rows(applied("delete_purchases", data, seed, share=0.5))) for seed in (1, 2)]
    assert kept[0] != kept[1]
    assert len(kept[0]) == len(kept[1]) == 50
    emptied = applied("delete_purchases", sets(*"abcdefghij"), share=0.9, keep_one=False)
    assert emptied.notes == {"rows_suppressed": 9, "customers_emptied": 9}
    with pytest.raises(ParameterError, match="a share of 1 leaves none of 7 rows; choose less, or keep_one"):
        applied("delete_purchases", SHOP, share=1, keep_one=False)
