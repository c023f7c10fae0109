"""Which methods made a release: methods recognised, evidence, and inputs that cannot be answered."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest
from support.commands import run_icefire

import icefire
from icefire.audit.fingerprint.methods import METHODS, NAMES, PERMUTE_INDEX, recognised_as
from icefire.audit.fingerprint.trees import MODEL_FILE, trained_model
from icefire.core import registry
from icefire.core.dataset import Dataset
from icefire.core.release import Release
from icefire.studies import households

ROWS = 400


@pytest.fixture(scope="module")
def people() -> Dataset:
    """A table with classes: few quasi-identifiers, numbers that hang together."""
    rng = np.random.default_rng(11)
    age = rng.integers(20, 60, ROWS)
    income = np.rint(1000 * np.exp(0.02 * age + 0.5 * rng.standard_normal(ROWS))).astype(int)
    rent = np.rint(0.3 * income + 100 * rng.standard_normal(ROWS)).astype(int)
    frame = pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], ROWS),
            "region": rng.choice(["north", "south", "east", "west"], ROWS, p=[0.4, 0.3, 0.2, 0.1]),
            "age": age // 4 * 4,
            "income": income,
            "rent": rent,
            "weight": np.round(70 + 10 * rng.standard_normal(ROWS) + 0.2 * age, 1),
        }
    )
    data: Dataset = icefire.read(frame, qi=["sex", "region", "age"], sa=["income", "rent", "weight"])
    return data


def release(people: Dataset, *steps: dict[str, object]) -> Release[Dataset]:
    return households.make_release(people, list(steps), 3)


CASES = {
    "k_anonymize": {"method": "k_anonymize", "k": 6},
    "local_suppress": {"method": "local_suppress", "k": 4},
    "suppress_cells": {"method": "suppress_cells", "share": 0.15},
    "unify": {"method": "unify", "columns": ["region"]},
    "delete": {"method": "delete", "share": 0.2},
    "noise": {"method": "noise", "scale": 0.3},
    "round_values": {"method": "round_values", "base": 100, "columns": ["income", "rent"]},
    "top_code": {"method": "top_code", "quantile": 0.9},
    "microaggregate": {"method": "microaggregate", "k": 4},
    "average": {"method": "average"},
    "swap": {"method": "swap"},
    "rank_swap": {"method": "rank_swap", "p": 8},
    "shuffle": {"method": "shuffle", "columns": ["income", "weight"]},
    "pram": {"method": "pram", "keep": 0.6},
    "synthesize": {"method": "synthesize"},
}


@pytest.mark.parametrize("name", CASES)
def test_a_single_method_is_recognised_and_says_why(people: Dataset, name: str) -> None:
    recognised = icefire.fingerprint(people, release(people, CASES[name]).released.frame)
    assert recognised.recognised == [name]
    assert recognised.methods[0].evidence
    assert all(trace.weight > 0 for trace in recognised.methods[0].evidence)


def test_two_methods_are_recognised_together(people: Dataset) -> None:
    both = release(people, {"method": "k_anonymize", "k": 5}, {"method": "round_values", "base": 100})
    assert set(icefire.fingerprint(people, both.released.frame).recognised) == {"k_anonymize", "round_values"}


def test_classes_made_beside_a_constant_column_are_recognised(people: Dataset) -> None:
    unified = {"method": "unify", "columns": ["sex", "region"]}
    finer = people.with_columns((people.frame["age"] + pl.Series(np.arange(ROWS) % 4)).alias("age"))
    both = release(finer, unified, {"method": "k_anonymize", "k": 12})
    recognised = icefire.fingerprint(finer, both.released.frame)
    assert set(recognised.recognised) == {"unify", "k_anonymize"}
    alone = icefire.fingerprint(people, release(people, unified).released.frame)
    assert alone.recognised == ["unify"]


def test_nothing_is_recognised_in_the_original_itself(people: Dataset) -> None:
    recognised = icefire.fingerprint(people, people.frame)
    assert recognised.recognised == []
    assert "No method is recognised" in recognised.notes[0]


def test_a_false_correspondence_shows_with_the_truth_alone(people: Dataset) -> None:
    cheat = release(people, {"method": "permute_index"})
    judged = icefire.fingerprint(people, cheat)
    assert judged.recognised == ["permute_index"]
    assert "cannot be right" in judged.methods[0].evidence[0].text
    assert judged.compared_by == "learned from both tables; the correspondence given is false"
    alone = icefire.fingerprint(people, cheat.released.frame)
    assert alone.recognised == []
    assert "permute_index" not in {one.method for one in alone.methods}


def test_the_truth_is_used_where_it_is_known(people: Dataset) -> None:
    swapped = release(people, {"method": "swap"})
    judged = icefire.fingerprint(people, swapped)
    assert judged.compared_by == "the truth"
    assert judged.recognised == ["swap"]
    assert {one.method for one in judged.methods} == {*NAMES, "permute_index"}


def test_rows_in_another_order_give_the_same_answer(people: Dataset) -> None:
    frame = release(people, {"method": "rank_swap", "p": 10}).released.frame
    first = icefire.fingerprint(people, frame)
    second = icefire.fingerprint(people, frame.sample(fraction=1.0, shuffle=True, seed=5))
    assert first.recognised == second.recognised
    before, after = ({one.method: one.probability for one in answer.methods} for answer in (first, second))
    assert before == pytest.approx(after, abs=0.02)  # equal rows may be matched the other way round


def test_sixteen_methods_are_recognised_and_each_is_in_the_registry() -> None:
    assert len(METHODS) == len(set(NAMES)) == 16
    covered = [name for one in (*METHODS, PERMUTE_INDEX) for name in one.covers]
    assert len(covered) == len(set(covered))
    for name in covered:
        assert registry.get("method", name).name == name
    assert recognised_as("laplace") == "noise"
    assert recognised_as("pseudonyms") is None


def test_the_model_fits_the_figures_and_is_small() -> None:
    from icefire.audit.fingerprint import trees
    from icefire.audit.fingerprint.signs import SIGN_NAMES

    model = trained_model()
    assert model.features == SIGN_NAMES
    assert set(model.methods) == set(NAMES)
    assert (Path(trees.__file__).parent / MODEL_FILE).stat().st_size < 500_000


# --- the command


def test_the_command_writes_a_table_and_json(
    people: Dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people.frame.write_csv(tmp_path / "x.csv")
    release(people, {"method": "unify", "columns": ["region"]}).released.frame.write_csv(tmp_path / "y.csv")
    words = (
        "fingerprint",
        tmp_path / "x.csv",
        tmp_path / "y.csv",
        "--qi",
        "sex,region,age",
        "--sa",
        "income,rent,weight",
    )
    shown = run_icefire(capsys, *words)
    assert shown.code == 0
    assert shown.out.startswith("y.csv: unify\n")
    assert "whole columns made one value" in shown.out
    written = run_icefire(capsys, *words, "--json", "-")
    answer = json.loads(written.out)
    assert answer["methods"][0]["method"] == "unify"
    assert msgspec.json.decode(written.out, type=icefire.Fingerprint).recognised == ["unify"]


# --- bad input


def test_tables_without_a_common_column_are_refused(people: Dataset) -> None:
    with pytest.raises(icefire.InputError, match="share no column with values"):
        icefire.fingerprint(people, pl.DataFrame({"other": [1, 2, 3]}))


@pytest.mark.parametrize("rows", [0, 1])
def test_a_table_of_one_row_is_refused(people: Dataset, rows: int) -> None:
    with pytest.raises(icefire.InputError, match="two rows or more"):
        icefire.fingerprint(people, people.frame.head(rows))


def test_a_history_is_refused() -> None:
    shop = icefire.sample("shop", 20, seed=1)
    with pytest.raises(icefire.InputError, match="the data are a history"):
        icefire.fingerprint(shop, shop)


def test_two_ways_to_match_rows_are_refused(people: Dataset) -> None:
    with pytest.raises(icefire.ParameterError, match="give only one of them"):
        icefire.fingerprint(people, people.frame, aligned=True, key="age")


def test_constant_tables_get_an_answer() -> None:
    frame = pl.DataFrame({"a": ["x"] * 5, "b": [1] * 5})
    assert icefire.fingerprint(frame, frame, qi=["a"], sa=["b"]).recognised == []


def test_columns_that_were_taken_out_are_named(people: Dataset) -> None:
    shown = people.frame.drop("region").with_columns(rent=pl.lit(None, pl.Int64))
    recognised = icefire.fingerprint(people, shown)
    assert recognised.columns_left_out == ["region", "rent"]
    assert "Left out or empty in the release: region, rent." in recognised.notes


def test_text_instead_of_numbers_and_more_rows_get_an_answer(people: Dataset) -> None:
    shown = pl.concat([people.frame, people.frame.head(20)]).with_columns(
        pl.col("age").cast(pl.String) + "-" + (pl.col("age") + 3).cast(pl.String)
    )
    assert len(icefire.fingerprint(people, shown).methods) == 16
