"""Odd tables given to audit, attack and anonymize: an answer or one clear error, and no pass that was not earned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from support.commands import Done, run_icefire

import icefire
from icefire.core.errors import IcefireError

ROWS = 40
VERBS = ("audit", "attack", "anonymize")
RECIPE = 'seed = 1\n[[step]]\nmethod = "k_anonymize"\nk = 2\n'


def _people(**columns: Any) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    table = {
        "age": rng.integers(20, 60, ROWS),
        "job": rng.choice(["cook", "smith", "clerk"], ROWS),
        "income": np.round(rng.gamma(2, 1000, ROWS), 2),
    }
    return pl.DataFrame(table | columns, strict=False)


def _texts(characters: int) -> list[str]:
    rng = np.random.default_rng(2)
    return ["".join(rng.choice(list("abcdefgh"), characters)) for _ in range(ROWS)]


def _mixed(word: str) -> list[str]:
    return [word if row % 3 else str(row) for row in range(ROWS)]


PEOPLE = _people()
CSV = PEOPLE.write_csv()
CONSTANT = pl.DataFrame({"age": [30] * ROWS, "job": ["cook"] * ROWS, "income": [5.5] * ROWS})


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    return tmp_path


def _as_text(table: pl.DataFrame | str) -> str:
    return table if isinstance(table, str) else table.write_csv()


def _called(capsys: pytest.CaptureFixture[str], verb: str, x: pl.DataFrame | str, y: pl.DataFrame | str) -> Done:
    Path("x.csv").write_text(_as_text(x), encoding="utf-8")
    Path("y.csv").write_text(_as_text(y), encoding="utf-8")
    words = {
        "audit": ("audit", "x.csv", "y.csv", "--aligned", "--json", "card.json", "--yes", "--force"),
        "attack": ("attack", "link", "x.csv", "y.csv", "-o", "guess.csv", "--yes", "--force"),
        "anonymize": ("anonymize", "x.csv", "-r", "recipe.toml", "-o", "release", "--yes", "--force"),
    }
    return run_icefire(capsys, *words[verb])


def _is_refused(done: Done, about: str) -> None:
    lines = [line for line in done.err.splitlines() if line.startswith("icefire: error:")]
    assert done.code == 2, done
    assert len(lines) == 1, done.err
    assert about in lines[0], lines[0]
    assert "internal error" not in lines[0]
    assert "Traceback" not in done.err


def _reasons() -> set[str]:
    verdict = json.loads(Path("card.json").read_text(encoding="utf-8"))["verdict"]
    return {reason["code"] for reason in verdict["reasons"]}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("", "'x.csv' is empty"),
        ("\n\n", "'x.csv' has no rows"),
        ("age,job,income\n", "'x.csv' has no rows"),
        ("age,job,income\n30,cook,5\n", "'x.csv' has one row"),
        ("age,age,income\n1,2,3\n4,5,6\n", "two columns named 'age'"),
        ("age,,income\n1,2,3\n4,5,6\n", "column 2 has no name"),
        ("age,job\n1,2\n3,4,5\n", "row 1 of 'x.csv' has 3 cells, but the table has 2 columns"),
        ('age,job\n"1,2\n3,4\n', "row 0 of 'x.csv' opens a quote that is not closed in that row"),
        ("age,job\n,\n,\n", "'x.csv' has no values"),
        ("age,job\n1,\x002\n", "'x.csv' is not text"),
    ],
)
def test_an_original_that_is_no_table_is_refused(place, capsys, verb: str, text: str, about: str) -> None:
    _is_refused(_called(capsys, verb, text, text or CSV), about)
    assert not Path("release").exists()


@pytest.mark.parametrize("verb", VERBS[:2])
@pytest.mark.parametrize(
    ("released", "about"),
    [
        ("", "'y.csv' is empty"),
        ("age,job,income\n", "'y.csv' has no rows"),
        ("age,job,income\n30,cook,5\n", "'y.csv' has one row"),
        (pl.concat([PEOPLE, PEOPLE.head(5)]), "'y.csv' has 45 rows, more than the original's 40"),
        ("age,job,income\n" + ",,\n" * ROWS, "'y.csv' has no values"),
        (_people(job=[None] * ROWS), "column 'job' of 'y.csv' is missing in every row"),
        (_people(income=["low", "high"] * (ROWS // 2)), "sa column 'income' is a number in one table"),
        ("a,b\n" + "1,2\n" * ROWS, "'y.csv' has no column of 'x.csv'"),
    ],
)
def test_a_release_that_does_not_fit_is_refused(place, capsys, verb: str, released, about: str) -> None:
    _is_refused(_called(capsys, verb, CSV, released), about)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (PEOPLE.select("age"), PEOPLE.select("age")),
        (PEOPLE.select("income"), PEOPLE.select("income")),
        (PEOPLE.head(2), PEOPLE.head(2)),
        (_people(note=_texts(1000)), _people(note=_texts(1000))),
        (_people(mix=_mixed("x")), _people(mix=_mixed("y"))),
        (_people(income=_mixed("none")), _people(income=_mixed("none"))),
        (_people(gone=[None] * ROWS), _people(gone=[None] * ROWS)),
        (PEOPLE, _people(age=["old" if age > 40 else "young" for age in PEOPLE["age"]])),
        (PEOPLE, _people(job=PEOPLE["job"].rank("dense").cast(pl.Int64))),
        (_people(flag=[True, False] * (ROWS // 2)), _people(flag=["true", "*"] * (ROWS // 2))),
        (_people(big=[10**30 + row for row in range(ROWS)]), _people(big=[10**30 + row for row in range(ROWS)])),
    ],
    ids=[
        "one_column",
        "one_amount",
        "two_rows",
        "long_text",
        "mixed",
        "mixed_sa",
        "missing",
        "labels",
        "codes",
        "flags",
        "long",
    ],
)
def test_people_who_stay_recognisable_do_not_pass(place, capsys, x: pl.DataFrame, y: pl.DataFrame) -> None:
    assert _called(capsys, "audit", x, y).code == 1
    assert "limit" in _reasons()
    assert _called(capsys, "attack", x, y).code == 0
    assert len(Path("guess.csv").read_text(encoding="utf-8").splitlines()) == y.height


def test_a_release_of_constants_gets_an_answer(place, capsys) -> None:
    done = _called(capsys, "audit", PEOPLE, CONSTANT)
    assert done.code in (0, 1)
    assert "Traceback" not in done.err
    assert _called(capsys, "attack", PEOPLE, CONSTANT).code == 0


def test_tables_of_constants_get_an_answer(place, capsys) -> None:
    assert _called(capsys, "audit", CONSTANT, CONSTANT).code in (0, 1)
    assert _called(capsys, "attack", CONSTANT, CONSTANT).code == 0
    assert _called(capsys, "anonymize", CONSTANT, CONSTANT).code == 0


@pytest.mark.heavy
def test_five_hundred_columns_get_an_answer() -> None:
    rng = np.random.default_rng(4)
    wide = pl.DataFrame({f"c{number}": rng.integers(0, 9, 30) for number in range(500)})
    card = icefire.audit(wide, wide, aligned=True, attacks=["link"], measures=[]).scorecard
    assert card.attacks["link"].rate == 1
    assert card.verdict.state == "not_passed"


@pytest.mark.parametrize(
    "table",
    [
        PEOPLE.with_columns(goods=pl.Series([[1, 2]] * ROWS)),
        pd.DataFrame({"age": [1, "old"] * 10, "job": ["cook"] * 20}),
        pd.DataFrame([[1, 2]] * 9, columns=["age", "age"]),
        pl.DataFrame(),
        {"age": [1, 2], "job": [1]},
        5,
        _people(income=[float("nan")] * ROWS),
        pl.DataFrame({"age": [None, None], "job": [None, None]}),
    ],
    ids=["nested", "mixed", "same_name", "empty", "ragged", "number", "not_finite", "missing"],
)
def test_python_refuses_the_same_in_one_sentence(table: Any) -> None:
    recipe = {"seed": 1, "step": [{"method": "k_anonymize", "k": 2}]}
    for call in (
        lambda: icefire.audit(table, table, aligned=True),
        lambda: icefire.audit(PEOPLE, table, aligned=True),
        lambda: icefire.attack("link", table, table),
        lambda: icefire.anonymize(table, recipe),
    ):
        with pytest.raises(IcefireError) as refused:
            call()
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("column", ["date", "duration", "category", "decimal"])
def test_python_takes_columns_of_other_types(column: str) -> None:
    rows = pl.int_range(ROWS, eager=True)
    values = {
        "date": rows.cast(pl.Date),
        "duration": rows.cast(pl.Duration("ms")),
        "category": PEOPLE["job"].cast(pl.Categorical),
        "decimal": PEOPLE["income"].cast(pl.Decimal(12, 2)),
    }
    table = PEOPLE.with_columns(values[column].alias("other"))
    assert icefire.audit(table, table, aligned=True, measures=[]).scorecard.verdict.state == "not_passed"


@pytest.mark.parametrize(
    ("truth", "guess"), [([0, 1], [0]), ([], []), ([0.5], [0]), ([0, 1], ["a", "b"]), (None, [0]), ([0], [0.5])]
)
def test_scores_of_answers_that_do_not_fit_are_refused(truth: Any, guess: Any) -> None:
    with pytest.raises(IcefireError):
        icefire.score(truth, guess)
