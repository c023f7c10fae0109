"""Weights, households and combinations of columns, by hand on tables of four to eight people."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from support.commands import run_icefire

import icefire
from icefire.core.errors import IcefireError
from icefire.report import html
from icefire.report.sentences import surveys
from icefire.risk.households import any_member
from icefire.risk.key_combinations import parse_keys
from icefire.risk.survey import individual_risk

FRAME = pl.DataFrame(
    {
        "age": [30, 40, 50, 50],
        "sex": ["f", "m", "f", "f"],
        "income": [10.0, 20.0, 30.0, 50.0],
        "w": [10.0, 1.5, 4.0, 6.0],
        "home": [1, 1, 2, 3],
    }
)
ROLES = {"qi": ["age", "sex"], "sa": ["income"], "weight": "w", "household": "home"}


def risks(original: pl.DataFrame = FRAME, released: pl.DataFrame = FRAME, **options: object):
    given = {"attacks": ["id_rand"], "measures": [], "aligned": True, **ROLES, **options}
    return icefire.audit(original, released, **given).scorecard.risks


def test_classes_are_counted_by_the_people_they_stand_for():
    weighted = risks().weighted
    assert (weighted.column, weighted.population, weighted.k_min) == ("w", 21.5, 1.5)
    assert weighted.unique == 1
    assert weighted.expected_unique == pytest.approx(1 / 10 + 1 / 1.5)
    assert weighted.journalist.highest == pytest.approx(1 / 1.5)
    assert weighted.journalist.mean == pytest.approx((3 / 10 + 1 / 1.5) / 4)
    assert weighted.journalist.rows_above == 1


def test_individual_risk_is_the_expectation_of_one_over_a_negative_binomial():
    sizes, people = np.array([1, 2, 4, 1, 3]), np.array([10.0, 10.0, 40.0, 1.0, 3.0])

    def expected(f: int, p: float) -> float:
        return sum(math.comb(F - 1, f - 1) * p**f * (1 - p) ** (F - f) / F for F in range(f, 3000))

    chances = individual_risk(sizes, people)
    assert chances[0] == pytest.approx(expected(1, 0.1), abs=1e-9)
    assert chances[1] == pytest.approx(expected(2, 0.2), abs=1e-9)
    assert chances[2] == pytest.approx(expected(4, 0.1), abs=1e-9)
    large = individual_risk(np.array([49, 50]), np.array([490.0, 500.0]))
    assert large[1] == pytest.approx(large[0], rel=0.05)
    assert chances[3:].tolist() == pytest.approx([1.0, 1 / 3])


def test_weights_are_those_of_the_original_person_and_estimates_are_weighted():
    released = FRAME.select("age", "sex", pl.col("income") + 1)[[3, 0]]
    weighted = risks(released=released, aligned=False, truth=[3, 0]).weighted
    assert weighted.population == 16.0
    by_column = {one.column: one for one in weighted.estimates}
    assert by_column["income"].original == pytest.approx((100 + 30 + 120 + 300) / 21.5)
    assert by_column["income"].released == pytest.approx((6 * 51 + 10 * 11) / 16)
    assert by_column["sex"].original + by_column["sex"].released == pytest.approx(
        20 / 21.5 + 1.0 if by_column["sex"].value == "f" else 1.5 / 21.5
    )
    assert [one.column for one in risks().weighted.estimates] == ["age", "sex", "income"]


def test_a_weight_is_no_quasi_identifier_but_is_attacked_as_any_released_column():
    data = icefire.read(FRAME, weight="w")
    assert data.schema["w"].role == "other"
    card = icefire.audit(FRAME, FRAME, aligned=True, attacks=["link"], measures=[], **ROLES).scorecard
    assert not [reason for reason in card.verdict.reasons if reason.evidence.get("columns") == ["w"]]
    assert "w" in card.attackers[0].columns


def test_a_person_is_at_risk_if_any_member_of_the_household_is():
    assert any_member(np.array([0.5, 0.5, 0.2]), np.array([0, 0, 1])).tolist() == pytest.approx([0.75, 0.75, 0.2])
    household = risks().household
    assert (household.households, household.largest) == (3, 2)
    assert household.person.mean == pytest.approx((1 + 1 + 0.5 + 0.5) / 4)
    released = FRAME.with_columns(age=pl.Series([30, 99, 50, 50]))
    household = risks(released=released).household
    # id_rand draws only the first and, by lot, the people of home 2 and 3; the second lives with the first.
    assert household.recognised["id_rand"] >= 0.5
    assert household.households_recognised["id_rand"] >= 1 / 3


def test_k_and_unique_rows_of_every_combination():
    age, sex, both = risks(keys=["age;sex", "sex,age"]).keys
    assert (age.columns, age.k, age.classes, age.unique, age.k_weighted) == (["age"], 1, 3, 2, 1.5)
    assert (sex.columns, sex.k, sex.classes, sex.unique, sex.k_weighted) == (["sex"], 1, 2, 1, 1.5)
    assert (both.columns, both.unique, both.rows) == (["sex", "age"], 2, 4)
    assert parse_keys([["age", "sex"], "age"]) == (("age", "sex"), ("age",))


def test_one_table_alone_is_inspected_the_same_way():
    inspection = icefire.inspect(FRAME, keys="sex", measures=["k_min"], **ROLES)
    assert inspection.weighted is not None
    assert inspection.household is not None
    assert (inspection.weighted.k_min, inspection.household.households) == (1.5, 3)
    assert inspection.keys[0].unique == 1
    assert icefire.inspect(FRAME, qi=["age"], measures=["k_min"]).weighted is None


@pytest.mark.parametrize(
    ("changed", "options", "words"),
    [
        ({}, {"weight": "wt"}, "weight: no column 'wt'"),
        ({}, {"household": "house"}, "household: no column 'house'"),
        ({}, {"qi": ["age", "w"]}, "both qi and weight"),
        ({"w": [1.0, 0.0, 2.0, 2.0]}, {}, "row 1 holds 0.0; a weight is a number above 0"),
        ({"w": [1.0, None, 2.0, 2.0]}, {}, "row 1 holds None"),
        ({"w": list("abcd")}, {}, "row 0 holds 'a'"),
        ({"home": [1, None, 2, 2]}, {}, "missing in row 1"),
        ({}, {"keys": "age,sx"}, "no column 'sx'; did you mean 'sex'"),
        ({}, {"keys": "age,age"}, "each once"),
        ({}, {"keys": "age;"}, "at least one column"),
    ],
)
def test_what_cannot_be_used_is_one_clear_error(changed, options, words):
    frame = FRAME.with_columns(**{name: pl.Series(values) for name, values in changed.items()})
    with pytest.raises(IcefireError, match=words):
        risks(frame, frame, **options)


def test_the_command_line_and_the_schema_file_name_the_columns(tmp_path, capsys):
    FRAME.write_csv(tmp_path / "o.csv")
    (tmp_path / "s.toml").write_text('qi = ["age", "sex"]\nsa = ["income"]\nweight = "w"\nhousehold = "home"\n')
    words = ["audit", tmp_path / "o.csv", tmp_path / "o.csv", "--aligned", "--schema", tmp_path / "s.toml"]
    words += ["--keys", "age,sex;sex", "--attacks", "id_rand", "--measures", "k_min", "--json", tmp_path / "c.json"]
    done = run_icefire(capsys, *words, "--html", tmp_path / "c.html")
    assert done.code == 1
    assert "k of age, sex: 1; 3 classes, 2 of 4 rows are unique" in " ".join(done.out.split())
    assert json.loads((tmp_path / "c.json").read_text())["risks"]["weighted"]["k_min"] == 1.5
    assert "Combinations of columns" in (tmp_path / "c.html").read_text()
    table = run_icefire(capsys, "inspect", tmp_path / "o.csv", "--qi", "age", "--weight", "w", "--keys", "sex", "--yes")
    assert table.code == 0
    assert "the smallest class for 1.5" in " ".join(table.out.split())


def test_what_was_lost_is_counted_in_people_beside_rows():
    changed = {"age": [30, 50, 50, 50], "sex": ["m", "f", "f", "f"], "income": [20.0, 20.0, 30.0, 50.0]}
    released = FRAME.with_columns(*(pl.Series(name, values) for name, values in changed.items()))
    card = icefire.audit(FRAME, released, aligned=True, attacks=["id_rand"], measures=["U1", "U3"], **ROLES).scorecard
    weighted = card.usefulness.weighted
    # Weights 10, 1.5, 4, 6: the first person's income rises by 10, the first changes sex, the second age and sex.
    assert weighted.mean_error.weighted == pytest.approx(10 * 10 / 21.5)
    assert weighted.mean_error.by_rows == card.measures["mean_error"].value == pytest.approx(10 / 4)
    # Cells (30, f), (40, m), (50, f), (30, m): 10, 1.5, 1.5 and 10 people more or less.
    assert weighted.cross_count.weighted == pytest.approx((10 + 1.5 + 1.5 + 10) / 4)
    assert weighted.cross_count.by_rows == card.measures["cross_count"].value == 1
    by_column = {column.column: column for column in weighted.columns}
    assert set(by_column) == {"age", "sex", "income"}
    # f was 20 of 21.5 people and is 11.5; 1.5 people of 21.5 move by 10 of 20 years.
    assert by_column["sex"].distance == pytest.approx(8.5 / 21.5)
    assert by_column["age"].distance == pytest.approx(1.5 / 21.5 * 10 / 20)
    assert {column.column: column.distance for column in card.usefulness.distances.columns}["sex"] == 0
    line = surveys.lost(card.usefulness)["Lost in the population (weights w)"]
    assert line.startswith("weighted means change by 4.651 on average (U1; by rows 2.5); a cell of the cross table")
    assert "changes by 5.75 people" in line
    page = html.render(card)
    assert "5.75 people" in page


def test_equal_weights_change_nothing_but_the_scale():
    even = FRAME.with_columns(w=pl.lit(2.0))
    released = even.with_columns(age=pl.Series([30, 50, 50, 50]))
    quick = {"aligned": True, "attacks": ["id_rand"], "measures": []}
    usefulness = icefire.audit(even, released, **quick, **ROLES).scorecard.usefulness
    assert usefulness.weighted.cross_count.weighted == 2 * usefulness.weighted.cross_count.by_rows
    by_rows = {column.column: column.distance for column in usefulness.distances.columns}
    assert all(column.distance == pytest.approx(by_rows[column.column]) for column in usefulness.weighted.columns)
    plain = icefire.audit(even.drop("w"), released.drop("w"), qi=["age"], sa=["income"], **quick).scorecard
    assert plain.usefulness.weighted is None
    assert surveys.lost(plain.usefulness) == {}
