"""icefire inspect --points: the risk of every person, in the order in which the file names them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from support.commands import run_icefire

import icefire as package
from icefire.core.errors import ParameterError

ROWS = """who,what,when
zoe,a,2011-02-03 08:00
zoe,b,2011-02-03 09:00
10,a,2011-02-03 08:30
9,a,2011-02-04 08:00
9,c,2011-02-04 09:00
10,b,2011-02-05 08:00
9,c,2011-02-06 09:00
"""
COLUMNS = ("--subject", "who", "--item", "what")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("t.csv").write_text(ROWS)


def test_json_holds_one_risk_per_person_in_order_of_appearance(capsys) -> None:
    done = run_icefire(capsys, "inspect", "t.csv", *COLUMNS, "--points", "counts:2", "--json", "f.json")
    assert done.code == 0
    content = json.loads(Path("f.json").read_text())
    assert content["risk"] == [0.5, 0.5, 1.0]
    assert content["points"]["kind"] == "counts"
    assert content["points"]["mean_risk"] == pytest.approx([0.5, 0.5, 1.0])
    assert "single out 1 of 3 people" in " ".join(done.out.split())


def test_a_column_of_timestamps_may_be_named_as_time(capsys) -> None:
    done = run_icefire(
        capsys, "inspect", "t.csv", *COLUMNS, "--time", "when", "--points", "time:1:day", "--json", "f.json"
    )
    assert done.code == 0
    assert json.loads(Path("f.json").read_text())["risk"] == [1.0, 1.0, 1.0]


def test_more_points_than_a_person_has_are_all_of_them_and_this_is_said(capsys) -> None:
    done = run_icefire(capsys, "inspect", "t.csv", *COLUMNS, "--points", "items:3", "--json", "f.json")
    assert done.code == 0
    assert json.loads(Path("f.json").read_text())["points"]["short"] == 3
    assert "3 people have fewer than 3 points; all are taken" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ("time:2", "there is no date column"),
        ("order:2", "there is no date column"),
        ("counts:0", "is not a number of points"),
        ("counts:x", "is not a number of points"),
        ("count:2", "no kind is called 'count'"),
    ],
)
def test_bad_points_are_one_clear_error(capsys, points, message) -> None:
    done = run_icefire(capsys, "inspect", "t.csv", *COLUMNS, "--points", points, "--json", "f.json")
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert not Path("f.json").exists()


def test_a_table_has_no_points() -> None:
    table = pl.DataFrame({"age": [1, 2, 2], "pay": [3, 4, 5]})
    with pytest.raises(ParameterError, match="points are of a history"):
        package.inspect(table, qi=["age"], sa=["pay"], points="items:2")


def test_the_verb_in_python() -> None:
    inspection = package.inspect("t.csv", subject="who", item="what", points="items:1")
    assert inspection.risk == [0.5, 0.5, 1.0]
