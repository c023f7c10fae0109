"""The joint attack: finds who is unique, says how sure it is, and does not depend on order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.attacks.tables.link.attack import link
from icefire.audit.questions.origin import in_file_order
from icefire.core import align
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.release import Case, Guess

RECIPES = Path(__file__).parents[3] / "examples/recipes"
LONG_TO_LEARN = ("research_file", "statistical_office", "strong_privacy")
GALLERY = (
    "contest_d10",
    "contest_d2",
    "open_data",
    "teaching_file",
    "test_data",
    *(pytest.param(name, marks=pytest.mark.heavy) for name in LONG_TO_LEARN),
)


def answered(original, released, seed=1, **roles):
    """Link a released frame to an original frame."""
    known = original if isinstance(original, Dataset) else icefire.read(original, **roles)
    case = Case(*align.match(known, released))
    return link(case, rng=np.random.default_rng(seed)).checked(case.targets, case.choices)


def numbers(rows=500, columns=6, seed=3):
    """Independent numbers in two quasi-identifiers and other columns that are amounts."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({f"a{c}": rng.normal(size=rows).round(3) for c in range(columns)})
    return frame.with_columns(pl.Series("q1", rng.integers(0, 5, rows)), pl.Series("q2", rng.integers(0, 9, rows)))


ROLES = {"qi": ["q1", "q2"], "sa": ["a0", "a1", "a2"]}


def shuffled(frame, seed=11):
    order = np.random.default_rng(seed).permutation(frame.height)
    return frame[order], order


def noisy(frame, scale=0.3, seed=5):
    rng = np.random.default_rng(seed)
    columns = [c for c in frame.columns if c.startswith("a")]
    return frame.with_columns((frame[c] + rng.normal(size=frame.height) * scale).alias(c) for c in columns)


def calibration_error(guess, truth):
    right, place = guess.first == truth, np.minimum((guess.probability * 10).astype(int), 9)
    return sum(
        abs(guess.probability[place == b].mean() - right[place == b].mean()) * (place == b).mean()
        for b in np.unique(place)
    )


def test_an_unchanged_release_gives_everybody_away_whose_record_is_unique():
    frame = icefire.sample("households", rows=400).frame
    released, truth = shuffled(frame)
    guess = answered(icefire.sample("households", rows=400), released)
    unique = frame.is_unique().to_numpy()[truth]
    assert (guess.first == truth)[unique].all()
    assert guess.probability[unique].mean() > 0.95


def test_one_column_is_enough_if_its_values_are_unique():
    frame = pl.DataFrame({"name": [f"person {i:05}" for i in range(1000)]})
    released, truth = shuffled(frame)
    assert (answered(frame, released, qi=["name"]).first == truth).all()


def test_columns_of_no_role_take_part_and_identifiers_do_not():
    frame = numbers().with_columns(text=pl.Series([f"text {i} " + "x" * 1000 for i in range(500)]))
    blank = frame.with_columns(pl.lit(0).alias(c) for c in frame.columns if c != "text")
    released, truth = shuffled(blank)
    assert (answered(frame, released, qi=["q1"], sa=["a0"]).first == truth).all()
    known = icefire.read(frame, qi=["q1"], sa=["a0"], ids=["text"])
    assert (answered(known, released).first == -1).all()


def test_independent_columns_give_chance_and_say_so():
    frame = numbers()
    released = pl.DataFrame([shuffled(frame, seed)[0][name] for seed, name in enumerate(frame.columns)])
    guess = answered(frame, released, **ROLES)
    assert (guess.first == np.arange(500)).mean() < 0.02
    assert guess.probability.mean() < 0.03


def test_an_uninformative_column_costs_nothing():
    frame = numbers()
    released, truth = shuffled(noisy(frame, 0.5))
    rate = (answered(frame, released, **ROLES).first == truth).mean()
    rng = np.random.default_rng(2)
    wider = [t.with_columns(pl.Series("u", rng.normal(size=t.height))) for t in (frame, released)]
    assert (answered(*wider, **ROLES).first == truth).mean() > rate - 0.02
    assert 0.3 < rate < 1


def test_the_order_of_rows_and_columns_does_not_matter():
    frame = numbers()
    released, _ = shuffled(noisy(frame))
    plain = answered(frame, released, **ROLES)
    x, x_order = shuffled(frame.select(sorted(frame.columns, reverse=True)), 8)
    y, y_order = shuffled(released.select(sorted(frame.columns)), 9)
    other = answered(x, y, **ROLES)
    assert (x_order[other.first] == plain.first[y_order]).all()
    assert other.probability == pytest.approx(plain.probability[y_order])


def test_it_is_the_same_for_the_same_seed():
    frame = numbers(300)
    released, _ = shuffled(noisy(frame))
    first, second = (answered(frame, released, **ROLES) for _ in range(2))
    assert (first.rows == second.rows).all()
    assert (first.probability == second.probability).all()


def test_a_monotone_change_costs_little():
    frame = numbers()
    released, truth = shuffled(frame.with_columns(pl.col("a0").exp() * 7, (-pl.col("a1") * 3).exp()))
    assert (answered(frame, released, **ROLES).first == truth).mean() > 0.99


def test_shuffled_ages_and_noise_do_not_hide_anybody():
    frame = numbers()
    spoiled = frame.with_columns(shuffled(frame, 4)[0]["q1"], shuffled(frame, 6)[0]["q2"])
    released, truth = shuffled(noisy(spoiled, 0.1))
    assert (answered(frame, released, **ROLES).first == truth).mean() > 0.99


def test_notes_say_how_columns_were_changed_and_what_they_give_away():
    frame = numbers()
    spoiled = frame.with_columns(shuffled(frame, 4)[0]["a5"])
    released, _ = shuffled(noisy(spoiled.rename({"a0": "keep"}), 0.2).rename({"keep": "a0"}))
    columns = answered(frame, released, **ROLES).notes["columns"]
    assert "a5" not in columns or columns["a5"]["bits"] < 0.1
    assert columns["a0"]["bits"] > columns["a1"]["bits"] > 0.5
    assert "noise" in columns["a1"]["change"] or "moved" in columns["a1"]["change"]


def test_swapped_classes_are_found_up_to_their_limit_and_no_row_is_called_sure():
    data = icefire.sample("households", rows=1000)
    recipe = {"step": [{"method": "k_anonymize", "k": 5}, {"method": "swap"}]}
    release = icefire.anonymize(data, recipe, seed=4)
    guess = answered(data, release.released.frame)
    assert guess.notes["exchanged_within_classes"]
    assert (guess.first == release.truth.rows).mean() > 0.08
    assert calibration_error(guess, release.truth.rows) < 0.05


@pytest.mark.parametrize("name", GALLERY)
def test_probabilities_are_right_on_the_gallery(name):
    data = icefire.sample("households", rows=1000)
    release = icefire.anonymize(data, str(RECIPES / f"{name}.toml"), seed=2)
    guess = answered(data, release.released.frame)
    assert calibration_error(guess, release.truth.rows) < 0.05


@pytest.mark.parametrize(("name", "rows"), [("test_data", 200), ("research_file", 200), ("teaching_file", 500)])
def test_probabilities_are_right_on_small_releases(name, rows):
    data = icefire.sample("households", rows=rows)
    release = icefire.anonymize(data, str(RECIPES / f"{name}.toml"), seed=1)
    assert calibration_error(answered(data, release.released.frame), release.truth.rows) < 0.05


def test_swapped_in_rank_and_randomised_everybody_is_still_found():
    data = icefire.sample("households", rows=1000)
    recipe = {"step": [{"method": "pram", "keep": 0.5}, {"method": "rank_swap", "p": 20}]}
    release = icefire.anonymize(data, recipe, seed=4)
    assert (answered(data, release.released.frame).first == release.truth.rows).mean() > 0.97


@pytest.mark.parametrize("rows", [2, 3, 5])
def test_a_few_rows_get_an_answer(rows):
    frame = pl.DataFrame({"a": list(range(rows)), "b": ["x", "y", "z", "u", "v"][:rows]})
    guess = answered(frame, frame, qi=["b"], sa=["a"])
    assert len(guess.first) == rows


def test_constant_columns_get_no_answer():
    frame = pl.DataFrame({"a": [1] * 20, "b": ["x"] * 20})
    guess = answered(frame, frame, qi=["b"], sa=["a"])
    assert (guess.first == -1).all()
    assert (guess.probability == 0).all()


def test_a_column_that_is_missing_altogether_says_nothing():
    frame = pl.DataFrame({"a": list(range(50)), "gone": [None] * 50}, schema={"a": pl.Int64, "gone": pl.String})
    released, truth = shuffled(frame)
    assert (answered(frame, released, qi=["a"]).first == truth).all()


def test_mixed_types_and_infinite_numbers_are_compared_as_far_as_possible():
    frame = pl.DataFrame({"a": list(range(100)), "b": [float(i % 7) for i in range(100)]})
    released = pl.DataFrame({"a": [str(i) if i % 3 else "30-39" for i in range(100)], "b": [float("inf")] + [1.0] * 99})
    assert len(answered(frame, released, qi=["a"]).first) == 100


def test_two_hundred_columns():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"c{i:03}": rng.integers(0, 9, 60) for i in range(200)})
    released, truth = shuffled(frame)
    assert (answered(frame, released, qi=["c000"]).first == truth).all()


def test_probabilities_follow_the_rows_into_the_order_of_the_file():
    guess = Guess(np.array([5, 6, 7]), probability=np.array([0.5, 0.6, 0.7]), notes={"a": 1})
    placed = in_file_order(guess, np.array([2, 0, 1]))
    assert placed.first.tolist() == [6, 7, 5]
    assert placed.probability.tolist() == [0.6, 0.7, 0.5]
    assert placed.notes == {"a": 1}


def test_probabilities_are_checked():
    with pytest.raises(InputError, match="1 probabilities"):
        Guess(np.array([0, 1]), probability=np.array([0.5])).checked(2, 2)
    with pytest.raises(InputError, match="probability of row 1 is nan"):
        Guess(np.array([0, 1]), probability=np.array([0.5, np.nan])).checked(2, 2)
