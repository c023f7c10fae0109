"""Rows swapped, scattered and left out within a limit of loss; who is who stays with the origin, values move."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import survey_data, survey_game
from support.applied import applied, holding

import icefire
from icefire import recipe as recipes
from icefire.audit import judge
from icefire.contests import pwscup2021
from icefire.core import membership, record_loss, registry
from icefire.core.dataset import ORIGIN
from icefire.core.errors import IcefireError, ParameterError
from icefire.core.membership import Draw
from icefire.core.release import Case, Comparison
from icefire.recipe import hints

FEW = settings(max_examples=40, deadline=None)

# Ages on a line; limit 4: Ann 0 reaches Bob; Bob reaches Ann and Cy; Cy reaches Bob and Di; Di reaches Cy; Ed nobody.
LINE = {"name": ["Ann", "Bob", "Cy", "Di", "Ed"], "age": [0, 4, 8, 9, 50], "town": ["X", "X", "Y", "Y", "X"]}
LINE |= {"note": ["a", "b", "c", "d", "e"]}


def line():
    return holding(LINE, qi=("age", "town"), sa=(), ids=("name",))


def losses(before, after, numbers, categories):
    rows = after.frame[ORIGIN].to_numpy()
    return record_loss.parts(before, after, rows, numbers, categories).loss()


# --- delete_by_candidates ----------------------------------------------------------------------------------------


def test_rows_with_few_candidates_go():
    assert applied("delete_by_candidates", line(), few=0).frame["name"].to_list() == ["Ann", "Bob", "Cy", "Di"]
    made = applied("delete_by_candidates", line(), few=1, max_share=0.6)
    assert made.frame["name"].to_list() == ["Bob", "Cy"]
    assert made.notes == {"suppressed": 3}


def test_no_more_rows_go_than_allowed_the_loneliest_first():
    made = applied("delete_by_candidates", line(), few=25, max_share=0.5)
    assert made.frame["name"].to_list() == ["Bob", "Cy", "Di"]


def test_a_wider_limit_gives_everybody_more_candidates():
    assert applied("delete_by_candidates", line(), few=1, limit=10).notes == {"suppressed": 1}


@survey_data.needed
def test_of_the_survey_296_go_with_25_candidates_and_11_with_none():
    data = survey_data.survey()
    assert applied("delete_by_candidates", data, **survey_data.COMPARED).notes == {"suppressed": 296}
    assert applied("delete_by_candidates", data, few=0, **survey_data.COMPARED).notes == {"suppressed": 11}


# --- swap_rows ---------------------------------------------------------------------------------------------------


def test_whole_rows_are_swapped_and_the_people_stay():
    made = applied("swap_rows", line())
    assert made.frame["age"].to_list() == [4, 0, 9, 8, 50]
    assert made.frame["town"].to_list() == ["X", "X", "Y", "Y", "X"]
    assert made.frame["note"].to_list() == ["b", "a", "d", "c", "e"]
    assert made.frame["name"].to_list() == LINE["name"]
    assert made.frame[ORIGIN].to_list() == [0, 1, 2, 3, 4]
    assert made.notes == {"swapped": 4, "copied": 0, "unmoved": 1, "suppressed": 0}


def test_whose_candidates_are_all_taken_gets_a_copy():
    made = applied("swap_rows", holding({"age": [0, 4, 8]}, qi=("age",)))
    assert made.frame["age"].to_list() == [4, 0, 4]
    assert made.notes == {"swapped": 2, "copied": 1, "unmoved": 0, "suppressed": 0}


def test_those_with_few_candidates_go_after_the_swap_and_their_values_live_on():
    made = applied("swap_rows", line(), few=1)
    assert made.frame["name"].to_list() == ["Bob", "Cy"]
    assert made.frame["age"].to_list() == [0, 9]  # those of Ann and Di
    assert made.notes["suppressed"] == 3


def test_a_missing_value_is_exchanged_for_a_missing_value_only():
    data = holding({"age": [30, None, 31, None, 32], "town": ["X", "X", None, "X", "Y"]}, qi=("age", "town"))
    for seed in range(10):
        made = applied("swap_rows", data, seed)
        assert made.frame["age"].is_null().to_list() == [False, True, False, True, False]
    assert applied("swap_rows", data, limit=0).notes["unmoved"] == 3


def test_columns_named_as_categories_are_not_numbers():
    data = holding({"age": [30, 31, 32], "code": [1, 90, 500]}, qi=("age", "code"))
    assert applied("swap_rows", data).notes["unmoved"] == 3
    assert applied("swap_rows", data, categories="code").notes["unmoved"] == 0
    assert applied("swap_rows", data, numbers="age").notes["unmoved"] == 0


def test_columns_that_cannot_be_compared_are_named():
    with pytest.raises(IcefireError, match="'town' holds no numbers"):
        applied("swap_rows", line(), numbers="town")
    with pytest.raises(ParameterError, match="no column to compare rows by"):
        applied("swap_rows", line(), numbers="", categories="")
    with pytest.raises(IcefireError, match="swap_rows: numbers: no column 'agee'; did you mean 'age'"):
        applied("swap_rows", line(), numbers="agee")


@survey_data.needed
def test_the_recipe_of_the_paper_keeps_the_limit_and_nearly_all_values():
    data = survey_data.survey()
    made = applied("swap_rows", data, **survey_data.COMPARED)
    assert losses(data, made, **renamed()).max() == 4
    assert made.notes["unmoved"] == 11
    assert made.notes["copied"] < 20
    gone = Counter(data.frame.rows()) - Counter(made.frame.drop(ORIGIN).rows())
    assert gone.total() == made.notes["copied"]
    assert applied("swap_rows", data, few=25, **survey_data.COMPARED).notes["suppressed"] == 296


def renamed():
    return {"numbers": pwscup2021.NUMBERS, "categories": pwscup2021.CATEGORIES}


# --- scatter_rows ------------------------------------------------------------------------------------------------


def crowd(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    ill = rng.random(rows) < 0.3
    columns = {
        "age": rng.integers(20, 60, rows) + 10 * ill,
        "bmi": rng.normal(27, 3, rows).round(1),
        "sex": rng.choice(["f", "m"], rows),
        "edu": rng.choice(["a", "b", "c"], rows),
        "ill": ill.astype(int),
    }
    return holding(columns, qi=("age", "bmi", "sex", "edu"), sa=("ill",))


def test_everybody_who_stays_gets_other_values_within_the_limit():
    data = crowd()
    made = applied("scatter_rows", data, few=3)
    assert made.height == 240
    assert losses(data, made, ("age", "bmi", "ill"), ("sex", "edu")).max() <= 4
    assert made.frame[ORIGIN].is_sorted()
    own = data.frame[made.frame[ORIGIN].to_numpy()]
    same = [a == b for a, b in zip(own.rows(), made.frame.drop(ORIGIN).rows(), strict=True)]
    assert sum(same) == made.notes["unmoved"] <= 3
    values = Counter(made.frame.drop(ORIGIN).rows())
    assert set(values) <= set(data.frame.rows())
    assert (values - Counter(data.frame.rows())).total() <= made.notes["copied"] <= 3
    assert made.notes["suppressed"] == 60


def test_values_of_people_who_are_left_out_live_on_as_often_as_others():
    data = crowd(1500)
    made = applied("scatter_rows", data, few=2)
    kept = np.zeros(data.height, bool)
    kept[made.frame[ORIGIN].to_numpy()] = True
    there = set(made.frame.drop(ORIGIN).rows())
    alive = np.array([row in there for row in data.frame.rows()])
    assert alive[~kept].mean() > 0.6
    assert abs(alive[kept].mean() - alive[~kept].mean()) < 0.3


def test_no_mean_moves_more_than_allowed():
    data = crowd(800)
    made = applied("scatter_rows", data, drift=0.02)
    for name in ("age", "bmi", "ill"):
        shift = abs(made.frame[name].mean() - data.frame[name].mean()) / data.frame[name].std(ddof=0)
        assert shift <= 0.03
    assert made.notes["largest_drift"] <= 0.03


def test_odds_ratios_stay_where_they_were():
    data = crowd(1500)
    formula = "ill ~ age + bmi + sex + edu"
    loose = applied("scatter_rows", data, odds_ratio=9, formula=formula).notes["largest_odds_ratio_change"]
    tight = applied("scatter_rows", data, odds_ratio=0.03, formula=formula).notes["largest_odds_ratio_change"]
    assert tight <= 0.04 < loose


def test_a_regression_that_cannot_be_is_refused_in_words():
    with pytest.raises(IcefireError, match="no column 'il'"):
        applied("scatter_rows", crowd(), formula="il ~ age")
    with pytest.raises(IcefireError, match="one value only"):
        applied("scatter_rows", holding({"a": [1, 2, 3], "b": [1, 1, 1]}, qi=("a", "b")), formula="b ~ a")


def test_few_people_stay_alone_if_that_is_asked():
    data = crowd(400)
    before = data.frame.with_columns((pl.col("age", "bmi") / 10).round(0, mode="half_to_even"))
    made = applied("scatter_rows", data, alone=0.02, key="age,bmi,sex,edu", share=0.05)
    left = before[made.frame[ORIGIN].to_numpy()].select("age", "bmi", "sex", "edu")
    assert before.select("age", "bmi", "sex", "edu").is_unique().sum() > 0.02 * 400
    assert left.is_unique().sum() <= 0.02 * 400
    with pytest.raises(ParameterError, match=r"rows would have to go so that at most 0 are alone"):
        applied("scatter_rows", holding({"age": [1, 20, 40]}, qi=("age",)), alone=0)


def test_the_seed_decides():
    made = [applied("scatter_rows", crowd(), seed).frame for seed in (1, 1, 2)]
    assert made[0].equals(made[1])
    assert not made[0].equals(made[2])


def test_the_number_of_threads_changes_nothing(monkeypatch):
    made = []
    for threads in ("1", "3"):
        monkeypatch.setenv("ICEFIRE_THREADS", threads)
        made.append(applied("scatter_rows", crowd(1500), formula="ill ~ age + bmi + sex + edu").frame)
    assert made[0].equals(made[1])


def test_who_does_not_know_the_method_has_less_to_go_by_with_guesses():
    data = crowd(900)
    numbers, categories = ("age", "bmi"), ("sex", "edu", "ill")
    shares = []
    for guesses in (0, 3):
        made = applied("scatter_rows", data, guesses=guesses, numbers=numbers, categories=categories)
        known = data.frame[made.frame[ORIGIN].to_numpy()]
        gaps = sum((known[n].to_numpy()[:, None] - made.frame[n].to_numpy()[None]) ** 2 for n in numbers)
        for name in categories:
            differs = known[name].to_numpy()[:, None] != made.frame[name].to_numpy()[None]
            gaps = gaps + differs * (1 if name == "ill" else 2)
        nearest = np.argsort(gaps, axis=1, kind="stable")[:, :3]
        shares.append((nearest == np.arange(made.height)[:, None]).any(axis=1).mean())
    assert shares[1] < shares[0] / 2


@FEW
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.integers(0, 20)), st.sampled_from("xy"), st.sampled_from([None, "p", "q"])),
        max_size=40,
    ),
    st.integers(0, 99),
)
def test_any_table_survives(people, seed):
    columns = {n: [row[i] for row in people] for i, n in enumerate(("age", "sex", "job"))}
    types = {"age": pl.Int64, "sex": pl.String, "job": pl.String}
    data = holding(pl.DataFrame(columns, schema=types), qi=("age", "sex", "job"))
    made = applied("scatter_rows", data, seed, limit=2, few=2)
    assert made.height == len(people) - round(0.2 * len(people))
    assert not made.height or losses(data, made, ("age",), ("sex", "job")).max() <= 2
    assert made.frame["age"].is_null().to_list() == data.frame["age"][made.frame[ORIGIN].to_numpy()].is_null().to_list()


# --- on the survey -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ours():
    return applied(
        "scatter_rows",
        survey_data.survey(),
        formula=survey_data.FORMULA,
        drift=0.03,
        correlation=0.1,
        alone=0.5,
        **survey_data.COMPARED,
    )


@survey_data.needed
def test_our_release_of_the_survey_is_within_every_limit(ours, tmp_path):
    rows = ours.frame[ORIGIN].to_numpy()
    ours.frame.drop(ORIGIN).write_csv(tmp_path / "D.csv", include_header=False)
    gone = np.setdiff1d(np.arange(survey_data.survey().height), rows)
    pl.DataFrame({"row": gone}).write_csv(tmp_path / "X.csv", include_header=False)
    checked = pwscup2021.measure_limits([survey_data.B, tmp_path / "D.csv", tmp_path / "X.csv"])
    assert {limit.name for limit in checked.limits} == {"iloss", "uniqrt", "rate_max", "or_max", "cor_max"}
    assert all(limit.passed for limit in checked.limits), checked.limits


@survey_data.needed
def test_our_release_is_in_less_danger_than_the_paper_s_from_simple_attackers(ours):
    swapped = applied("swap_rows", survey_data.survey(), few=25, **survey_data.COMPARED)
    mine, theirs = (survey_game.played(made) for made in (ours, swapped))
    assert max(np.mean(found) for found in mine.values()) <= 0.06, mine
    assert max(np.mean(found) for found in theirs.values()) > 0.06, theirs


@survey_data.needed
def test_who_knows_the_method_finds_half_as_many_rows_as_where_conspicuous_ones_are_avoided():
    data = survey_data.survey()
    named = {}
    for guesses in (0, 3):
        step = {"method": "scatter_rows", "guesses": guesses, "formula": survey_data.FORMULA, "alone": 0.5}
        release = icefire.anonymize(data, {"step": [{**step, **survey_data.COMPARED}]})
        comparison = Comparison(Case(data, release.released), release.truth)
        case, truth = membership.sample(comparison, Draw(500, 500), np.random.default_rng(1))
        for name in ("scattered_rows", "exchanged_rows"):
            entry = registry.get("attack", name)
            guess = entry.function(case, rng=np.random.default_rng(1), **entry.bind(survey_data.COMPARED))
            score = judge.membership(truth, guess)
            named[guesses] = max(named.get(guesses, 0.0), score.top_k)
            assert score.tpr_ci[1] < 0.09, "who was left out cannot be told"
    assert named[0] < 0.65 * named[3]


def test_values_go_whoever_they_are_and_people_alone_or_not():
    data = crowd(900)
    made = applied("scatter_rows", data, alone=0.12, key="age,bmi,sex,edu", unit=3.0, share=0.05, few=0)
    alone = data.frame.with_columns((pl.col("age", "bmi") / 3).round(0)).select("age", "bmi", "sex", "edu").is_unique()
    gone = np.setdiff1d(np.arange(900), made.frame[ORIGIN].to_numpy())
    assert alone.mean() > 0.12
    assert (~alone.to_numpy()[gone]).mean() > 0.1


def test_correlations_stay_where_they_were_if_that_is_asked():
    data = crowd(500)
    changes = [
        applied("scatter_rows", data, seed, share=0.4, correlation=allowed).notes["largest_correlation_change"]
        for allowed in (1.0, 0.09)
        for seed in (1, 2, 3)
    ]
    assert max(changes[3:]) < max(changes[:3])


def test_a_recipe_that_guards_against_guesses_is_warned_about():
    for guesses, warned in ((0, False), (3, True)):
        steps = recipes.load({"step": [{"method": "scatter_rows", "guesses": guesses}]}).numbered
        assert any("one who does passes over what it avoids" in hint.text for hint in hints.hints(steps)) == warned
