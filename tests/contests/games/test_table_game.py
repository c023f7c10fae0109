"""Games on tables: what is taken in and handed out, what the judge says, how answers are scored."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
import pytest
from support.games import lines, numbers, table

import icefire
from icefire import contests
from icefire.audit.limits import Gate
from icefire.contests.games import limits as bounds
from icefire.core.scorecard import MeasureResult

HOUSEHOLDS = {"rules": "pwscup2015"}


@pytest.fixture(scope="module")
def households():
    return icefire.sample("households", 200).frame


def judged(run, original, released, truth, **options):
    files = {"original.csv": table(original), "released.csv": table(released), "truth.csv": lines(truth)}
    return run("judge", files, **{**HOUSEHOLDS, "seed": 1, **options})[0]


def test_what_is_shown_is_known_before_anything_runs_and_is_what_the_judge_says(run, households):
    game = contests.get("pwscup2015").play()
    assert game.utilities == ("U1", "U2", "U3", "U4", "U5", "U6")
    assert game.measures == ("S1", "S2", *game.utilities)
    assert game.attacks == ("E1", "E2", "E3", "E4", "EUC1", "EUC2", "link", "link_rest", "replay")
    assert game.fire_rule == "total"
    found = judged(run, households, households, range(200))
    assert tuple(found["measures"]) == game.measures
    assert (*found["attacks"], "replay") == game.attacks  # no recipe was handed in
    assert set(game.summaries) == {*game.measures, *game.attacks}
    assert all(game.summaries.values())


def test_the_original_alone_gives_the_reference(run, households):
    found, _ = run("reference", {"original.csv": table(households)}, **HOUSEHOLDS, seed=1)
    assert [found["measures"][name]["value"] for name in ("U1", "U2", "U3", "U5", "U6")] == [0, 0, 0, 0, 0]
    assert found["attacks"]["EUC1"]["rate"] == 1
    assert found["broken"] == []


def test_the_content_is_the_same_for_the_same_rows_in_any_order_and_with_any_columns_order(run, households):
    def content(frame, order):
        given = {
            "original.csv": table(households),
            "released.csv": table(frame[order]),
            "correspondence.csv": lines(order),
        }
        return run("receive", given, **HOUSEHOLDS, seed=1)[0]["content"]

    backwards = households.select(reversed(households.columns))
    first = content(households, np.arange(150))
    assert content(backwards, np.random.default_rng(1).permutation(150)) == first
    assert content(households, np.arange(1, 151)) != first
    assert len(first) == len(hashlib.sha256().hexdigest())


def test_the_seed_alone_decides_how_a_release_is_shuffled(run, households):
    files = {
        "original.csv": table(households),
        "released.csv": table(households),
        "correspondence.csv": lines(range(200)),
    }
    first, again, other = (run("receive", files, **HOUSEHOLDS, seed=seed)[1] for seed in (1, 1, 2))
    assert first == again
    assert first["truth.csv"] != other["truth.csv"]
    assert sorted(numbers(first["truth.csv"])[:, 0]) == list(range(200))


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (range(199), "guess.csv: 199 rows; 200 are asked for"),
        ([200, *range(199)], "row 0, column answer: '200' is not allowed; a whole number from -1 to 199"),
        ([-2, *range(199)], "row 0, column answer: '-2' is not allowed"),
        (["x", *range(199)], "row 0, column answer: 'x' is not allowed"),
        ([(1, 2)] * 200, "row 0: 2 columns; 1 are needed"),
    ],
)
def test_wrong_answers_are_named_without_the_truth(run, households, answers, said):
    files = {"original.csv": table(households), "guess.csv": lines(answers)}
    for counted in (200, None):
        found, _ = run("guess", files, **HOUSEHOLDS, targets=200, originals=counted, check_only=True)
        assert said in found["problems"][0]


def test_right_answers_are_checked_without_the_truth_and_scored_with_it(run, households):
    files = {"original.csv": table(households), "guess.csv": lines([-1, *range(1, 150)])}
    assert run("guess", files, **HOUSEHOLDS, targets=150, check_only=True)[0] == {"problems": []}
    scored, _ = run("guess", files | {"truth.csv": lines(range(150))}, **HOUSEHOLDS, targets=150)
    assert scored == {"problems": [], "hits": 149, "targets": 150, "rate": 149 / 150}


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1])
def test_permutations_of_the_correspondence_are_seen_through(run, households, share):
    """Y = X, and a part of the correspondence is shuffled among itself so that nothing stays where it was."""
    moved = np.random.default_rng(3).permutation(200)[: round(200 * share)]
    claimed = np.arange(200)
    claimed[moved] = np.roll(moved, 1)
    found = judged(run, households, households, claimed)
    assert found["attacks"]["EUC2"]["hits"] <= 200 - len(moved) + 5
    assert found["aya"]["hits"] >= 195


def test_rotated_and_random_correspondences_are_seen_through(run, households):
    for claimed in (np.roll(np.arange(200), 1), np.random.default_rng(5).permutation(200)):
        found = judged(run, households, households, claimed)
        assert max(attack["rate"] for attack in found["attacks"].values()) < 0.1
        assert found["aya"]["rate"] > 0.97


def test_an_honest_release_gains_nothing_from_aya(run, households):
    rng = np.random.default_rng(1)
    order = rng.permutation(200)
    noisy = households[order].with_columns(pl.col("food") + pl.Series(rng.integers(-50, 50, 200)))
    found = judged(run, households, noisy, order)
    best = max(attack["rate"] for attack in found["attacks"].values())
    assert found["aya"]["rate"] <= best + 0.02


def test_the_organisers_limits_are_told_in_sentences(run, households):
    found = judged(run, households, households[:190], range(190), limits={"U6": 9, "k_min": 2, "U5": 0.5})
    assert found["broken"] == [
        "U6 is above 9, the largest value that is allowed",
        "S1 is below 2, the smallest value that is allowed",
    ]


def test_a_limit_on_what_the_contest_does_not_measure_has_it_measured(run, households):
    assert contests.get("pwscup2015").play({"l_distinct": 2}).measures[-1] == "l_distinct"
    found = judged(run, households, households, range(200), limits={"l_distinct": 2})
    assert found["measures"]["l_distinct"]["value"] == 1
    assert found["broken"] == ["l_distinct is below 2, the smallest value that is allowed"]


def test_a_measure_without_a_value_breaks_the_release():
    measured = {
        "U1": MeasureResult("U1", None, "lower", "0", note="no numbers"),
        "S1": MeasureResult("S1", 3, "higher", ""),
    }
    assert bounds.broken(measured, [Gate("S1", 2, "min")], ["U1"]) == [
        "U1 has no value on this release (no numbers), and a release must have one"
    ]
    infinite = {"U1": MeasureResult("U1", float("inf"), "lower", "0")}
    assert "the numbers are too large" in bounds.broken(infinite, [], ["U1"])[0]
