"""Attacks on exchanged rows: the balancing against a slow version, what they learn, and their chances."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import icefire
from icefire.attacks.membership.member_odds import outsider_ratios
from icefire.attacks.membership.people import known_people
from icefire.audit import judge
from icefire.contests.pwscup2021 import CATEGORIES, NUMBERS
from icefire.core import membership, registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.membership import Draw, MembershipCase
from icefire.core.release import Case, Comparison, Guess, Release, Truth
from icefire.kernels.records.exchange_weights import exchange_weights

CONTEST = {"numbers": NUMBERS, "categories": CATEGORIES}


def attacked(name: str, case: MembershipCase, **parameters: object) -> Guess:
    entry = registry.get("attack", name)
    guess: Guess = entry.function(case, rng=seeds.generator(1, name), **entry.bind({**CONTEST, **parameters}))
    return guess.checked(case.targets, case.choices)


def drawn(original: Dataset, release: Release, seed: int, members: int = 50) -> tuple[MembershipCase, Truth]:
    comparison = Comparison(Case(original, release.released), release.truth)
    return membership.sample(comparison, Draw(members, members), np.random.default_rng(seed))


@pytest.fixture(scope="module")
def survey() -> Dataset:
    return icefire.sample("survey", 1500)


@pytest.fixture(scope="module")
def scattered(survey: Dataset) -> Release:
    return icefire.anonymize(survey, {"step": [{"method": "scatter_rows", "guesses": 3, **CONTEST}]})


# --- The balancing ---


def slow_weights(weights: np.ndarray, left_out: np.ndarray, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Scale rows and columns of a matrix in turn; its last column is being left out."""
    table = np.column_stack([weights, left_out])
    wanted = np.append(np.ones(weights.shape[1]), max(len(weights) - weights.shape[1], 1))
    for turn in range(rounds + 1):
        table = table / np.maximum(table.sum(axis=1, keepdims=True), 1e-300)
        if turn < rounds:
            table = table * (wanted / np.maximum(table.sum(axis=0), 1e-300))
    return table[:, :-1], table[:, -1]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_weights_are_balanced_as_a_full_matrix_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people, choices = int(rng.integers(2, 12)), int(rng.integers(1, 9))
    table = rng.random((people, choices)) * (rng.random((people, choices)) < 0.7)
    left_out = rng.random(people) + 0.01
    start = np.concatenate([[0], np.cumsum((table > 0).sum(axis=1))])
    rows = np.nonzero(table)[1].astype(np.int32)
    pairs, out = exchange_weights(start, rows, table[table > 0], left_out, choices, 7)
    expected, expected_out = slow_weights(table, left_out, 7)
    assert pairs == pytest.approx(expected[table > 0])
    assert out == pytest.approx(expected_out)


def test_balanced_weights_are_near_the_chances_over_all_ways_to_hand_out_the_rows() -> None:
    rng = np.random.default_rng(4)
    people, choices = 6, 4
    table = 0.2 + rng.random((people, choices))
    exact, total = np.zeros((people, choices)), 0.0
    for owners in itertools.permutations(range(people), choices):
        weight = float(np.prod([table[owner, row] for row, owner in enumerate(owners)]))
        total += weight
        for row, owner in enumerate(owners):
            exact[owner, row] += weight
    start, rows = np.arange(people + 1) * choices, np.tile(np.arange(choices, dtype=np.int32), people)
    pairs, out = exchange_weights(start, rows, table.ravel(), np.ones(people), choices, 100)
    assert np.abs(pairs.reshape(people, choices) - exact / total).max() < 0.04
    assert np.abs((1 - out) - exact.sum(axis=1) / total).max() < 0.04


# --- Who was left out ---


def test_a_feature_of_those_left_out_is_learned_from_two_mixtures() -> None:
    rng = np.random.default_rng(2)
    member = np.arange(4000) < 3200
    feature = np.where(member, rng.random(4000) < 0.3, rng.random(4000) < 0.9)
    asked = np.concatenate([rng.choice(3200, 400), 3200 + rng.choice(800, 400)])
    ratio = outsider_ratios(feature[:, None].astype(float), asked, 0.5, 0.8)
    assert ratio[feature].mean() == pytest.approx(0.9 / 0.3, rel=0.4)
    assert ratio[~feature].mean() < 0.4


def test_a_feature_that_says_nothing_has_a_ratio_of_about_one() -> None:
    rng = np.random.default_rng(3)
    asked = np.concatenate([rng.choice(3200, 200), 3200 + rng.choice(800, 200)])
    ratio = outsider_ratios(rng.random((4000, 1)), asked, 0.5, 0.8)
    assert 0.4 < ratio.min() <= ratio.max() < 2.5


def test_equal_shares_of_members_tell_nothing() -> None:
    assert outsider_ratios(np.arange(10.0)[:, None], np.arange(4), 0.5, 0.5).tolist() == [1.0] * 10


def test_people_are_those_asked_about_and_everybody_else_once(survey: Dataset) -> None:
    asked = survey.take(np.array([7, 3, 3]))
    twice = survey.with_frame(survey.frame.vstack(survey.frame[[3]]))
    people = known_people(MembershipCase(asked, survey, twice))
    assert (people.table.height, people.asked, people.held) == (twice.height, 3, True)
    assert people.table.frame[:3].equals(asked.frame)
    columns = survey.frame.columns
    assert people.table.frame.sort(columns).equals(twice.frame.sort(columns))


def test_without_the_original_released_rows_stand_for_the_others(survey: Dataset) -> None:
    people = known_people(MembershipCase(survey.take(np.arange(5)), survey.take(np.arange(3, 50))))
    assert (people.table.height, people.asked, people.held) == (52, 5, False)


# --- The attacks ---


def test_who_knows_the_method_names_more_rows_of_a_scattered_survey(survey: Dataset, scattered: Release) -> None:
    named: dict[str, float] = {}
    for seed in range(3):
        case, truth = drawn(survey, scattered, seed, 200)
        for name in ("scattered_rows", "exchanged_rows", "candidate_bayes", "random_candidate"):
            named[name] = named.get(name, 0.0) + judge.membership(truth, attacked(name, case)).top_k / 3
    assert named["scattered_rows"] > 1.3 * max(named[n] for n in named if n != "scattered_rows")


def test_who_holds_the_original_in_its_order_settles_ties_as_the_method_did(
    survey: Dataset, scattered: Release
) -> None:
    mixed = survey.take(np.random.default_rng(2).permutation(survey.height))
    found = {"in order": 0, "mixed": 0}
    for seed in range(3):
        case, truth = drawn(survey, scattered, seed, 200)
        for order, original in (("in order", survey), ("mixed", mixed)):
            known = MembershipCase(case.records, case.released, original)
            guess = attacked("scattered_rows", known, avoided=1.0)
            found[order] += int((guess.rows == truth.rows[:, None]).any(axis=1)[truth.rows >= 0].sum())
    assert found["in order"] > found["mixed"]


@pytest.mark.parametrize("guesses", [0, 3])
def test_probabilities_say_how_often_answers_are_right(survey: Dataset, scattered: Release, guesses: int) -> None:
    """Whether conspicuous rows were avoided or not, which the attacker does not know."""
    if guesses == 0:
        scattered = icefire.anonymize(survey, {"step": [{"method": "scatter_rows", **CONTEST}]})
    expected, right, member, inside = [], [], [], []
    for seed in range(4):
        case, truth = drawn(survey, scattered, seed, 200)
        guess = attacked("scattered_rows", case)
        assert guess.probability is not None
        assert guess.scores is not None
        claimed = guess.first >= 0
        expected.append(guess.probability[claimed])
        right.append((guess.first == truth.rows)[claimed])
        member.append(guess.scores)
        inside.append(truth.rows >= 0)
    assert np.concatenate(expected).mean() == pytest.approx(np.concatenate(right).mean(), abs=0.05)
    chance, there = np.concatenate(member), np.concatenate(inside)
    for low, high in ((0, 0.35), (0.35, 0.65), (0.65, 1)):
        band = (chance >= low) & (chance <= high)
        assert band.sum() < 30 or chance[band].mean() == pytest.approx(there[band].mean(), abs=0.12)


def test_values_of_those_left_out_that_are_gone_too_tell_who_they_were(survey: Dataset) -> None:
    steps = [{"method": "delete", "share": 0.3}, {"method": "swap_rows", **CONTEST}]
    case, truth = drawn(survey, icefire.anonymize(survey, {"step": steps}), 1, 100)
    score = judge.membership(truth, attacked("exchanged_rows", case))
    assert score.advantage > 0.9


@pytest.mark.parametrize("name", ["exchanged_rows", "scattered_rows"])
def test_the_order_of_rows_and_records_does_not_change_the_answer(
    name: str, survey: Dataset, scattered: Release
) -> None:
    case, _ = drawn(survey, scattered, 5)
    rng = np.random.default_rng(1)
    asked, shown = rng.permutation(case.targets), rng.permutation(case.choices)
    assert case.original is not None
    # Whoever knows scatter_rows settles ties as it does, by the order of the original.
    original = survey if name == "scattered_rows" else survey.take(rng.permutation(survey.height))
    other = MembershipCase(case.records.take(asked), case.released.take(shown), original)
    first, second = attacked(name, case), attacked(name, other)
    assert first.scores is not None
    assert second.scores is not None
    assert second.scores == pytest.approx(first.scores[asked])
    assert ((second.first >= 0) == (first.first >= 0)[asked]).mean() > 0.98


@pytest.mark.parametrize("name", ["exchanged_rows", "scattered_rows"])
def test_a_limit_within_which_nobody_has_a_candidate_still_gets_an_answer(name: str, survey: Dataset) -> None:
    case = MembershipCase(survey.take(np.arange(6)), survey.take(np.arange(3, 9)), survey)
    guess = attacked(name, case, limit=0.0)
    assert guess.rows.shape == (6, 3)
