"""First recipes: written for any table or history, fine for it, and safe to write."""

from __future__ import annotations

import tomllib

import polars as pl
import pytest
from support.commands import run_icefire
from support.smallshop import history

import icefire
from icefire import recipe
from icefire.audit import policy
from icefire.core.errors import ParameterError
from icefire.recipe.draft import first_recipe
from icefire.recipe.draft.columns import coarsening, is_free_text


def parsed(data, k=5):
    return tomllib.loads(first_recipe(data, k, "trusted"))


def steps(data, k=5):
    return [step["method"] for step in parsed(data, k)["step"]]


def unknown(rows=60):
    """A table with names and values that no sample has."""
    return pl.DataFrame(
        {
            'q "1"': [f"{i * 1597 % 90000:05d}" for i in range(rows)],
            "名前": [f"Person number {i} of this table" for i in range(rows)],
            "d": [f"{1930 + i % 70}-0{1 + i % 9}-11" for i in range(rows)],
            "v": [i * 37 % 59 for i in range(rows)],
            "town": [f"Town {chr(65 + i % 25)}" for i in range(rows)],
            "s": [float(i * i % 101) for i in range(rows)],
            "remark": ["seen"] * rows,
            "extra": list(range(rows)),
        }
    )


@pytest.mark.parametrize("name", ["households", "hospital", "survey"])
def test_the_first_recipe_of_a_sample_is_fine_and_runs(name):
    data = icefire.sample(name, 120)
    written = parsed(data)
    assert recipe.review(written, data).fine
    released = icefire.anonymize(data, written, seed=1).released
    assert released.frame.group_by(data.qi).len()["len"].min() >= 5
    assert steps(data)[-2:] == ["k_anonymize", "swap"]


def test_dates_and_codes_of_a_hospital_are_made_coarser():
    written = parsed(icefire.sample("hospital", 200))
    ways = {step["columns"][0]: step for step in written["step"] if step["method"] == "generalize"}
    assert ways["born"]["unit"] == "decade"
    assert ways["admitted"]["unit"] in ("quarter", "month")
    assert 1 <= ways["postcode"]["prefix"] < 5


def test_the_first_recipe_of_a_table_with_unknown_names_is_fine_and_hides_free_text():
    data = icefire.read(unknown(), qi=['q "1"', "名前", "d", "v", "town"], sa=["s"])
    text = first_recipe(data, 5, "trusted")
    assert '# groups.a_name_of_the_group = ["Town A", "Town B"]' in text
    written = tomllib.loads(text)
    assert recipe.review(written, data).fine
    released = icefire.anonymize(data, written, seed=1).released.frame
    assert released["名前"].unique().to_list() == ["*"]
    assert released["remark"].unique().to_list() == ["*"]
    assert released["extra"].to_list() != data.frame["extra"].to_list()
    assert written["step"][-1] == {"method": "swap", "columns": ["s", "extra"]}


def test_examples_of_groups_are_valid_once_they_are_filled_in():
    data = icefire.read(unknown(), qi=["town"], sa=["s"])
    lines = first_recipe(data, 5, "trusted").splitlines()
    start = lines.index("# [[step]]")
    example = "\n".join(line.removeprefix("# ") for line in lines[start : start + 5])
    assert recipe.review(tomllib.loads(example), data).fine


def test_without_quasi_identifiers_or_sensitive_columns_another_step_is_chosen():
    assert steps(icefire.read(unknown(), qi=[], sa=["s"]))[-1] == "shuffle"
    assert steps(icefire.read(unknown(), qi=["v"], sa=[]))[-2:] == ["k_anonymize", "suppress_columns"]
    with pytest.raises(ParameterError, match="no column is a quasi-identifier or sensitive"):
        first_recipe(icefire.read(unknown(), qi=[], sa=[]), 5, "trusted")
    with pytest.raises(ParameterError, match="classes of 11, but the table has 10 rows"):
        first_recipe(icefire.read(unknown(10), qi=["v"], sa=["s"]), 11, "public")


def test_the_first_recipe_of_a_history_has_the_steps_that_apply():
    data = icefire.sample("shop", 40)
    assert steps(data)[:1] == ["drop_profile"]
    assert recipe.review(parsed(data), data).fine
    minimal = icefire.read(data.frame.select("customer", "goods"), subject="customer", item="goods")
    assert steps(minimal) == ["merge_purchases", "dummies"]
    assert recipe.review(parsed(minimal), minimal).fine
    icefire.anonymize(minimal, parsed(minimal), seed=1)
    with pytest.raises(ParameterError, match="clusters of 8, but only 5 people"):
        first_recipe(history(), 5, "trusted")


@pytest.mark.parametrize(
    ("values", "way"),
    [
        ([1, 2, 3], None),
        (list(range(100)), ("width", 10)),
        (["a", "b"], None),
        ([None, None], None),
        (["2020-01-01", "2020-01-01"], None),
        ([f"AB{i:03d}" for i in range(100)], ("prefix", 4)),
    ],
)
def test_how_a_column_is_made_coarser(values, way):
    chosen = coarsening(pl.Series("x", values))
    assert (chosen and (chosen.parameter, chosen.value)) == way


def test_codes_and_dates_are_no_free_text():
    assert is_free_text(pl.Series([f"word {i} and others" for i in range(40)]))
    assert not is_free_text(pl.Series([f"AB{i}" for i in range(40)]))
    assert not is_free_text(pl.Series([f"20{10 + i}-01-01" for i in range(40)]))


def test_a_policy_names_the_least_class():
    assert [policy.load(name).least_class for name in policy.BUILT_IN] == [11, 5, 3]


def test_init_writes_a_file_once_and_prints_without_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    unknown().write_csv("x.csv")
    roles = ["--qi", "d,v", "--sa", "s"]
    printed = run_icefire(capsys, "recipe", "init", "x.csv", *roles, "--policy", "trusted")
    assert printed.code == 0
    assert "k = 5" in printed.out
    tomllib.loads(printed.out)
    first = run_icefire(capsys, "recipe", "init", "x.csv", *roles, "-o", "r.toml")
    again = run_icefire(capsys, "recipe", "init", "x.csv", *roles, "-o", "r.toml")
    over_data = run_icefire(capsys, "recipe", "init", "x.csv", *roles, "-o", "x.csv", "--force")
    assert (first.code, again.code, over_data.code) == (0, 2, 2)
    assert run_icefire(capsys, "recipe", "check", "r.toml", "x.csv", *roles).code == 0
    assert run_icefire(capsys, "recipe", "init", "x.csv", "-o", "s.toml").code == 2
    assert not (tmp_path / "s.toml").exists()
