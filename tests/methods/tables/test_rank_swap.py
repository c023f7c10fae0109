"""Rank swapping moves values to rows of nearly the same rank, and to no others."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire.core import registry, roles, seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.errors import ParameterError
from icefire.kernels.common import rank_swapping

FEW = settings(max_examples=80, deadline=None)


def table(**columns):
    frame = pl.DataFrame({"q": pl.Series([0] * len(next(iter(columns.values()))), dtype=pl.Int64), **columns})
    return Dataset(frame, roles.choose(frame, ("q",), tuple(columns)))


def apply(data, seed=0, **parameters):
    entry = registry.get("method", "rank_swap")
    carried = data.with_frame(data.frame.with_columns(pl.Series(ORIGIN, np.arange(data.height))))
    made = entry.function(carried, rng=seeds.generator(seed, "test"), **entry.bind(parameters))
    assert made.frame[ORIGIN].to_list() == list(range(data.height))
    return made


def rank_gap(values, a, b):
    """The least distance between a rank that value a has and one that value b has."""
    ordered = sorted(values)
    low, high = min(a, b), max(a, b)
    return 0 if low == high else ordered.index(high) - (ordered.index(low) + ordered.count(low) - 1)


def test_neighbours_trade_places_if_nobody_else_is_in_reach():
    # A quarter of four values is one rank: 10 can only trade with 20, and then 30 with 40.
    made = apply(table(s=[30, 10, 40, 20]), p=25)
    assert made.frame["s"].to_list() == [40, 20, 30, 10]
    assert made.notes == {"swapped_values": {"s": 4}}


def test_the_odd_one_out_stays():
    assert apply(table(s=[1, 2, 3]), p=34).frame["s"].to_list() == [2, 1, 3]


@FEW
@given(st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=2, max_size=40), st.sampled_from([5, 20, 50, 100]))
def test_no_value_moves_farther_than_p_per_cent_and_all_values_stay(values, p):
    present = [value for value in values if value is not None]
    data = table(s=pl.Series(values, dtype=pl.Int64))
    if len(present) > 1 and p * len(present) < 100:
        with pytest.raises(ParameterError, match="reaches no other rank"):
            apply(data, p=p)
        return
    made = apply(data, p=p).frame["s"].to_list()
    assert Counter(made) == Counter(values)
    for before, after in zip(values, made, strict=True):
        assert (before is None) == (after is None)
        assert before is None or rank_gap(present, before, after) <= p * len(present) / 100


@FEW
@given(st.integers(0, 200), st.integers(1, 60), st.integers(0, 10))
def test_partners_are_pairs_within_reach_and_few_stay_alone(count, reach, seed):
    partner = rank_swapping.swap_partners(count, reach, np.random.default_rng(seed))
    assert np.array_equal(partner[partner], np.arange(count))
    assert (np.abs(partner - np.arange(count)) <= reach).all()
    alone = np.flatnonzero(partner == np.arange(count))
    # Whoever is alone found nobody free above: two that are alone are out of each other's reach.
    assert (np.diff(alone) > reach).all()


def test_every_partner_in_reach_has_the_same_chance():
    drawn = [rank_swapping.swap_partners(9, 4, np.random.default_rng(seed))[0] for seed in range(4000)]
    counts = np.bincount(drawn, minlength=5)
    assert counts[0] == 0
    assert np.abs(counts[1:] - 1000).max() < 120  # four standard deviations are 110


def test_the_ends_can_be_left_where_they_are():
    values = np.random.default_rng(0).permutation(100)
    made = apply(table(s=values), p=10, top=5, bottom=3).frame["s"].to_numpy()
    ends = (values < 3) | (values >= 95)
    assert np.array_equal(made[ends], values[ends])
    assert (made[~ends] != values[~ends]).sum() >= 90
    assert np.abs(made - values).max() <= 10


def test_columns_are_swapped_each_by_itself_and_keep_their_types():
    data = table(a=pl.Series(range(100), dtype=pl.Int16), b=pl.Series(np.arange(100) / 7, dtype=pl.Float32))
    made = apply(data).frame
    assert made.schema == data.frame.with_columns(pl.Series(ORIGIN, range(100))).schema
    moved = [(made[name] != data.frame[name]).to_list() for name in ("a", "b")]
    assert (made["a"].to_numpy() != np.rint(made["b"].to_numpy() * 7)).any()
    assert all(sum(column) >= 95 for column in moved)


def test_the_seed_decides():
    data = table(s=range(50))
    assert apply(data, 1, p=20).frame.equals(apply(data, 1, p=20).frame)
    assert not apply(data, 1, p=20).frame.equals(apply(data, 2, p=20).frame)


def test_nothing_is_swapped_quietly_by_no_one():
    with pytest.raises(ParameterError, match=r"p = 5 % of the 10 values of 's' reaches no other rank.*at least 10"):
        apply(table(s=range(10)))
    with pytest.raises(ParameterError, match="top = 50 and bottom = 50 leave 0 of the 10"):
        apply(table(s=range(10)), p=50, top=50, bottom=50)
    assert apply(table(s=range(10)), p=0).frame["s"].to_list() == list(range(10))


def test_no_row_and_one_row_are_left_alone():
    assert apply(table(s=[3])).frame["s"].to_list() == [3]
    assert apply(table(s=pl.Series([], dtype=pl.Float64))).height == 0
    assert apply(table(s=pl.Series([None, None], dtype=pl.Float64))).frame["s"].null_count() == 2
