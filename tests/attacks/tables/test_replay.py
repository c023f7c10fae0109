"""The attacker who knows the recipe: finds what the release allows, and never less than one who does not know it."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from support.replayed import case_with_recipe, rates

import icefire
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.replay import replay
from icefire.core import blocks
from icefire.core.release import Case

replay_module = importlib.import_module("icefire.attacks.tables.replay")
K5 = {"method": "k_anonymize", "k": 5}
ROWS, NOISE = 400, 0.04


@pytest.fixture(scope="module")
def people():
    """A survey of few columns, so that the tests are quick."""
    frame = icefire.sample("households", ROWS).frame
    qi, sa = ["region", "members", "head_age", "employment", "industry"], ["food", "housing", "medical"]
    return icefire.read(frame.select(*qi, *sa), qi=qi, sa=sa)


def test_of_averaged_classes_it_finds_one_person_each(people):
    case, truth = case_with_recipe(people, K5, {"method": "average"})
    rate, _, guess = rates(case, truth)
    classes = len(blocks.class_sizes(case.released.frame, case.known.qi))
    assert rate == pytest.approx(classes / ROWS)
    assert guess.probability.mean() == pytest.approx(classes / ROWS)
    assert guess.notes["equal_rows"]


def test_means_of_groups_hide_nobody_from_it(people):
    case, truth = case_with_recipe(people, K5, {"method": "microaggregate", "k": 5})
    rate, plain, _ = rates(case, truth)
    assert rate > 0.95
    assert rate > plain


def test_what_was_drawn_is_learned_on_the_copy(people):
    case, truth = case_with_recipe(people, K5, {"method": "rank_swap", "p": 50})
    rate, plain, guess = rates(case, truth)
    assert rate > plain + 0.05
    assert guess.notes["steps"] == ["k_anonymize (k = 5)"]
    assert guess.notes["explained"]


@pytest.mark.parametrize(
    "steps",
    [
        ({"method": "pram", "keep": 0.6}, K5, {"method": "rank_swap", "p": 10}),
        ({"method": "sample_rows", "share": 0.5}, K5, {"method": "swap"}, {"method": "round_values", "base": 1000}),
        ({"method": "noise", "scale": 0.5}, {"method": "microaggregate", "k": 3}),
        (K5, {"method": "swap"}),
    ],
    ids=lambda steps: " ".join(step["method"] for step in steps),
)
def test_it_is_never_weaker_than_link_where_steps_follow_a_draw(people, steps):
    rate, plain, _ = rates(*case_with_recipe(people, *steps))
    assert rate >= plain - NOISE


def test_a_copy_from_which_nothing_is_learned_is_set_aside(people, monkeypatch):
    case, _ = case_with_recipe(people, K5, {"method": "rank_swap", "p": 50})
    linked = []

    def learns_nothing_first(one, rng):
        linked.append(one)
        guess = link(one, rng=rng)
        return replace(guess, notes={**guess.notes, "gain": 0.0}) if len(linked) == 1 else guess

    monkeypatch.setattr(replay_module, "link", learns_nothing_first)
    guess = replay(case, rng=np.random.default_rng(1))
    assert (guess.notes["steps"], guess.notes["explained"]) == ([], False)
    assert [one.known is case.known for one in linked] == [False, True]


def test_a_wrong_recipe_is_set_aside(people):
    case, truth = case_with_recipe(people, {"method": "noise", "scale": 0.3}, known=[{**K5, "k": 50}])
    rate, plain, guess = rates(case, truth)
    assert rate >= plain - NOISE
    assert not guess.notes["explained"]
    assert guess.notes["steps"] == []


@pytest.mark.parametrize("step", [K5, {"method": "microaggregate", "k": 4}], ids=lambda step: step["method"])
def test_the_order_of_the_attackers_rows_costs_little(people, step):
    shuffled = np.random.default_rng(4).permutation(ROWS)
    case, truth = case_with_recipe(people, step, original=people.take(shuffled))
    own = np.argsort(shuffled)[truth]
    rate, plain, _ = rates(case, own)
    assert rate >= plain - NOISE


def test_answers_name_rows_of_the_original_where_the_recipe_leaves_rows_out(people):
    coarse = icefire.read(people.frame, qi=["region", "head_age"], sa=people.sa)
    case, truth = case_with_recipe(coarse, {"method": "suppress_rows", "k": 16}, {"method": "noise", "scale": 0.1})
    assert case.targets < ROWS
    assert rates(case, truth)[0] > 0.95


def test_exchanged_values_are_not_taken_for_equal_rows():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"q": rng.integers(0, 60, 600), "s": rng.permutation(600)})
    data = icefire.read(frame, qi=["q"], sa=["s"])
    case, _ = case_with_recipe(data, {"method": "suppress_rows", "k": 2}, {"method": "swap"})
    assert not case.replayed or "equal_rows" not in replay(case, rng=np.random.default_rng(1)).notes


def test_without_a_recipe_there_is_no_answer(people):
    guess = replay(Case(people, people), rng=np.random.default_rng(1))
    assert (guess.first == -1).all()
    assert (guess.probability == 0).all()


def test_it_is_the_same_for_the_same_seed(people):
    case, _ = case_with_recipe(people, K5, {"method": "noise", "scale": 0.5})
    first, second = (replay(case, rng=np.random.default_rng(5)) for _ in range(2))
    assert (first.rows == second.rows).all()
    assert (first.probability == second.probability).all()
