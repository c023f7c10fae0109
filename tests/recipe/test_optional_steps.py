"""Optional steps are left out of data without their columns; the recipes for histories work on any history."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from support.commands import run_icefire
from support.places import ROOT
from support.smallshop import history

import icefire
from icefire import recipe
from icefire.core.errors import ParameterError
from icefire.recipe.explain import explain

RENAME = {"method": "rename_receipts", "per": "customer"}
OPTIONAL = {"step": [{**RENAME, "optional": True}]}


def minimal(*columns):
    """Forty people who bought three of seven goods each."""
    rows = [(i, (i * j) % 7, f"2024-{1 + i % 12:02d}-{1 + j:02d}") for i in range(40) for j in (1, 2, 4)]
    frame = pl.DataFrame(rows, schema=["who", "what", "day"], orient="row").cast({"who": pl.String, "what": pl.String})
    named = {"date": "day"} if "day" in columns else {}
    return icefire.read(frame.select("who", "what", *columns), subject="who", item="what", **named)


@pytest.mark.parametrize("name", ["shop_paper", "shop_strong"])
@pytest.mark.parametrize("columns", [("day",), ()])
def test_recipes_for_histories_work_without_receipts_customers_and_prices(name, columns):
    data = minimal(*columns)
    path = ROOT / "examples" / "recipes" / f"{name}.toml"
    assert recipe.review(path, data).fine
    release = icefire.anonymize(data, path, seed=3)
    goods = release.released.frame.group_by("who").agg(pl.col("what").unique().sort())
    assert goods.group_by("what").len()["len"].min() >= 8
    if columns and name == "shop_strong":
        assert release.released.frame["day"].n_unique() == 1


def test_without_optional_a_missing_column_is_an_error():
    with pytest.raises(ParameterError, match="rename_receipts needs a receipt column"):
        icefire.anonymize(minimal(), {"step": [RENAME]})


def test_a_step_that_was_left_out_is_noted_and_can_be_repeated_from_the_scorecard():
    data = minimal()
    release = icefire.anonymize(data, OPTIONAL, seed=3)
    step = release.recipe["steps"][0]
    assert step["notes"] == {"not_applied": "no receipt"}
    assert step["optional"] is True
    again = recipe.load({"steps": [{key: value for key, value in step.items() if key != "notes"}]}, 3)
    assert again == recipe.load(OPTIONAL, 3)
    assert explain(again, data).steps[0].effect.nothing


def test_an_optional_step_does_on_data_with_the_column_what_it_does_otherwise():
    plain = icefire.anonymize(history(), {"step": [RENAME]}, seed=3).released
    optional = icefire.anonymize(history(), OPTIONAL, seed=3)
    assert optional.released.frame.equals(plain.frame)
    assert "not_applied" not in optional.recipe["steps"][0]["notes"]


def test_optional_is_true_or_false():
    review = recipe.review({"step": [{**RENAME, "optional": "yes"}]})
    assert [fault.text for fault in review.faults] == ["recipe step 1: optional is 'yes'; it is true or false"]


def test_the_command_says_what_was_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    minimal().frame.write_csv("x.csv")
    steps = [{**RENAME, "optional": True}, {"method": "merge_purchases"}]
    tables = ["[[step]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in step.items()) for step in steps]
    Path("r.toml").write_text("\n".join(tables))
    done = run_icefire(capsys, "anonymize", "x.csv", "-r", "r.toml", "-o", "out", "--subject", "who", "--item", "what")
    assert done.code == 0
    assert "rename_receipts was left out" in done.err
