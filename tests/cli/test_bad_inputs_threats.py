"""Odd hold-outs, registers, secrets, histories and scores, on tables of 12 to 60 rows: one error or a stated result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.commands import Done, run_icefire

import icefire
from icefire.core import registry

ROLES = ("--qi", "born,city", "--sa", "disease")
QUICK = ("--measures", "marginal_distance", "--json", "card.json", "--force")


def _people(rows: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    illness = rng.choice(["flu", "cold", "none"], rows)
    born = 1890 + 2 * rng.permutation(60)[:rows] + seed % 2
    return pl.DataFrame({"born": born, "city": rng.choice(["A", "B"], rows), "disease": illness})


ORIGINAL, OTHERS = _people(40, 1), _people(60, 2)
RELEASED = ORIGINAL.with_columns(pl.col("born") // 10 * 10)
ALL_FLU = pl.lit("flu").alias("disease")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _audit(capsys: Any, original: pl.DataFrame, released: pl.DataFrame, *words: object, **tables: pl.DataFrame) -> Done:
    named = [("o.csv", original), ("r.csv", released), *((f"{name}.csv", table) for name, table in tables.items())]
    for name, table in named:
        table.write_csv(name)
    return run_icefire(capsys, "audit", "o.csv", "r.csv", *ROLES, *QUICK, *words)


def _card() -> dict[str, Any]:
    card: dict[str, Any] = json.loads(Path("card.json").read_text(encoding="utf-8"))
    return card


def _is_refused(done: Done, about: str) -> None:
    lines = [line for line in done.err.splitlines() if line.startswith("icefire: error:")]
    assert done.code == 2, done
    assert len(lines) == 1, done.err
    assert about in lines[0]
    assert not Path("card.json").exists()


ALIGNED, SYNTHETIC = ("--aligned", "--attacks", "class"), ("--synthetic", "--attacks", "dcr,class")


def test_people_of_the_original_in_a_hold_out_are_counted_and_named(capsys) -> None:
    mixed = pl.concat([OTHERS.head(36), ORIGINAL.head(14)])
    done = _audit(capsys, ORIGINAL, RELEASED, *ALIGNED, "--holdout", "h.csv", h=mixed)
    assert done.code == 1
    attributes = _card()["attributes"]
    assert attributes["controls"] == 36
    named = "rows 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, …"
    assert attributes["notes"] == [f"14 people of the hold-out are in the original too and were left out ({named})."]
    assert "14 people of the hold-out" in done.out


@pytest.mark.parametrize("kind", [ALIGNED, SYNTHETIC], ids=["table", "synthetic"])
@pytest.mark.parametrize(
    ("holdout", "about"),
    [
        (ORIGINAL.head(30), "the hold-out 'h.csv' overlaps the original: 30 of its 30 rows"),
        (OTHERS.with_columns(disease=pl.lit(None, dtype=pl.String)), "has no value in the sensitive column 'disease'"),
    ],
    ids=["the original", "no values"],
)
def test_a_hold_out_that_is_no_control_is_refused(capsys, kind, holdout: pl.DataFrame, about: str) -> None:
    _is_refused(_audit(capsys, ORIGINAL, RELEASED, *kind, "--holdout", "h.csv", h=holdout), about)


def test_a_background_of_people_of_the_hold_out_is_refused_as_that(capsys) -> None:
    words = ("--holdout", "h.csv", "--background", "g.csv")
    done = _audit(capsys, ORIGINAL, RELEASED, *SYNTHETIC, *words, h=OTHERS, g=OTHERS.head(30))
    _is_refused(done, "the background 'g.csv' overlaps the original or the hold-out: 30 of its 30 rows")


def test_people_who_are_alike_by_coincidence_stay_and_are_counted(capsys) -> None:
    twins = pl.concat([ORIGINAL.head(10)] * 2 + [ORIGINAL.tail(20)])
    mixed = pl.concat([OTHERS.head(30), ORIGINAL.head(2)])
    _audit(capsys, twins, twins, *ALIGNED, "--holdout", "h.csv", h=mixed)
    attributes = _card()["attributes"]
    assert attributes["controls"] == 32
    assert attributes["notes"][0].startswith("2 people of the hold-out have the values of somebody in the original")


def test_a_register_without_common_columns_is_refused(capsys) -> None:
    Path("who.csv").write_text("0\n1\n-1\n", encoding="utf-8")
    register = pl.DataFrame({"height": [170, 180, 190], "shoe": [40, 41, 42]})
    words = ("--register", "g.csv", "--register-truth", "who.csv")
    done = _audit(capsys, ORIGINAL, RELEASED, *ALIGNED, *words, g=register)
    _is_refused(done, "no column in common with the release; its columns are height, shoe, those compared born, city")


def test_three_controls_who_happen_to_be_guessed_right_prove_nothing(capsys) -> None:
    certain = pl.DataFrame({"born": range(20, 60), "city": ["A", "B"] * 20, "disease": ["flu", "cold"] * 20})
    few = pl.DataFrame({"born": [19, 61, 62], "city": ["A", "B", "B"], "disease": ["flu", "cold", "cold"]})
    released = certain.with_columns(born=pl.lit(40))
    done = _audit(capsys, certain, released, *ALIGNED, "--policy", "internal", "--holdout", "h.csv", h=few)
    assert done.code == 1
    attributes = _card()["attributes"]
    column = attributes["columns"]["disease"]
    assert column["attacks"]["class"]["control"] == column["certain_control"] == 1.0
    assert column["attacks"]["class"]["advantage_ci"][1] > 0.5
    assert column["certain_known_ci"][1] > 0.5
    assert "The hold-out has 3 people with a value: too few" in attributes["notes"][0]
    broken = {limit["name"] for limit in _card()["limits"] if not limit["passed"]}
    assert {"attribute_advantage", "attribute_certain"} <= broken


def test_a_secret_that_is_constant_in_the_data_alone_is_stated(capsys) -> None:
    words = (*SYNTHETIC, "--holdout", "h.csv")
    done = _audit(capsys, ORIGINAL.with_columns(ALL_FLU), RELEASED.with_columns(ALL_FLU), *words, h=OTHERS)
    assert done.code == 1
    attributes = _card()["attributes"]
    assert "Everybody in the data has the same value of disease, people outside have others" in attributes["notes"][0]
    found = attributes["columns"]["disease"]["attacks"]["class"]
    assert (found["success"], found["advantage"], found["advantage_over_best_guess"]) == (1, 1, 0)
    assert "attribute_advantage" in {limit["name"] for limit in _card()["limits"] if not limit["passed"]}


def test_more_known_points_than_a_history_has(capsys) -> None:
    rows = [(person, good) for person in range(12) for good in "abcd"[: 1 + person % 3]]
    pl.DataFrame(rows, schema=["who", "good"], orient="row").write_csv("t.csv")
    words = ("inspect", "t.csv", "--subject", "who", "--item", "good", "--points", "counts:9", "--json", "card.json")
    done = run_icefire(capsys, *words)
    assert done.code == 0, done.err
    assert "12 people have fewer than 9 points; all are taken" in " ".join(done.out.split())
    assert len(_card()["risk"]) == 12


def test_scores_that_are_no_numbers_name_the_attack(monkeypatch) -> None:
    registry.load()
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))

    @icefire.attack("no_numbers", question="membership", release="synthetic", knows="nothing")
    def no_numbers(case: icefire.MembershipCase, *, rng: np.random.Generator) -> icefire.Guess:
        """Answer without numbers."""
        return icefire.Guess(np.full((case.targets, 1), -1), scores=np.full(case.targets, np.nan))

    options: dict[str, Any] = {"synthetic": True, "qi": ["born", "city"], "sa": ["disease"], "measures": []}
    with pytest.raises(icefire.InputError, match=r"attack 'no_numbers': the score of target 0 is nan"):
        icefire.audit(ORIGINAL, RELEASED, holdout=OTHERS, attacks=["no_numbers"], **options)


def test_a_synthetic_table_that_equals_the_original_is_stated(capsys) -> None:
    done = _audit(capsys, ORIGINAL, ORIGINAL, *SYNTHETIC)
    assert done.code == 1
    assert "The release is the original itself" in _card()["verdict"]["text"]
