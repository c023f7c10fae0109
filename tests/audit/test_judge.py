"""One judge: ratios, intervals, baselines, membership, AYA."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_tables import compare, table

import icefire
from icefire.audit import judge
from icefire.core.blocks import Candidates
from icefire.core.release import Guess, Truth


def score(truth, guess, **options):
    return judge.score(Truth(np.array(truth)), Guess(np.array(guess)), **options)


def test_no_answer_is_wrong_and_counted():
    found = score([0, 1, 2, 3], [0, -1, 1, 3])
    assert (found.rate, found.hits, found.answered, found.targets) == (0.5, 2, 3, 4)


def test_the_ratio_can_be_taken_of_the_original_rows():
    assert score([0, 1], [0, 1], of=8).rate == 0.25


def test_the_baseline_is_one_in_the_number_of_rows_to_choose_from():
    assert score([0, 1], [0, 1], originals=50).baseline == pytest.approx(1 / 50)


def test_the_interval_is_wilsons():
    # 10 of 100: the textbook's 0.0552 to 0.1744.
    low, high = judge.wilson(10, 100)
    assert low == pytest.approx(0.05523, abs=1e-5)
    assert high == pytest.approx(0.17437, abs=1e-5)
    assert judge.wilson(0, 10)[0] == 0
    assert judge.wilson(10, 10)[1] == 1


def test_ranked_guesses_give_the_first_for_the_ratio_and_all_for_top_k():
    found = score([5, 6, 7], [[5, 1], [1, 6], [1, 2]])
    assert found.rate == pytest.approx(1 / 3)
    assert found.top_k == pytest.approx(2 / 3)
    assert found.recall is None


def test_targets_that_are_no_members_give_recall_precision_and_top_k():
    # members 0, 1, 2; the attacker says member of 0, 1, 3 and names 0 rightly.
    found = score([10, 11, 12, -1, -1], [[10, 3], [4, 5], [-1, -1], [1, 2], [-1, -1]])
    assert found.recall == pytest.approx(2 / 3)
    assert found.precision == pytest.approx(2 / 3)
    assert found.top_k == pytest.approx(1 / 3)


def test_the_expectation_is_the_mean_chance_of_a_uniform_draw():
    # Target 0 among {0, 1}, target 1 among {0, 1, 2} without its truth 5, target 2 among nobody.
    drawn = Candidates(np.array([0, 1, 0, 1, 2]), np.array([0, 2, 5]), np.array([2, 5, 5]))
    guess = Guess(np.array([0, 0, -1]), drawn)
    assert judge.score(Truth(np.array([1, 5, 2])), guess).expected == pytest.approx(0.5 / 3)


def test_aya_credits_a_guess_only_where_it_is_strictly_nearer():
    x = table((1, 1, 1, 0, 0), (1, 1, 1, 10, 0), (1, 1, 1, 20, 0))
    y = table((1, 1, 1, 1, 0), (1, 1, 1, 15, 0), (1, 1, 1, 20, 0))
    comparison = compare(x, y, [1, 2, 2])
    guess = Guess(np.array([0, 1, -1]))
    # Row 0: the guess is 1 away, the claim 9: credited. Row 1: both 5 away: not. Row 2: no guess: not.
    assert judge.Claim(comparison, scale="raw").aya(guess).first.tolist() == [1, 1, -1]
    assert judge.Claim(comparison, scale="raw").farther_than_nearest() == 1


def test_aya_can_look_at_other_columns_and_scales():
    x = table((1, 1, 1, 0, 0), (1, 1, 1, 1, 1000))
    y = table((1, 1, 1, 1, 400), (1, 1, 1, 1, 1000))
    comparison, guess = compare(x, y, [1, 1]), Guess(np.array([0, 0]))
    assert judge.Claim(comparison, scale="raw").aya(guess).first.tolist() == [1, 0]
    assert judge.Claim(comparison, scale="raw", columns=("s1",)).aya(guess).first.tolist() == [0, 0]
    # Standardised, one step of s1 weighs as much as 1000 of s2: row 0 is nearer to its claim.
    assert judge.Claim(comparison).aya(guess).first.tolist() == [0, 0]


def test_the_verbs_take_arrays_and_files_alike(tmp_path):
    (tmp_path / "t.csv").write_text("0\n1\n2\n")
    (tmp_path / "g.csv").write_text("0\n2\n2\n")
    assert icefire.score(tmp_path / "t.csv", tmp_path / "g.csv") == icefire.score([0, 1, 2], [0, 2, 2])
