"""Recipes guessed from the released values."""

from __future__ import annotations

import pytest

from icefire import recipe
from icefire.recipe.likely import likely_recipes
from icefire.recipe.replay import words

K5 = {"method": "k_anonymize", "k": 5}


def guessed(data, *steps, seed=2):
    """Return the fullest likely recipe in words."""
    release = recipe.run_recipe(data, recipe.load({"steps": list(steps)}, seed))
    listed = likely_recipes(data, release.released.frame)
    return [words(step) for step in listed[0].steps] if listed else []


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([K5, {"method": "noise", "scale": 0.3}], ["k_anonymize (k = 5)"]),
        ([K5, {"method": "average"}], ["k_anonymize (k = 5)", "average"]),
        ([K5, {"method": "microaggregate", "k": 4}], ["k_anonymize (k = 5)", "microaggregate (k = 4, columns"]),
        ([{"method": "round_values", "base": 500}], ["round_values (base = 500.0, columns"]),
        ([{"method": "noise", "scale": 0.2}], []),
        ([{"method": "pram", "keep": 0.5}, {"method": "rank_swap", "p": 20}], []),
        ([{"method": "synthesize"}], []),
    ],
    ids=str,
)
def test_steps_are_read_from_the_values(households, steps, expected):
    seen = guessed(households, *steps)
    assert len(seen) == len(expected)
    assert all(step.startswith(words) for step, words in zip(seen, expected, strict=True))


def test_a_limit_shows_in_the_largest_value(households):
    seen = guessed(households, {"method": "top_code", "value": 80000, "columns": ["food"]})
    assert seen == ["top_code (value = 80000.0, columns = food)"]


def test_blank_columns_are_no_sign_of_a_k(households):
    listed = guessed(households, {"method": "suppress_columns", "columns": ["region"]}, {"method": "noise"})
    assert listed == ["suppress_columns (columns = region)"]


def test_the_original_itself_suggests_nothing(households):
    assert likely_recipes(households, households.frame) == []
