"""The attacker who knows the recipe of a history."""

from __future__ import annotations

import numpy as np
import pytest

import icefire
from icefire.attacks.histories.link.attack import link
from icefire.attacks.histories.replay import replay
from icefire.audit.kinds import adapter_of
from icefire.core.history import HistoryCase
from icefire.recipe import load, run_recipe
from icefire.recipe.replay import replayed_copies

GOODS = {"method": "generalize_goods", "prefix": 2}
NO_PROFILE = {"method": "drop_profile"}


@pytest.fixture(scope="module")
def shop():
    return icefire.sample("shop", rows=100)


def case_with_recipe(shop, *steps):
    recipe = load({"steps": [NO_PROFILE, *steps]}, 5)
    release = run_recipe(shop, recipe)
    released, order = adapter_of(shop).shuffle(release.released, np.random.default_rng(1))
    return HistoryCase(shop, released, replayed=replayed_copies(shop, recipe)), release.truth.rows[order]


@pytest.mark.parametrize(
    "steps",
    [
        (GOODS, {"method": "coarsen_dates", "to": "quarter"}, {"method": "delete_purchases", "share": 0.3}),
        (GOODS, {"method": "round_purchases"}, {"method": "change_pseudonyms", "period": "month"}),
        ({"method": "delete_purchases", "share": 0.2}, GOODS),
    ],
    ids=lambda steps: " ".join(step["method"] for step in steps),
)
def test_it_is_never_weaker_than_link(shop, steps):
    case, truth = case_with_recipe(shop, *steps)
    guess = replay(case, rng=np.random.default_rng(1)).checked(case.targets, case.choices)
    plain = link(case, rng=np.random.default_rng(1))
    assert (guess.first == truth).mean() >= (plain.first == truth).mean() - 0.03
    assert (guess.first == truth).mean() > 0.5


def test_without_a_recipe_there_is_no_answer(shop):
    case, _ = case_with_recipe(shop, GOODS)
    guess = replay(HistoryCase(shop, case.released), rng=np.random.default_rng(1))
    assert (guess.first == -1).all()


def test_an_audit_of_a_release_folder_runs_it_and_guesses_nothing(shop, tmp_path):
    release = icefire.anonymize(shop, {"steps": [NO_PROFILE, GOODS]})
    card = icefire.audit(shop, release, attacks=["link", "replay"], measures=[]).scorecard
    assert card.replay.repeated == ["drop_profile", "generalize_goods (prefix = 2)"]
    card = icefire.audit(
        shop, release.released, truth=release.truth, attacks=["link", "replay"], measures=[], method_known=True
    ).scorecard
    assert any("guesses recipes of tables only" in reason.text for reason in card.verdict.reasons)
