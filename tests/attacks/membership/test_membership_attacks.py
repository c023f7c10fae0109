"""Attacks on membership: answers by hand on a few rows, and what they reach on many."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.membership_attacks import ATTACKS, CONTEST, NOBODY, RECORDS, RELEASED, ages, answers, people, survey

import icefire
from icefire.attacks.membership.candidate_bayes import _membership
from icefire.audit import judge
from icefire.core import membership, roles
from icefire.core.dataset import Dataset
from icefire.core.membership import Draw, MembershipCase
from icefire.core.release import Case, Comparison, Guess, Truth

# --- By hand ---


def test_rlink_takes_the_nearest_rows_and_gives_up_on_the_farther_half():
    # Squared distances to rows 0 … 4, another sex counting 2:
    # (1, 125, .., 4, ..), (108, 2, .., 111, 1), (.., 125, 64, .., 118), (.., 502, 31, .., 481).
    # Nearest 1, 1, 8 and 5.57: their median is 3.28.
    assert answers("rlink", MembershipCase(RECORDS, RELEASED)) == [[0, 3, 1], [4, 1, 0], NOBODY, NOBODY]


def test_all_members_takes_the_rows_of_least_loss_and_equal_ones_by_distance():
    # Losses: (1, 10, .., 2, 10), where row 1 is nearer than row 4; (9, 1, .., 10, 1), where row 4 is nearer than row 1;
    # (.., 10, 8, .., 10), where row 4 is nearer; (.., 20, 5, .., 20), likewise.
    found = answers("all_members", MembershipCase(RECORDS, RELEASED))
    assert found == [[0, 3, 1], [4, 1, 0], [2, 4, 1], [2, 4, 1]]


def test_far_candidate_takes_the_farthest_then_the_one_of_most_loss_then_any():
    # From (50, 25): losses 4, 3, 0, 5 and squared distances 16, 18, 0, 25; the last is no candidate.
    released = people((54, 25, "m"), (53, 28, "m"), (50, 25, "m"), (55, 25, "m"))
    case = MembershipCase(people((50, 25, "m")), released)
    assert answers("far_candidate", case) == [[1, 0, 2]]
    assert answers("far_candidate", case, limit=5)[0][0] == 3


def test_far_candidate_gives_a_tie_to_the_lowest_row_whatever_the_last_digit_of_a_float_says():
    # Both lie 3 away, but in floats 32.2 - 29.2 is a little more than 29.2 - 26.2.
    released = people((50, 26.2, "m"), (50, 32.2, "m"), (50, 29.2, "m"))
    assert answers("far_candidate", MembershipCase(people((50, 29.2, "m")), released))[0][0] == 0


def test_far_candidate_without_enough_candidates_adds_rows_of_least_loss():
    # Within 4 are rows 0 and 3 of the first record, the farther also losing more; rows 1 and 4 of the second.
    found = answers("far_candidate", MembershipCase(RECORDS, RELEASED))
    assert found == [[3, 0, 1], [1, 4, 0], [2, 4, 1], [2, 4, 1]]


def test_a_limit_of_four_holds_at_four():
    case = MembershipCase(people((50, 27.9, "m")), people((50, 31.9, "m"), (50, 23.8, "m"), (51, 23.9, "m")))
    assert set(answers("far_candidate", case)[0][:2]) == {0, 2}


def test_random_candidate_draws_among_all_candidates():
    case = MembershipCase(ages(50), ages(47, 48, 51, 52, 60))
    drawn = {tuple(answers("random_candidate", case, seed)[0]) for seed in range(40)}
    assert {row for answer in drawn for row in answer} == {0, 1, 2, 3}
    assert all(len(set(answer)) == 3 for answer in drawn)


def test_near_density_compares_with_the_distances_between_released_rows():
    # Released rows lie 10 apart. 10.5 is 0.5 from one, 16 is 4: more than 0.3 times what is expected.
    case = MembershipCase(ages(10.5, 16), ages(0, 10, 20, 30, 40))
    assert answers("near_density", case, closer=0.3, scale="raw") == [[1, 2, 0], NOBODY]
    assert answers("near_density", case, closer=0.4, scale="raw") == [[1, 2, 0], [2, 1, 3]]


def test_candidate_bayes_prefers_rows_with_few_possible_owners_and_never_the_equal_one():
    # Candidates of 50 are 50, 52, 53, 46, to which 3, 5, 6 and 2 released rows are near, themselves included.
    case = MembershipCase(ages(50), ages(50, 52, 53, 46, 55, 56, 57))
    assert answers("candidate_bayes", case) == [[3, 1, 2]]
    assert answers("candidate_bayes", case, skip=1)[0][:2] == [1, 2]


def test_candidate_bayes_doubts_numbers_of_candidates_that_the_release_does_not_have():
    sizes, usual = np.array([0] * 6 + [100] * 6), np.full(50, 100)
    # Two neighbours to either side are looked at, so that the middle is not sure.
    assert _membership(sizes, usual, 0.5).tolist() == [0.0] * 4 + [0.5] * 4 + [1.0] * 4
    # As many of either kind in the release as among those asked about: nothing can be told.
    assert _membership(sizes, np.array([0, 100]), 0.5) == pytest.approx(np.full(12, 0.5))


def test_member_assignment_gives_no_row_twice():
    # 50 is as near to 51 as to 49, 52 only to 51.
    case = MembershipCase(ages(50, 52), ages(51, 49))
    assert answers("member_assignment", case, members=1) == [[1, 0, -1], [0, 1, -1]]


def test_member_assignment_leaves_out_who_got_a_bad_row():
    # Two equal records and one such row: the other one's next best is worse than what the third gets.
    case = MembershipCase(ages(50, 50, 70), ages(50, 53, 70))
    found = answers("member_assignment", case, members=0.5)
    assert sorted(found[:2]) == [NOBODY, [0, 1, 2]]
    assert found[2] == [2, 1, 0]


def test_yes_and_no_as_numbers_are_one_apart_and_text_two():
    frame = pl.DataFrame({"age": [50.0, 51.2], "ill": [1, 0], "sex": ["f", "m"]})
    shown = Dataset(frame, roles.choose(frame, ("age", "ill", "sex"), ()))
    asked = shown.with_frame(pl.DataFrame({"age": [50.0], "ill": [0], "sex": ["f"]}))
    # Row 0 is 1 away in `ill`; row 1 is 1.2 ** 2 + 2 away.
    for parameters in ({}, {"numbers": ("age",), "categories": ("ill", "sex")}):
        assert answers("rlink", MembershipCase(asked, shown), **parameters) == [[0, 1, -1]]


def test_missing_values_are_equal_to_one_another_and_far_from_all_others():
    case = MembershipCase(people((None, 20, None)), people((30, 20, "m"), (None, 21, None), (30, 20, None)))
    assert answers("rlink", case)[0][0] == 1
    assert answers("all_members", case)[0][0] == 1


# --- What they reach ---


def exchanged(data: Dataset, seed: int) -> Comparison:
    """Rows swapped as in P3, those with few candidates then left out."""
    steps = [{"method": "swap_rows", "few": 25, **{name: list(columns) for name, columns in CONTEST.items()}}]
    made = icefire.anonymize(data, {"steps": steps}, seed=seed)
    return Comparison(Case(data, made.released), made.truth)


def test_candidate_bayes_undoes_a_swap_better_than_the_others():
    data = survey(2500)
    danger: dict[str, list[float]] = {}
    for seed in range(4):
        case, truth = membership.sample(exchanged(data, seed), Draw(), np.random.default_rng(seed))
        for name in ("candidate_bayes", "far_candidate", "random_candidate"):
            guess = Guess(np.array(answers(name, case, seed, **CONTEST)))
            danger.setdefault(name, []).append(judge.membership(truth, guess).danger_final)
    mean = {name: float(np.mean(values)) for name, values in danger.items()}
    assert mean["candidate_bayes"] > 1.5 * max(mean["far_candidate"], mean["random_candidate"])


def test_near_density_sees_members_through_noise():
    data = survey(1500)
    rng = np.random.default_rng(3)
    noise = pl.Series(rng.normal(0, 1, data.height).round(1))
    kept = np.sort(rng.choice(data.height, 1000, replace=False))
    comparison = Comparison(Case(data, data.with_columns(data.frame["bmi"] + noise).take(kept)), Truth(kept))
    case, truth = membership.sample(comparison, Draw(), rng)
    found = judge.membership(truth, Guess(np.array(answers("near_density", case))))
    assert found.advantage > 0.5
    assert found.top_k > 0.9


@pytest.mark.parametrize("name", ATTACKS)
def test_answers_do_not_depend_on_the_number_of_threads(name, monkeypatch):
    data = survey(300)
    case = (data.take(np.arange(100)), data.take(np.arange(50, 300)))
    monkeypatch.setenv("ICEFIRE_THREADS", "1")
    alone = answers(name, MembershipCase(*case))
    monkeypatch.setenv("ICEFIRE_THREADS", "3")
    assert answers(name, MembershipCase(*case)) == alone


@pytest.mark.parametrize("name", ATTACKS)
def test_an_unknown_column_is_named(name):
    with pytest.raises(icefire.IcefireError, match="did you mean 'age'"):
        answers(name, MembershipCase(RECORDS, RELEASED), numbers=("agee",))
