"""The recipes of the gallery work, and the docs tell what they really achieve."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import polars as pl
import pytest
from support.places import ROOT

import icefire
from icefire import recipe
from icefire.core.errors import ParameterError

GALLERY = sorted((ROOT / "examples" / "recipes").glob("*.toml"))
PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")


def named(path: Path) -> str:
    return path.stem


@pytest.fixture(scope="module")
def maker():
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("make_recipes", ROOT / "docs" / "make_recipes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def few():
    return icefire.sample("households", 300)


@pytest.fixture(scope="module")
def hospital():
    return icefire.sample("hospital", 100)


@pytest.mark.parametrize("path", [path for path in GALLERY if path.stem.startswith("shop_")], ids=named)
def test_a_recipe_for_histories_is_fine_and_runs(path):
    shop = icefire.sample("shop", 400)
    found = recipe.review(path, shop)
    assert found.fine, found.faults
    assert found.hints == ()


@pytest.mark.parametrize("path", [path for path in GALLERY if not path.stem.startswith("shop_")], ids=named)
def test_a_recipe_of_the_gallery_is_fine_and_runs(path, few):
    found = recipe.review(path, few)
    assert found.fine, found.faults
    assert [hint.text for hint in found.hints if hint.kind != "warning"] == []
    release = icefire.anonymize(few, path)
    assert 30 <= release.released.height <= 300
    assert release.released.frame.columns == few.frame.columns


@pytest.mark.parametrize("path", [path for path in GALLERY if not path.stem.startswith("shop_")], ids=named)
def test_a_recipe_of_the_gallery_fits_a_table_of_other_columns(path, hospital):
    found = recipe.review(path, hospital)
    assert found.fine, found.faults


CONTEST_ENTRIES = ("contest_d2", "contest_d10")
"""They consist of averages, so that they need sensitive numbers and say so."""


@pytest.mark.parametrize("roles", ["numbers and categories", "categories", "nothing sensitive"])
@pytest.mark.parametrize("path", [one for one in GALLERY if not one.stem.startswith("shop_")], ids=named)
def test_a_recipe_of_the_gallery_works_whatever_is_sensitive(path, roles):
    rows = range(200)
    table = pl.DataFrame(
        {
            "age": [20 + (7 * i) % 50 for i in rows],
            "town": [f"t{(3 * i) % 4}" for i in rows],
            "illness": [("flu", "asthma", "none")[(i * i) % 3] for i in rows],
            "pay": [1000 + 37 * i for i in rows],
        }
    )
    sensitive = {"numbers and categories": ["illness", "pay"], "categories": ["illness"], "nothing sensitive": []}[
        roles
    ]
    data = icefire.read(table.select("age", "town", *sensitive), qi=["age", "town"], sa=sensitive or None)
    if path.stem in CONTEST_ENTRIES and "pay" not in sensitive:
        with pytest.raises(ParameterError, match="average needs a numeric sa column"):
            icefire.anonymize(data, path)
        return
    assert recipe.review(path, data).fine
    release = icefire.anonymize(data, path, seed=2)
    kept = data.frame[release.truth.rows]
    if "illness" in sensitive and path.stem not in ("cheating_permutation", *CONTEST_ENTRIES):
        assert release.released.frame["illness"].to_list() != kept["illness"].to_list()
    assert not release.released.frame["age"].dtype.is_numeric() or release.released.frame["age"].max() > 0


@pytest.mark.parametrize("path", GALLERY, ids=named)
def test_a_recipe_of_the_gallery_says_what_it_is_for_and_is_shown_as_it_is(path):
    text = path.read_text(encoding="utf-8")
    for word in ("# Against: ", "# Keeps: ", "# Costs: "):
        assert word in text, word
    assert f"<!-- recipe: {path.stem} -->\n```toml\n{text.rstrip()}\n```" in PAGE, "run python docs/make_recipes.py"


def test_the_page_names_every_recipe_once(maker):
    assert sorted(maker.names()) == [path.stem for path in GALLERY]
    assert "seed" not in "".join(path.read_text() for path in GALLERY), "a seed in a gallery would be used for real"


def test_every_recipe_but_the_warnings_passes_under_the_policy_of_its_purpose(maker):
    for name, policy in maker.POLICIES.items():
        words = "does not pass" if name in maker.WARNINGS else "passes"
        assert f"| [{name}](#{name}) | {policy}: {words} |" in PAGE
    assert sorted(maker.POLICIES) == sorted(maker.names())


def shown(maker, name):
    return maker.block(name, maker.measure(name, maker.data_for(name)))


@pytest.mark.heavy
@pytest.mark.parametrize("path", GALLERY, ids=named)
def test_the_numbers_of_every_recipe_are_those_of_a_fresh_run(path, maker):
    assert shown(maker, path.stem) in PAGE, "run python docs/make_recipes.py"


def test_an_attacker_leaves_out_what_was_blanked_or_recoded(maker, few):
    made = few.frame.with_columns(
        region=pl.lit("metro"), members=pl.lit("many people"), workers=pl.col("workers").cast(str)
    )
    known = maker.comparable(few.frame, made, few.qi)
    assert "region" not in known
    assert "members" not in known
    assert "workers" in known


def test_every_command_of_every_group_is_in_the_docs():
    from icefire.cli.app import application

    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for group in application().registered_groups:
        assert f"## icefire {group.name}" in text, group.name
        for command in group.typer_instance.registered_commands:
            assert f"icefire {group.name} {command.name or command.callback.__name__}" in text


def test_a_date_that_differs_in_every_row_is_blanked_to_one_label_and_the_release_can_be_audited():
    rows = range(40)
    frame = pl.DataFrame(
        {
            "born": [f"{1950 + i}-01-{1 + i % 28:02}" for i in rows],
            "sex": ["mf"[i % 2] for i in rows],
            "income": [1000 + 37 * i % 500 for i in rows],
        }
    )
    people = icefire.read(frame, qi=["born", "sex"], sa=["income"])
    release = icefire.anonymize(people, ROOT / "examples" / "recipes" / "statistical_office.toml", seed=1)
    assert release.released.frame["born"].unique().to_list() == ["*"]
    audited = icefire.audit(people, release, attacks=["id_sa"], measures=["k_min"])
    assert audited.scorecard.measures["k_min"].value >= 5
