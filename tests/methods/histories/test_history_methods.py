"""All methods on histories keep the contract, and the recipes for shops run."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from support.history_methods import applied, histories
from support.places import RECIPES

import icefire
from icefire import recipe, testing
from icefire.core import registry
from icefire.core.dataset import ORIGIN
from icefire.core.history import groups
from icefire.methods.histories.clustering import minimal
from icefire.recipe import run_recipe

RECIPES = sorted((RECIPES).glob("shop_*.toml"))
OURS = {
    "dummies", "suppress_rare_goods", "delete_purchases", "generalize_goods", "change_pseudonyms", "rename_receipts",
    "coarsen_dates", "drop_profile", "round_purchases", "merge_purchases",
}  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Little annealing: these histories have a few customers."""
    monkeypatch.setattr(minimal, "TRIES_PER_SUBJECT", 500)


# -- all of them ---------------------------------------------------------------------------------------------


def test_every_method_is_registered():
    assert {entry.name for entry in registry.entries("method", "history")} >= OURS


@pytest.mark.parametrize("name", sorted(OURS))
def test_the_contract_is_kept(name):
    testing.check("method", name)


@pytest.mark.parametrize("name", sorted(OURS))
@settings(max_examples=15, deadline=None)
@given(data=histories())
def test_the_same_seed_gives_the_same_bytes_and_every_row_knows_its_customer(name, data):
    given = {"k": 1} if name == "suppress_rare_goods" else {}
    once, again = (applied(name, data, 3, **given) for _ in range(2))
    assert once.frame.equals(again.frame)
    assert once.customers.equals(again.customers)
    names = once.frame[once.fields.subject].str.split("/").list.first().to_list()
    assert names == [data.names[number] for number in once.frame[ORIGIN]]


# -- recipes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_recipes_for_shops_run(path):
    shop = icefire.sample("shop")
    release = run_recipe(shop, recipe.load(path))
    sizes = groups.sizes(groups.labels(release.released.baskets))
    assert len(sizes) == 50
    assert sizes.min() >= 8
    text = path.read_text(encoding="utf-8")
    assert all(word in text for word in ("# Against: ", "# Keeps: ", "# Costs: "))


def test_there_are_two_recipes_for_shops():
    assert [path.stem for path in RECIPES] == ["shop_paper", "shop_strong"]
