"""Who is in the release, and which row is it: ten records by hand, and the draw."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small_tables import compare, table
from support.synthetic_tables import ROLES, population

import icefire
from icefire.audit import judge
from icefire.core import membership
from icefire.core.errors import InputError, ParameterError
from icefire.core.membership import Draw
from icefire.core.release import Guess, Truth

# Six members (rows 0 to 5 of the release) and four outsiders.
TRUTH = Truth(np.array([0, 1, 2, 3, 4, 5, -1, -1, -1, -1]))
GUESS = Guess(
    np.array(
        [
            [0, 7, 8],  # member, own row first
            [9, 1, 8],  # member, own row second
            [9, 8, 2],  # member, own row third
            [9, 8, 7],  # member, not found
            [-1, -1, -1],  # member, missed
            [-1, -1, -1],  # member, missed
            [3, 4, 5],  # outsider taken for a member
            [-1, -1, -1],
            [-1, -1, -1],
            [-1, -1, -1],
        ]
    )
)


def test_ten_records_by_hand():
    found = judge.membership(TRUTH, GUESS)
    assert (found.members, found.outsiders) == (6, 4)
    assert found.recall == 4 / 6
    assert found.precision == 4 / 5
    assert found.top_k == 3 / 6
    assert found.first == 1 / 6
    assert found.balanced_accuracy == pytest.approx((4 / 6 + 3 / 4) / 2)
    assert found.advantage == pytest.approx(4 / 6 - 1 / 4)
    assert found.danger == pytest.approx(4 / 6 * 4 / 5 * 3 / 6)
    assert found.danger_final == pytest.approx((4 / 6 + 0.01) * (4 / 5 + 0.01) * (3 / 6 + 0.01))


def slow_recognised(scores, inside, false_alarms):
    """Members recognised over all thresholds between distinct scores: at the largest share of false alarms allowed."""
    best = (0.0, 0.0)
    for threshold in [*np.unique(scores), -np.inf]:
        above = scores > threshold
        alarms, found = float(above[~inside].mean()), float(above[inside].mean())
        if alarms <= false_alarms + 1e-12 and (alarms, found) > best:
            best = alarms, found
    return best[1]


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.01, 0.1, 0.5]))
def test_members_are_recognised_at_the_largest_share_of_false_alarms_allowed(seed, false_alarms):
    rng = np.random.default_rng(seed)
    inside = np.arange(60) < 35
    scores = rng.integers(0, int(rng.integers(2, 40)), 60) + inside * rng.integers(0, 9, 60).astype(float)
    rng.shuffle(inside)
    if not 0 < inside.sum() < 60:
        return
    found = judge.recognised_members(scores, inside, false_alarms)
    assert found[inside].mean() == pytest.approx(slow_recognised(scores, inside, false_alarms))


def test_yes_and_no_are_scores_that_tie():
    # An outsider is called a member: at 1 % of false alarms nobody can be recognised by a yes.
    assert judge.membership(TRUTH, GUESS).tpr == 0.0
    sure = Guess(GUESS.rows, scores=np.array([0.9, 0.8, 0.3, 0.2, 0.1, 0.1, 0.5, 0, 0, 0]))
    assert judge.membership(TRUTH, sure).tpr == 2 / 6
    assert judge.membership(TRUTH, sure).tpr_ci == judge.wilson(2, 6)


def test_the_interval_of_the_danger_holds_it_and_shrinks_with_the_sample():
    few = judge.membership(TRUTH, GUESS)
    many = judge.membership(Truth(np.tile(TRUTH.rows, 50)), Guess(np.tile(GUESS.rows, (50, 1))))
    widths = [score.danger_final_ci[1] - score.danger_final_ci[0] for score in (few, many)]
    assert all(s.danger_final_ci[0] < s.danger_final < s.danger_final_ci[1] for s in (few, many))
    assert widths[1] < widths[0] / 3


def test_the_interval_of_the_danger_covers_the_true_danger():
    rng, covered = np.random.default_rng(5), 0
    recall, false, named = 0.8, 0.4, 0.2
    true = (recall + 0.01) * (recall / (recall + false) + 0.01) * (recall * named + 0.01)
    for _ in range(200):
        inside = np.arange(120) < 60
        claimed = rng.random(120) < np.where(inside, recall, false)
        right = claimed & inside & (rng.random(120) < named)
        rows = np.where(right, np.arange(120), np.where(claimed, 500, -1))
        low, high = judge.membership(Truth(np.where(inside, np.arange(120), -1)), Guess(rows)).danger_final_ci
        covered += low <= true <= high
    assert covered >= 180


def test_without_a_number_as_many_members_as_outsiders_are_asked_about():
    assert Draw(None, None).sizes(3000, 800) == (500, 500)
    assert Draw(None, None).sizes(3000, 70) == (70, 70)
    assert Draw(None, 20).sizes(3000, 70) == (70, 20)
    assert Draw().sizes(3000, 800) == (50, 50)


def test_the_score_carries_the_same_numbers():
    score = icefire.score(TRUTH, GUESS)
    assert (score.recall, score.precision, score.top_k) == (4 / 6, 4 / 5, 3 / 6)
    assert score.membership == judge.membership(TRUTH, GUESS)


def test_intervals_hold_their_value_and_those_of_a_difference_are_newcombes():
    found = judge.membership(TRUTH, GUESS)
    for value, (low, high) in (
        (found.recall, found.recall_ci),
        (found.precision, found.precision_ci),
        (found.top_k, found.top_k_ci),
        (found.balanced_accuracy, found.balanced_accuracy_ci),
        (found.advantage, found.advantage_ci),
    ):
        assert low < value < high
    (l1, u1), (l2, u2) = judge.wilson(4, 6), judge.wilson(1, 4)
    p, q = 4 / 6, 1 / 4
    assert found.advantage_ci[0] == pytest.approx(p - q - math.sqrt((p - l1) ** 2 + (u2 - q) ** 2))
    assert found.advantage_ci[1] == pytest.approx(p - q + math.sqrt((u1 - p) ** 2 + (q - l2) ** 2))


def test_saying_member_of_everybody_has_recall_one_precision_one_half_and_no_advantage():
    truth = Truth(np.array([0, 1, -1, -1]))
    found = judge.membership(truth, Guess(np.zeros((4, 3), np.int64)))
    assert (found.recall, found.precision, found.advantage) == (1.0, 0.5, 0.0)


def test_a_row_whose_first_answer_is_minus_one_is_no_member():
    guess = Guess(np.array([[-1, 0, 1], [1, -1, -1], [-1, 2, 3]]))
    found = judge.membership(Truth(np.array([0, 1, -1])), guess)
    assert (found.recall, found.advantage) == (0.5, 0.5)


def test_without_outsiders_there_is_nothing_to_tell():
    with pytest.raises(InputError, match="some rows and some -1"):
        judge.membership(Truth(np.array([0, 1])), Guess(np.array([0, 1])))


def released_without(*gone: int):
    x = table(*((row, row % 2, 0, 10 * row, row) for row in range(8)))
    kept = [row for row in range(8) if row not in gone]
    return compare(x, x.take(np.array(kept)), kept)


def test_the_draw_mixes_members_and_outsiders_and_knows_their_rows():
    comparison = released_without(2, 5, 7)
    case, truth = membership.sample(comparison, Draw(3, 2), np.random.default_rng(1))
    assert (case.targets, case.choices) == (5, 5)
    for row in range(5):
        asked = case.records.frame.row(row)
        if truth.rows[row] < 0:
            assert asked[0] in (2, 5, 7)
        else:
            assert comparison.released.frame.row(int(truth.rows[row])) == asked
    assert not hasattr(case, "truth")


def test_more_than_there_are_cannot_be_drawn():
    with pytest.raises(InputError, match="4 outsiders were asked for, but 3 records were deleted"):
        membership.sample(released_without(2, 5, 7), Draw(2, 4), np.random.default_rng(1))
    with pytest.raises(InputError, match=r"0 records were deleted.*leave some out"):
        membership.sample(released_without(), Draw(2, 1), np.random.default_rng(1))


def test_an_unknown_question_is_named():
    with pytest.raises(ParameterError, match="did you mean 'membership'"):
        icefire.audit(icefire.sample(rows=20), icefire.sample(rows=20).frame, aligned=True, ask=("member",))


def test_attackers_are_asked_about_the_people_they_know_and_rates_say_so():
    people = population(120, 1)
    kept = np.sort(np.random.default_rng(2).permutation(120)[:60])
    card = icefire.audit(
        people,
        people[kept],
        truth=kept,
        ask=["membership"],
        attacks=["link", "link_members"],
        measures=[],
        knowledge=["maximum", "sex", "*;share=0.5"],
        **ROLES,
    ).scorecard
    auc = {one.name: one.membership.attacks["link_members"].auc for one in card.attackers}
    assert min(auc["maximum"], auc["*;share=0.5"]) > 0.9
    assert auc["sex"] < 0.7
    assert card.membership.attacker == "maximum"
    assert card.attackers[1].membership.attacks["link_members"].knows == "sex of everybody"
    known = card.attackers[2].membership
    assert known.members + known.outsiders <= 60
