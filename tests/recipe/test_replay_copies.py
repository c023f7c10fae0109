"""What can be repeated of a recipe without its seed."""

from __future__ import annotations

import numpy as np
import pytest

import icefire
from icefire import recipe
from icefire.core import registry
from icefire.core.dataset import ORIGIN
from icefire.core.errors import ParameterError
from icefire.core.registry import method
from icefire.recipe import gallery
from icefire.recipe.replay import replayed_copies, words

K5 = {"method": "k_anonymize", "k": 5}
NOISE = {"method": "noise", "scale": 0.2}


def copies(data, *steps, seed=1):
    return replayed_copies(data, recipe.load({"steps": list(steps)}, seed))


def test_steps_that_draw_nothing_give_the_released_rows_again(households):
    (copy,) = copies(households, K5, {"method": "average"})
    release = recipe.run_recipe(households, recipe.load({"steps": [K5, {"method": "average"}]}, 7))
    assert copy.complete
    assert ORIGIN not in copy.data.frame.columns
    ordered = release.released.frame[np.argsort(release.truth.rows)]
    assert copy.data.frame.equals(ordered)


def test_the_seed_of_the_recipe_has_no_part_in_it(households):
    one, other = (copies(households, K5, NOISE, {"method": "average"}, seed=seed) for seed in (1, 2))
    assert len(one) == len(other) == 2
    assert all(a.data.frame.equals(b.data.frame) for a, b in zip(one, other, strict=True))


def test_steps_that_draw_are_left_out_and_those_after_them_are_tried_both_ways(households):
    listed = [copy.steps for copy in copies(households, K5, NOISE, {"method": "round_values", "base": 1000})]
    rounding = "round_values (base = 1000.0)"
    assert listed == [("k_anonymize (k = 5)", rounding), ("k_anonymize (k = 5)",)]
    assert not any(copy.complete for copy in copies(households, K5, NOISE))


def test_many_doubtful_steps_are_not_tried_in_every_combination(households):
    rounding = [{"method": "round_values", "base": base, "columns": ["food"]} for base in (10, 100, 1000, 5000, 7)]
    assert len(copies(households, NOISE, *rounding)) <= 7


def test_a_recipe_that_only_draws_leaves_nothing_to_repeat(households):
    assert copies(households, NOISE, {"method": "swap"}) == ()


def test_rows_left_out_keep_their_numbers(households):
    coarse = icefire.read(households.frame, qi=["region", "members"], sa=households.sa)
    (copy,) = copies(coarse, {"method": "suppress_rows", "k": 12})
    assert 0 < copy.data.height < 500
    assert copy.data.frame["food"].equals(households.frame["food"][copy.rows])


def test_the_secret_of_pseudonyms_is_not_opened(households, tmp_path):
    secret = tmp_path / "secret.bin"
    secret.write_bytes(b"0123456789abcdef")
    step = {"method": "pseudonyms", "kind": "keyed_hash", "secret_file": str(secret), "columns": ["region"]}
    assert copies(households, step) == ()


def test_a_method_of_ones_own_is_repeated_only_if_it_says_that_it_draws_nothing(households, monkeypatch):
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))

    def halved(data, *, rng):
        """Halve the food."""
        return data.with_columns((data.frame["food"] // 2).alias("food"))

    method("halved_declared", draws=False, drops_rows=False)(halved)
    method("halved_silent")(halved)
    assert len(copies(households, {"method": "halved_declared"})) == 1
    assert copies(households, {"method": "halved_silent"}) == ()


def test_a_recipe_for_other_data_is_refused(households):
    with pytest.raises(ParameterError, match="is for a history"):
        copies(households, {"method": "coarsen_dates"})


def test_a_history_is_repeated_by_subject():
    shop = icefire.sample("shop", rows=100)
    (copy,) = copies(shop, {"method": "generalize_goods", "prefix": 2}, {"method": "round_purchases"})
    assert copy.data.subjects == shop.subjects
    assert copy.rows.tolist() == list(range(shop.subjects))
    assert ORIGIN not in copy.data.frame.columns


def test_the_gallery_goes_by_name():
    assert {"contest_d10", "teaching_file"} <= set(gallery.names())
    assert [words(step) for step in recipe.load("contest_d10").steps] == ["k_anonymize (k = 41)", "average"]
    with pytest.raises(icefire.InputError, match=r"one of the gallery: .*contest_d10"):
        recipe.load("contest_d11")
