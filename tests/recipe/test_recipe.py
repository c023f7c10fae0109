"""Recipes: steps in order, seeds that do not disturb one another, releases that keep their truth."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire import recipe
from icefire.core.errors import ParameterError
from icefire.io.marker import MARKER
from icefire.recipe import tables


def released(data, *steps, seed=7):
    return icefire.anonymize(data, {"seed": seed, "step": list(steps)})


def in_original_order(release):
    return release.released.frame[np.argsort(release.truth.rows)]


NOISE = {"method": "noise", "columns": ["food"]}


def test_inserting_a_step_does_not_change_the_draws_of_the_others(households):
    alone = in_original_order(released(households, NOISE))
    after = in_original_order(
        released(households, {"method": "noise", "columns": ["medical"]}, {"method": "unify"}, NOISE)
    )
    assert alone["food"].equals(after["food"])


def test_the_same_step_twice_draws_twice(households):
    once = in_original_order(released(households, NOISE))["food"]
    twice = in_original_order(released(households, NOISE, NOISE))["food"]
    before = households.frame["food"]
    first, second = (once - before).to_numpy(), (twice - once).to_numpy()
    assert not np.array_equal(first, second)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(households, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        icefire.anonymize(households, {"step": [NOISE, {"method": "swap"}]}, seed=seed, output=tmp_path / name)
    folders = {name: (tmp_path / name, tmp_path / f"{name}.secret") for name in "abc"}
    contents = {
        name: {path.name: path.read_bytes() for place in places for path in place.iterdir() if path.name != MARKER}
        for name, places in folders.items()
    }
    assert contents["a"] == contents["b"]
    assert contents["a"]["released.csv"] != contents["c"]["released.csv"]
    assert set(contents["a"]) == {"released.csv", "scorecard.json", "truth.csv", "seed.txt"}


def test_steps_run_in_order(households):
    first = released(households, {"method": "average"}, {"method": "unify", "columns": list(households.qi)})
    second = released(households, {"method": "unify", "columns": list(households.qi)}, {"method": "average"})
    assert first.released.frame["food"].n_unique() > 1
    assert second.released.frame["food"].n_unique() == 1


def test_the_truth_follows_rows_through_deletion_and_shuffling(households):
    release = released(households, {"method": "delete", "share": 0.2})
    assert release.released.height == 400
    assert release.released.frame.equals(households.frame[release.truth.rows])


def test_a_release_is_shuffled_on_publication(households):
    truth = released(households, NOISE).truth.rows
    assert sorted(truth) == list(range(households.height))
    assert (truth == np.arange(households.height)).mean() < 0.02


def test_the_recipe_as_run_names_every_parameter_and_what_steps_noted(households):
    release = released(households, {"method": "k_anonymize", "k": 4}, {"method": "delete"})
    first, second = release.recipe["steps"]
    assert (first["method"], first["k"]) == ("k_anonymize", 4)
    assert first["notes"]["regions"] > 10
    assert second == {"method": "delete", "share": 0.1, "notes": {"suppressed": 50}}


def test_a_recipe_file_with_step_or_steps_is_read(tmp_path):
    for word in ("step", "steps"):
        path = tmp_path / f"{word}.toml"
        path.write_text(f'seed = 3\n[[{word}]]\nmethod = "noise"\nscale = 0.5\n')
        loaded = recipe.load(path)
        assert (loaded.seed, loaded.steps[0].parameters["scale"]) == (3, 0.5)
    assert recipe.load(path, seed=9).seed == 9


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_release_folder_comes_back_as_it_went(households, tmp_path, kind):
    made = icefire.anonymize(households, {"step": [{"method": "noise"}]}, output=tmp_path / "out", kind=kind)
    found = icefire.audit(households, tmp_path / "out", attacks=["euc1"])
    assert found.records["original_row"].to_list() == made.truth.rows.tolist()
    assert found.scorecard.recipe == made.recipe
    assert found.scorecard.provenance.correspondence == "by the truth kept with the release"


def test_a_method_that_needs_a_role_is_refused_before_anything_runs(households):
    data = icefire.read(households.frame, qi=households.qi, sa=())
    with pytest.raises(ParameterError, match="recipe step 2: noise needs a numeric sa column"):
        released(data, {"method": "unify"}, {"method": "noise"})


@pytest.fixture
def people():
    """Six people with a name and a number that must not be released."""
    frame = {"name": list("abcdef"), "number": list(range(6)), "age": [1, 1, 2, 2, 3, 3], "pay": [1, 2, 3, 4, 5, 6]}
    return icefire.read(pl.DataFrame(frame), qi=["age"], sa=["pay"], ids=["name", "number"])


def test_identifiers_are_left_out_of_a_release(people):
    assert released(people, {"method": "noise"}).released.frame.columns == ["age", "pay"]


def test_identifiers_that_became_pseudonyms_are_released(people):
    release = released(people, {"method": "pseudonyms", "columns": ["name"]}, {"method": "delete", "share": 0.5})
    assert release.released.frame.columns == ["name", "age", "pay"]
    assert release.released.height == 3
    assert not set(release.released.frame["name"]) & set("abcdef")
    audited = icefire.audit(people, release, attacks=["euc1"])
    assert audited.scorecard.attacks["euc1"].hits == 3


def test_a_method_says_by_a_note_which_identifiers_it_made_safe(people):
    carried = people.with_frame(people.frame.with_columns(pl.Series("__origin__", range(6))))
    noted = {"steps": [{"method": "mine", "notes": {"released_ids": ["number"]}}, {"method": "noise"}]}
    assert tables.publish(carried, carried, noted, 1).released.frame.columns == ["number", "age", "pay"]
    assert tables.publish(carried, carried, {"steps": []}, 1).released.frame.columns == ["age", "pay"]
