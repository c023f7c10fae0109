"""Scores of membership: by hand on a few people, and against slow obvious versions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import icefire
from icefire.audit import judge, scores
from icefire.audit.questions.membership import membership_result
from icefire.core.errors import InputError
from icefire.core.release import Guess, Truth

INSIDE = np.array([True, True, True, True, False, False, False, False, False])
TIED = np.array([5.0, 3.0, 3.0, 1.0, 4.0, 3.0, 2.0, 1.0, 0.0])


def test_nine_people_with_ties_by_hand():
    # Thresholds: 5 | 4 | 3 3 3 | 2 | 1 1 | 0; members above: 1 1 3 3 4 4 of 4, outsiders: 0 1 2 3 4 5 of 5.
    judged = scores.membership_scores(TIED, INSIDE)
    assert judged.roc == [(0, 0), (0, 0.25), (0.2, 0.25), (0.4, 0.75), (0.6, 0.75), (0.8, 1), (1, 1)]
    # Pairs won by each member, ties a half: 5, 3 + ½, 3 + ½, 1 + ½ of 5.
    assert judged.auc == pytest.approx((5 + 3.5 + 3.5 + 1.5) / 20)
    assert judged.tpr_at_fpr == {"0.01": 0.25, "0.001": 0.25}
    assert judged.tpr_at_fpr_ci["0.01"] == judge.wilson(1, 4)
    assert judged.advantage == pytest.approx(0.35)


def test_an_outsider_on_top_leaves_nobody_recognised():
    judged = scores.membership_scores(np.array([1.0, 1.0, 0.5, 2.0]), np.array([True, True, False, False]))
    assert judged.tpr_at_fpr["0.01"] == 0
    assert judged.auc == 0.5
    assert judged.advantage == 0.5


def test_of_150_outsiders_one_may_be_taken_for_a_member():
    outsiders, members = np.arange(1.0, 151), np.array([148.5, 149.0, 149.5, 500.0])
    judged = scores.membership_scores(np.append(members, outsiders), np.arange(154) < 4)
    assert judged.tpr_at_fpr == {"0.01": 0.5, "0.001": 0.25}


def test_yes_and_no_are_scores_of_one_and_zero():
    truth = Truth(np.array([3, 1, 0, -1, -1]))
    answers = Guess(np.array([3, 0, -1, 2, -1]))
    result = membership_result(truth, answers, None, "all", {}, 0.0)
    assert result.roc == [(0, 0), (0.5, 0.666667), (1, 1)]
    assert result.auc == pytest.approx(2 / 3 * 1 / 2 + 0.5 * (2 / 3 * 1 / 2 + 1 / 3 * 1 / 2))
    assert result.score is not None
    assert result.score.recall == pytest.approx(2 / 3)


def test_scores_alone_name_no_rows():
    truth = Truth(np.array([3, 1, -1, -1]))
    guess = Guess.by_scores(np.array([2.0, 1.0, 1.5, -7.0])).checked(4, 10)
    result = membership_result(truth, guess, np.array([True, False, True, False]), "all", {}, 0.0)
    assert result.score is None
    assert result.auc == 0.75
    assert result.rare is not None
    assert result.rare.auc == 1
    assert (result.rare.members, result.rare.outsiders) == (1, 1)


def test_the_verb_score_takes_scores_of_membership(tmp_path):
    truth = [0, 1, 2, 3, -1, -1, -1, -1, -1]
    scored = icefire.score(truth, TIED, scores=True)
    assert scored.scores is not None
    assert scored.scores == scores.membership_scores(TIED, INSIDE)
    assert (scored.answered, scored.recall, scored.membership) == (0, None, None), "no rows were named"
    assert icefire.score(truth, Guess.by_scores(TIED)).scores == scored.scores
    (tmp_path / "truth.csv").write_text("\n".join(map(str, truth)))
    (tmp_path / "scores.csv").write_text("\n".join(map(str, TIED)))
    assert icefire.score(tmp_path / "truth.csv", tmp_path / "scores.csv", scores=True).scores == scored.scores
    assert "4 members and 5 outsiders" in scored._repr_html_()


def test_rows_with_scores_are_scored_by_both():
    guess = Guess(np.array([0, 2, -1, 3]), scores=np.array([2.0, 1.0, 1.5, -7.0]))
    scored = icefire.score([0, 1, -1, -1], guess)
    assert (scored.hits, scored.recall) == (1, 1.0)
    assert scored.scores is not None
    assert scored.scores.auc == 0.75


@pytest.mark.parametrize(
    ("truth", "guess", "said"),
    [
        ([0, -1], [np.nan, 1.0], "score of target 0 is nan"),
        ([0, 1], [1.0, 2.0], "in the truth everybody is a member"),
        ([-1, -1], [1.0, 2.0], "in the truth everybody is an outsider"),
        ([0, -1], [[1.0, 2.0], [3.0, 4.0]], "2-dimensional"),
        ([0, -1], ["a", "b"], "one number for each target"),
        ([0, -1], [1.0], "1 rows for 2 targets"),
    ],
)
def test_scores_that_cannot_be_judged_are_one_error(truth, guess, said):
    with pytest.raises(InputError, match=said):
        icefire.score(truth, guess, scores=True)


def test_a_stratum_of_members_alone_is_not_judged():
    guess = Guess.by_scores(np.array([2.0, 1.0, 1.5]))
    assert scores.answers_judged(Truth(np.array([0, 1, -1])), guess, np.array([True, True, False])) is None


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_that_are_not_finite_are_one_error(bad):
    with pytest.raises(InputError, match=r"score of target 1 is (nan|inf) \(1 of 3 are not finite\); give a finite"):
        Guess.by_scores(np.array([1.0, bad, 2.0])).checked(3, 5)
    with pytest.raises(InputError, match="finite"):
        scores.membership_scores(np.array([1.0, bad]), np.array([True, False]))


def test_another_number_of_scores_is_one_error():
    with pytest.raises(InputError, match="2 scores for 3 targets"):
        Guess(np.array([1, 2, 3]), scores=np.array([0.1, 0.2])).checked(3, 5)


def slow_auc(values, inside):
    pairs = [(a > b) + 0.5 * (a == b) for a in values[inside] for b in values[~inside]]
    return sum(pairs) / len(pairs)


def slow_tpr(values, inside, share):
    best = (-1.0, 0.0)
    for threshold in [*np.unique(values), np.inf]:
        false, true = (values[~inside] >= threshold).mean(), (values[inside] >= threshold).mean()
        if false <= share + 1e-12:
            best = max(best, (false, true))
    return best[1]


def slow_delong(values, inside):
    members, outsiders = values[inside], values[~inside]
    above = [np.mean([(a > b) + 0.5 * (a == b) for b in outsiders]) for a in members]
    below = [np.mean([(a > b) + 0.5 * (a == b) for a in members]) for b in outsiders]
    return np.sqrt(np.var(above, ddof=1) / len(members) + np.var(below, ddof=1) / len(outsiders))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_the_same_as_counting_pairs_and_thresholds(seed):
    rng = np.random.default_rng(seed)
    inside = rng.permutation(np.arange(40) < rng.integers(2, 38))
    values = rng.integers(0, rng.integers(1, 30), 40) + inside * rng.integers(0, 4)
    values = values.astype(float)
    judged = scores.membership_scores(values, inside)
    assert judged.auc == pytest.approx(slow_auc(values, inside))
    for share, tpr in judged.tpr_at_fpr.items():
        assert tpr == pytest.approx(slow_tpr(values, inside, float(share)))
    thresholds = [*np.unique(values), np.inf]
    gaps = [(values[inside] >= t).mean() - (values[~inside] >= t).mean() for t in thresholds]
    assert judged.advantage == pytest.approx(max(gaps))
    if 0 < judged.auc < 1:
        half = judge.Z_95 * slow_delong(values, inside)
        assert judged.auc_ci == pytest.approx((max(0, judged.auc - half), min(1, judged.auc + half)))


def test_separated_people_have_an_interval_all_the_same():
    judged = scores.membership_scores(np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, False]))
    assert judged.auc == 1
    assert judged.auc_ci == judge.wilson(2, 2)


def test_intervals_cover_the_truth_and_blind_scores_their_level():
    rng, covered, above = np.random.default_rng(2), 0, 0
    inside = np.arange(150) < 70
    for _ in range(300):
        values = rng.normal(size=150) + inside  # AUC = Φ(1/√2)
        low, high = scores.membership_scores(values, inside).auc_ci
        covered += low <= 0.760250 <= high
        blind = scores.membership_scores(rng.normal(size=150), inside)
        above += blind.advantage > blind.advantage_by_chance
    assert 0.91 < covered / 300 < 0.98
    assert above / 300 < 0.075


def test_a_long_curve_is_thinned_and_keeps_its_ends():
    rng = np.random.default_rng(1)
    judged = scores.membership_scores(rng.normal(size=5000), np.arange(5000) < 2500)
    assert len(judged.roc) <= scores.MOST_POINTS
    assert (judged.roc[0], judged.roc[-1]) == ((0, 0), (1, 1))
