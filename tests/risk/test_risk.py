"""Prosecutor, journalist and marketer risk, uniqueness, and the estimate for a population."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import slow
from support.drawn_tables import FEW, QI, dataset, frames, maybe, releases
from support.small_tables import compare, table

import icefire
from icefire import risk
from icefire.core import blocks
from icefire.core.errors import ParameterError
from icefire.risk import Options, classes, population, recoding


def known():
    """Three, two and one person who look alike."""
    rows = ((1, 1, 1), (1, 1, 1), (1, 1, 1), (2, 1, 1), (2, 1, 1), (3, 1, 1))
    return table(*((*row, 10 * i, i) for i, row in enumerate(rows)))


def assessed(comparison, hits=None, **options):
    return risk.assess(comparison, hits or {}, Options(**options))[0]


def test_class_risks_of_a_sample_by_hand():
    # Released: two of the three, one of the two, and the one. Classes there: 2, 1, 1; in the original: 3, 2, 1.
    x = known()
    y = x.take(np.array([0, 1, 3, 5]))
    found = assessed(compare(x, y, [0, 1, 3, 5])).classes
    assert found.prosecutor.highest == 1
    assert found.prosecutor.mean == 3 / 4  # classes / rows
    assert found.journalist.highest == 1
    assert found.journalist.mean == found.marketer == pytest.approx((1 / 3 + 1 / 3 + 1 / 2 + 1) / 4)
    assert (found.unique, found.unique_in_original, found.unmatched) == (2, 1, 0)
    assert found.population is None


@pytest.mark.parametrize(("threshold", "above"), [(0.0, 6), (1 / 3, 3), (0.4, 3), (0.5, 1), (1.0, 0)])
def test_a_row_is_above_the_threshold_only_if_its_risk_is_higher(threshold, above):
    x = known()
    found = assessed(compare(x, x), threshold=threshold).classes
    assert found.prosecutor.rows_above == above


def test_a_row_that_matches_nobody_has_no_journalist_risk_and_is_counted():
    # Three rows are as they were; (9, 1, 1) occurs nowhere in the original, so nobody is found for it.
    x = known()
    y = table((1, 1, 1, 0, 0), (1, 1, 1, 10, 1), (9, 1, 1, 20, 2), (3, 1, 1, 50, 5))
    found = assessed(compare(x, y, [0, 1, 2, 5])).classes
    assert found.unmatched == 1
    assert found.marketer == pytest.approx((1 / 3 + 1 / 3 + 0 + 1) / 4)
    assert (found.unique, found.unique_in_original) == (2, 1)


def test_missing_values_are_values_of_their_own():
    x = table((None, 1, 1, 1, 1), (None, 1, 1, 2, 2), (1, None, 1, 3, 3), (1, 1, 1, 4, 4))
    found = assessed(compare(x, x)).classes
    assert found.prosecutor.mean == 3 / 4
    assert found.unique == found.unique_in_original == 2


def test_hits_are_counted_by_what_the_models_say_of_the_row():
    x = known()
    y = table((1, 1, 1, 0, 0), (1, 1, 1, 10, 1), (9, 1, 1, 20, 2), (3, 1, 1, 50, 5))
    hits = {"all": np.full(4, True), "first": np.array([True, False, False, False])}
    found = assessed(compare(x, y, [0, 1, 2, 5]), hits, threshold=0.5)
    # Unique, above 0.5 and alone by one column: rows 2 and 3. Matching nobody: row 2.
    assert found.attacks["all"] == risk.Reached(4, 2, 2, 2, 1)
    assert found.attacks["first"] == risk.Reached(1, 0, 0, 0, 0)


def test_a_fixed_rule_is_applied_to_the_original_before_the_two_are_compared():
    # q1 is released as 0 for 1 and 2, and as 7 for 3: classes of 5 and 1 in both tables.
    x = known()
    y = x.with_columns(pl.Series("q1", [0, 0, 0, 0, 0, 7]))
    found = assessed(compare(x, y)).classes
    assert found.recoded == ["q1"]
    assert found.unmatched == 0
    assert found.marketer == found.prosecutor.mean == pytest.approx(2 / 6)
    assert found.unique_in_original == 1


def test_a_rule_may_write_missing_and_leaves_values_it_never_met():
    x = known()
    y = x.take(np.arange(5)).with_columns(pl.Series("q1", [None, None, None, 2, 2], dtype=pl.Int64))
    frame, recoded = recoding.recode_original(compare(x, y, [0, 1, 2, 3, 4]))
    assert recoded == ["q1"]
    assert frame["q1"].to_list() == [None, None, None, 2, 2, 3]


def test_what_follows_no_rule_is_compared_as_it_stands():
    x = known()
    noise = compare(x, x.with_columns(pl.Series("q1", [1, 2, 1, 2, 2, 3])))  # 1 became 1 and 2
    assert recoding.recode_original(noise)[1] == []
    spread = compare(x, x.with_columns(pl.Series("q1", [5, 5, 5, 6, 6, 7])))
    assert recoding.recode_original(spread)[1] == ["q1"]
    every = table(*((i, 1, 1, i, i) for i in range(6)))
    odd = compare(every, every.with_columns(pl.Series("q1", [9, 8, 7, 6, 5, 4])))
    assert recoding.recode_original(odd)[1] == [], "values that never repeat prove no rule"


@FEW
@given(releases(qi=maybe), st.sampled_from([0.0, 0.2, 0.5]))
def test_class_risks_are_those_a_counter_finds(found, threshold):
    x, y, truth = found
    comparison = compare(x, y, truth)
    seen = assessed(comparison, threshold=threshold).classes
    original, recoded = recoding.recode_original(comparison)
    mine, theirs = slow.class_size_of_each(y.frame, y.frame, QI), slow.class_size_of_each(y.frame, original, QI)
    chances = [1 / n if n else 0.0 for n in theirs]
    assert seen.prosecutor.mean == pytest.approx(len(set(slow.rows_of(y.frame, QI))) / y.height)
    assert seen.prosecutor.highest == 1 / min(mine)
    assert seen.prosecutor.rows_above == sum(1 / n > threshold for n in mine)
    assert seen.journalist.highest == max(chances)
    assert seen.marketer == pytest.approx(slow.mean(chances))
    assert seen.unmatched == theirs.count(0)
    assert seen.unique == mine.count(1)
    assert seen.unique_in_original == sum(a == b == 1 for a, b in zip(mine, theirs, strict=True))
    assert seen.recoded == recoded


@FEW
@given(frames((2, 30), maybe))
def test_marketer_risk_is_what_id_rand_expects_where_quasi_identifiers_are_true(frame):
    data = dataset(frame)
    marketer = assessed(compare(data, data)).classes.marketer
    assert marketer == pytest.approx(slow.id_rand_expectation(frame, frame, QI, range(frame.height)))


def test_without_quasi_identifiers_only_the_columns_are_looked_at():
    x = icefire.read(pl.DataFrame({"a": [1, 2], "b": [3.5, 4.5]}), sa=["b"])
    found = assessed(compare(x, x), {"any": np.array([True, False])})
    assert found.classes is None
    assert found.special is None
    assert found.attacks["any"].hits == 1
    assert found.safe_harbour.columns == 2


@pytest.mark.parametrize("wrong", [{"threshold": 1.5}, {"threshold": -0.1}, {"population": 5}])
def test_options_that_make_no_sense_are_refused(wrong):
    x = known()
    with pytest.raises(ParameterError, match=r"share between 0 and 1|less than the 6 rows"):
        assessed(compare(x, x), **wrong)


def test_zayatz_by_hand():
    # Two classes of 1 and one of 2 in a sample of 4 from 8. A class of 1 is drawn once with 4/8, one of 2 with
    # 2·C(6,3)/C(8,4) = 4/7. From a class of 1: 1 / (1 + 4/7) = 7/11. So 2 · 7/11 · 8/4 people.
    found = population.zayatz(np.array([1, 2]), np.array([2, 1]), 8)
    assert found == pytest.approx(28 / 11)


def test_the_whole_population_as_sample_leaves_nothing_to_estimate():
    found = population.estimate(np.array([1, 1, 2, 2, 3, 3, 3]), 7)
    assert found.uniques == pytest.approx(2)
    assert found.share == found.correct_match == 1


def test_nobody_alone_in_the_sample_gives_nobody_in_the_population():
    found = population.estimate(np.array([2, 2, 3, 3, 3]), 1000)
    assert (found.uniques, found.share, found.correct_match) == (0, 0, 0)


def test_the_chance_of_a_correct_match_by_hand():
    # Two classes of 1, one of 2, half of the population: 0.5·2 / (0.5·2 + 2·0.5·1) = 1/2.
    assert population.correct_match(2, 1, 0.5) == 1 / 2


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=8, max_size=60).filter(lambda sizes: 1 in sizes and max(sizes) > 2))
def test_pitmans_parameters_solve_hoshinos_equations_or_lie_on_the_edge(drawn):
    size, many = np.unique(drawn, return_counts=True)
    alpha, theta = population._most_likely(size, many)
    rows, count = sum(drawn), len(drawn)
    by_theta = sum(1 / (theta + i * alpha) for i in range(1, count)) - sum(1 / (theta + i) for i in range(1, rows))
    split = sum(sum(1 / (j - alpha) for j in range(1, s)) for s in drawn)
    by_alpha = sum(i / (theta + i * alpha) for i in range(1, count)) - split
    # In units of one step of 1 % of each parameter; with alpha near 0 or theta huge the peak lies outside.
    inside = 0.001 < alpha < 0.999 and theta < 1e6 and theta + alpha > 0.01
    assert not inside or (abs(by_theta * (theta + alpha)) < 0.02 and abs(by_alpha * alpha) < 0.02)


def test_estimates_for_a_known_population_have_the_right_size():
    people = icefire.sample("households", 40_000)
    truth = int((blocks.class_sizes(people.frame, people.qi) == 1).sum())
    order = np.random.default_rng(3).permutation(people.height)
    for share, model in ((0.1, "pitman"), (0.5, "zayatz")):
        sample = people.take(order[: int(share * people.height)])
        sizes = classes.sizes(compare(sample, sample)).released
        found = population.estimate(sizes, people.height)
        assert found.model == model
        assert truth / 2 < found.uniques < 2 * truth
        assert found.share == pytest.approx(found.uniques * share / (sizes == 1).sum())
    assert math.isfinite(population.estimate(np.ones(50, np.int64), 10**9).uniques)
