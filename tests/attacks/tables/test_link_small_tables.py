"""The joint attack and `t_kernel` on small and odd tables: few rows teach no false lesson, bad input gets an answer."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.t_kernel import t_kernel
from icefire.core import align
from icefire.core.release import Case


def case_of(original, released, **roles):
    return Case(*align.match(icefire.read(original, **roles), released))


def rate(attack, case, truth, seed=1):
    guess = attack(case, rng=np.random.default_rng(seed)).checked(case.targets, case.choices)
    return (guess.first == truth).mean()


def test_two_hundred_rows_are_enough_and_tables_of_rare_levels_are_not_learned():
    data = icefire.sample("households", 200, seed=9)
    recipe = {"step": [{"method": "k_anonymize", "k": 5}, {"method": "microaggregate", "k": 3}]}
    release = icefire.anonymize(data, recipe, seed=1)
    case = Case(*align.match(data, release.released.frame))
    assert rate(link, case, release.truth.rows) > 0.8
    assert rate(t_kernel, case, release.truth.rows) > 0.6


@pytest.mark.parametrize("attack", [link, t_kernel])
def test_duplicates_text_and_gaps_get_an_answer(attack):
    frame = pl.DataFrame({"a": [1.0, 2.0, None, 4.0], "b": ["x" * 1000, "y", None, "z"], "gone": [None] * 4})
    released = frame[[0, 0, 2, 3]].cast({"gone": pl.String})
    case = case_of(frame.cast({"gone": pl.String}), released, qi=["b"], sa=["a"])
    assert rate(attack, case, np.array([0, 0, 2, 3])) >= 0.5


@pytest.mark.parametrize("attack", [link, t_kernel])
def test_constant_columns_get_no_answer(attack):
    for rows in (2, 30):
        frame = pl.DataFrame({"a": [7] * rows, "b": ["x"] * rows})
        case = case_of(frame, frame, qi=["b"], sa=["a"])
        assert (attack(case, rng=np.random.default_rng(1)).first == -1).all()


def test_the_nearest_rows_are_found_through_noise_and_labels():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"age": rng.integers(20, 60, 400), "pay": rng.normal(size=400), "rent": rng.normal(size=400)})
    order = rng.permutation(400)
    labels = [f"{a // 10 * 10}-{a // 10 * 10 + 9}" for a in frame["age"].to_list()]
    noise = rng.normal(size=(2, 400)) * 0.02
    released = pl.DataFrame({"age": labels, "pay": frame["pay"] + noise[0], "rent": frame["rent"] + noise[1]})[order]
    assert rate(t_kernel, case_of(frame, released, qi=["age"], sa=["pay"]), order) > 0.85


def test_values_swapped_with_their_next_neighbours_are_not_taken_as_unchanged():
    households = icefire.sample("households", 3000)
    release = icefire.anonymize(households, {"seed": 11, "step": [{"method": "rank_swap", "p": 1.0}]})
    guess = link(Case(households, release.released), rng=np.random.default_rng(1))
    assert (guess.first == release.truth.rows).mean() > 0.99
