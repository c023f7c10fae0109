"""icefire inspect: one table alone, without an original."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from support.commands import run_icefire

import icefire as package
from icefire.core.errors import ParameterError, SchemaError

TABLE = "age,job,ill,pay\n" + "".join(
    f"{20 + i % 2 if i % 5 else ''},{'ab'[i // 6]},{'xyz'[i % 3]},{100 * i}\n" for i in range(12)
)
ROLES = ("--qi", "age,job", "--sa", "ill,pay")
NAMED = {
    "k_min",
    "k_mean",
    "l_distinct",
    "l_entropy",
    "l_recursive",
    "t_equal",
    "t_ordered",
    "t_hierarchical",
    "alpha_k",
    "beta_likeness",
    "delta_disclosure",
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("t.csv").write_text(TABLE)
    return tmp_path


def card(capsys, *words):
    done = run_icefire(capsys, "inspect", "t.csv", *words, "--json", "-")
    assert done.code == 0, done.err
    return json.loads(done.out)


def refused(capsys, about, *words):
    before = sorted(str(path) for path in Path(".").rglob("*"))
    done = run_icefire(capsys, "inspect", *words, "--json", "out.json")
    lines = [line for line in done.err.splitlines() if line.startswith("icefire: error:")]
    assert (done.code, len(lines), done.out) == (2, 1, ""), done
    assert about in lines[0]
    assert sorted(str(path) for path in Path(".").rglob("*")) == before


def test_json_holds_the_models_the_classes_and_the_columns(place, capsys):
    found = card(capsys, *ROLES)
    assert found["format_version"] == 1
    assert found["provenance"]["table"]["rows"] == 12
    assert len(found["provenance"]["table"]["sha256"]) == 64
    assert found["roles"]["qi"] == ["age", "job"]
    assert set(found["measures"]) >= NAMED
    assert set(found["measures"]["l_recursive"]) == {"code", "value", "better", "best", "parameters", "note"}
    assert found["measures"]["l_recursive"]["parameters"]["c"] == 3
    assert found["measures"]["k_min"]["code"] == "S1"
    assert found["left_out"] == {}


def test_numbers_are_those_of_the_table(place, capsys):
    found = card(capsys, *ROLES)
    # age is missing in rows 0, 5, 10, 20 in even and 21 in odd rows; job is a in rows 0 to 5, b in 6 to 11.
    # a: missing 0, 5; 20 in 2, 4; 21 in 1, 3. b: missing 10; 20 in 6, 8; 21 in 7, 9, 11.
    assert found["measures"]["k_min"]["value"] == 1
    assert found["measures"]["k_mean"]["value"] == 2
    assert found["measures"]["k_min_wildcard"]["value"] == 3  # 20, b: rows 6, 8 and 10
    assert found["uniqueness"] == {
        "rows": 1,
        "share": pytest.approx(1 / 12),
        "rows_wildcard": 0,
        "share_wildcard": 0.0,
    }
    assert [b for b in found["class_sizes"] if b["classes"]] == [
        {"low": 1, "high": 1, "classes": 1, "rows": 1},
        {"low": 2, "high": 2, "classes": 4, "rows": 8},
        {"low": 3, "high": 4, "classes": 1, "rows": 3},
    ]
    assert found["columns"]["age"] == {
        "role": "qi",
        "kind": "number",
        "type": "integer",
        "missing": 3,
        "distinct": 2,
        "min": 20.0,
        "mean": pytest.approx(185 / 9),
        "max": 21.0,
        "read_as": "",
    }
    assert found["columns"]["ill"]["type"] == "text"
    assert found["columns"]["ill"]["distinct"] == 3
    assert found["columns"]["ill"]["mean"] is None


def test_measures_that_compare_two_tables_do_not_run(place, capsys):
    assert not {"mean_error", "row_change", "information_loss", "k_map", "delta_presence"} & set(
        card(capsys, *ROLES)["measures"]
    )


def test_a_parameter_reaches_its_measure(place, capsys):
    words = ("--measures", "l_distinct,l_recursive", "--param", "l_distinct.suppressed=wildcard")
    found = card(capsys, *ROLES, *words)["measures"]
    assert set(found) == {"l_distinct", "l_recursive"}
    assert found["l_distinct"]["parameters"]["suppressed"] == "wildcard"
    # Row 10 is alone by its own values; by wildcard 20, b holds rows 6, 8 and 10: x, z, y.
    assert found["l_distinct"]["value"] == 3
    assert card(capsys, *ROLES)["measures"]["l_distinct"]["value"] == 1


def test_text_fits_eighty_columns_and_a_file_gets_the_same_numbers(place, capsys):
    done = run_icefire(capsys, "inspect", "t.csv", *ROLES, "--json", "out.json")
    assert done.code == 0
    assert max(len(line) for line in done.out.splitlines()) <= 80
    for word in ("t.csv: 12 rows, 4 columns", "l_entropy", "Classes by size", "distinct", "Alone in their class"):
        assert word in done.out
    assert "1 of 12 rows (8.3 %); 0 (0.0 %) where a missing cell may be any value." in " ".join(done.out.split())
    assert json.loads(Path("out.json").read_text())["measures"] == card(capsys, *ROLES)["measures"]


def test_without_a_sensitive_column_the_models_are_left_out_and_it_says_so(place, capsys):
    done = run_icefire(capsys, "inspect", "t.csv", "--qi", "age,job", "--json", "out.json")
    found = json.loads(Path("out.json").read_text())
    assert set(found["measures"]) >= {"k_min", "k_mean"}
    assert found["left_out"]["l_distinct"] == "needs a sa column; name it with --sa"
    assert "Left out alpha_k, beta_likeness" in done.out


def test_text_alone_has_no_ordered_distance_and_it_says_so(place, capsys):
    found = card(capsys, "--qi", "age,job", "--sa", "ill")["measures"]["t_ordered"]
    assert found["value"] is None
    assert "no sensitive attribute is a number" in found["note"]


def test_headerless_files_and_inferred_roles(place, capsys):
    Path("t.csv").write_text("".join(TABLE.splitlines(keepends=True)[1:]))
    found = card(capsys, "--no-header", "--qi", "c0,c1", "--sa", "c2")
    assert found["columns"]["c0"]["role"] == "qi"
    done = run_icefire(
        capsys, "inspect", "t.csv", "--no-header", "--columns", "age,job,ill,pay", "--yes", "--json", "-"
    )
    assert json.loads(done.out)["roles"]["source"] == "inferred"


def test_bad_input_gets_one_line(place, capsys):
    refused(capsys, "does not exist", "nowhere.csv", *ROLES)
    refused(capsys, "no column 'Age'", "t.csv", "--qi", "Age")
    refused(capsys, "inspect needs at least one qi column", "t.csv", "--sa", "pay")
    refused(capsys, "did you mean 'l_distinct'", "t.csv", *ROLES, "--measures", "l_distinkt")
    refused(capsys, "compares a release with its original", "t.csv", *ROLES, "--measures", "U5")
    refused(capsys, "needs a sa column", "t.csv", "--qi", "age", "--measures", "t_equal")
    refused(capsys, "has no parameter 'k'", "t.csv", *ROLES, "--param", "k_min.k=3")
    refused(capsys, "does not run here", "t.csv", *ROLES, "--param", "euc1.scale=raw")
    refused(capsys, "at least 0", "t.csv", *ROLES, "--param", "l_recursive.c=-1")
    Path("one.csv").write_text("\n".join(TABLE.splitlines()[:2]) + "\n")
    refused(capsys, "'one.csv' has one row", "one.csv", *ROLES)


def test_the_same_verb_in_python(place, capsys):
    frame = pl.read_csv("t.csv")
    found = package.inspect(frame, qi=["age", "job"], sa=["ill", "pay"])
    values = {name: result.value for name, result in found.measures.items()}
    assert values == {name: result["value"] for name, result in card(capsys, *ROLES)["measures"].items()}
    with pytest.raises(SchemaError, match="needs at least one qi"):
        package.inspect(frame, sa=["pay"])
    with pytest.raises(ParameterError, match=r"use: icefire\.audit"):
        package.inspect(frame, qi=["age"], measures=["row_change"])


def test_every_kind_of_column_is_described():
    frame = pl.DataFrame(
        {
            "q": [1, 1, 2],
            "flag": [True, False, None],
            "day": ["2020-01-01", "2020-01-02", "2020-01-02"],
            "empty": pl.Series([None, None, None], dtype=pl.Float64),
            "part": [0.5, 1.5, None],
        }
    ).with_columns(pl.col("day").str.to_date())
    found = package.inspect(frame, qi=["q"], sa=["part"]).columns
    assert [found[name].type for name in frame.columns] == ["integer", "boolean", "date", "decimal", "decimal"]
    assert [found[name].distinct for name in frame.columns] == [2, 2, 2, 0, 2]
    assert (found["part"].min, found["part"].mean, found["part"].max) == (0.5, 1.0, 1.5)
    assert found["empty"].mean is None
