"""The files of a contest are checked cell by cell, and every problem is named at once."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from support import smallshop
from support.commands import run_icefire

from icefire import contests
from icefire import sample as make_sample
from icefire.contests import pwscup2016, pwscup2021
from icefire.contests.pwscup2021 import COLUMNS
from icefire.core.errors import ParameterError, UnknownNameError


def write(path, rows) -> str:
    path.write_text("".join(",".join(str(cell) for cell in row) + "\n" for row in rows))
    return str(path)


def text(found) -> list[str]:
    return [str(problem) for problem in found.problems]


# --- PWS Cup 2016


@pytest.fixture
def shop_files(tmp_path):
    customers = [(*row[:2], "1980/1/2", row[2]) for row in smallshop.customers().rows()]
    bought = smallshop.frame().select(pwscup2016.T).rows()
    number = {name: str(place + 1) for place, (name, *_) in enumerate(customers)}
    shown = [(number[row[0]], *row[1:]) for row in customers]
    sold = [(number[row[0]], *row[1:]) for row in bought]
    tables = {"M": customers, "T": bought, "M2": shown, "T2": sold, "P": [(i,) for i in range(5)]}
    return {name: [list(row) for row in rows] for name, rows in tables.items()}, tmp_path


def check_shop(files):
    tables, folder = files
    paths = [folder / f"{name}.csv" for name in ("M", "T", "M2", "T2", "P")]
    for path, rows in zip(paths, tables.values(), strict=True):
        write(path, rows)
    return contests.get("pwscup2016").check(paths)


def test_a_right_submission_of_2016_is_fine(shop_files):
    assert check_shop(shop_files).problems == ()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("1,東京\n".encode("cp932"), "T2.csv: byte 93 is no UTF-8; save the file as CSV in UTF-8"),
        (b'1,"' + b"x" * 200_000 + b'"\n', "T2.csv: it cannot be read as CSV (field larger"),
    ],
)
def test_a_file_that_is_no_text_is_named(shop_files, content, problem):
    check_shop(shop_files)
    _, folder = shop_files
    (folder / "T2.csv").write_bytes(content)
    found = contests.get("pwscup2016").check([folder / f"{name}.csv" for name in ("M", "T", "M2", "T2", "P")])
    assert any(problem in line for line in text(found)), text(found)


def test_every_problem_of_2016_is_listed_with_row_and_column(shop_files):
    tables, _ = shop_files
    tables["T2"][0][0] = "9"
    tables["T2"][1][2] = "2020/2/30"
    tables["T2"][2][3] = "25:00"
    tables["T2"][3][5] = "-1"
    tables["T2"][4][6] = "0"
    tables["T2"][5][4] = ""
    tables["P"][0] = [4]
    found = text(check_shop(shop_files))
    assert found == [
        "T2.csv: row 0, column customer: '9' is not allowed; a customer of M2.csv",
        "T2.csv: row 1, column date: '2020/2/30' is not allowed; dates are written year first, such as 2010/12/1 or "
        "2010-12-01 08:45",
        "T2.csv: row 2, column time: '25:00' is not allowed; times are written as hour:minute, such as 8:45 or "
        "08:45:00",
        "T2.csv: row 5, column goods: an empty cell is not allowed; every row names a good",
        "T2.csv: row 3, column price: '-1' is not allowed; a price above zero",
        "T2.csv: row 4, column number: '0' is not allowed; a number above zero",
        "P.csv: row 4, column original: '4' is not allowed; each row of the original once",
    ]


def test_a_customer_without_rows_and_one_listed_twice_are_named(shop_files):
    tables, _ = shop_files
    tables["T2"] = [row for row in tables["T2"] if row[0] != "4"]
    tables["M2"].append(["1", "f", "", "Here"])
    found = text(check_shop(shop_files))
    assert "M2.csv: row 5, column customer: '1' is not allowed; each customer once" in found
    assert "M2.csv: row 3, column customer: '4' is not allowed; a customer with rows in T2.csv" in found
    assert any("P.csv: 5 rows; one is needed for each of the 6 customers" in line for line in found)


def test_rows_of_another_width_are_named(shop_files):
    tables, _ = shop_files
    tables["T2"][7] = tables["T2"][7][:5]
    assert text(check_shop(shop_files)) == ["T2.csv: row 7: 5 columns; 7 are needed"]


def test_the_score_of_2016_is_the_mean_of_the_worst_utility_and_the_worst_attack(shop_files, capsys):
    check_shop(shop_files)
    folder = shop_files[1]
    done = run_icefire(
        capsys,
        *("audit", folder / "T.csv", folder / "T2.csv", "--contest", "pwscup2016", "--truth", folder / "P.csv"),
        *("--customers", folder / "M.csv", "--released-customers", folder / "M2.csv", "--json", "-"),
    )
    assert done.code == 1, "nothing was changed, so the public policy is not kept"
    card = json.loads(done.out)
    utility = max(card["measures"][name]["value"] for name in ("u1_cmae", "u2_cmae", "u3_rfm"))
    security = max(attack["rate"] for attack in card["attacks"].values())
    assert card["contest"]["figures"] == {"utility": utility, "security": security, "score": (utility + security) / 2}
    assert utility == 0


# --- PWS Cup 2021


@pytest.fixture
def survey_files(tmp_path):
    frame = make_sample("survey", 300).frame.select(COLUMNS)
    rows = [list(row) for row in frame.rows()]
    gone = list(range(0, 300, 5))
    kept = [row for place, row in enumerate(rows) if place not in gone]
    return {"B": rows, "D": [list(row) for row in kept], "X": [[row] for row in gone]}, tmp_path


def check_survey(files):
    tables, folder = files
    paths = [folder / f"{name}.csv" for name in tables]
    for path, rows in zip(paths, tables.values(), strict=True):
        write(path, rows)
    return contests.get("pwscup2021").check(paths)


def test_a_right_submission_of_2021_is_fine_and_measured(survey_files):
    found = check_survey(survey_files)
    assert found.problems == ()
    assert [limit.name for limit in found.limits] == ["iloss", "uniqrt", "rate_max", "or_max", "cor_max"]
    assert found.limits[0].value == 0


def test_every_problem_of_2021_is_listed_with_row_and_column(survey_files):
    tables, _ = survey_files
    tables["D"][0][0] = "Robot"
    tables["D"][1][1] = 150
    tables["D"][2][5] = "heavy"
    tables["D"][3][11] = 2
    tables["X"][0] = [4190]
    tables["X"][1] = [tables["X"][2][0]]
    found = text(check_survey(survey_files))
    assert found == [
        "D.csv: row 0, column gen: 'Robot' is not allowed; one of Female, Male",
        "D.csv: row 1, column age: '150' is not allowed; a number from 13 to 85",
        "D.csv: row 2, column bmi: 'heavy' is not allowed; a number from 13 to 75",
        "D.csv: row 3, column dia: '2' is not allowed; one of 0, 1",
        "X.csv: row 0, column row: '4190' is not allowed; a whole number from 0 to 299",
        "X.csv: row 2, column row: '10' is not allowed; each row once",
    ]


def test_sizes_that_do_not_add_up_are_named(survey_files):
    tables, _ = survey_files
    tables["D"] = tables["D"][:140]
    tables["X"] = tables["X"][:40]
    assert text(check_survey(survey_files)) == [
        "X.csv: 40 rows; at least 50 must be deleted, for so many are asked about",
        "D.csv: 140 rows; at least half of the 300 rows of B.csv are needed",
        "D.csv: 140 rows, and 40 in X.csv; together they must be the 300 of B.csv",
    ]


def test_half_the_rows_of_2021_are_enough_and_one_less_is_not(survey_files):
    tables, _ = survey_files
    tables["D"], tables["X"] = tables["B"][150:], [[row] for row in range(150)]
    assert check_survey(survey_files).problems == ()
    tables["D"], tables["X"] = tables["B"][151:], [[row] for row in range(151)]
    assert text(check_survey(survey_files)) == ["D.csv: 149 rows; at least half of the 300 rows of B.csv are needed"]


def test_answers_of_the_wrong_shape_are_named(survey_files):
    tables, _ = survey_files
    tables["E"] = [[-1, -1, -1]] * 98 + [[240, 0, 1.5]]
    assert text(check_survey(survey_files)) == [
        "E.csv: 99 rows; an attack answers for 100 records",
        "E.csv: row 98, column answer 1: '240' is not allowed; a whole number from -1 to 239",
        "E.csv: row 98, column answer 3: '1.5' is not allowed; a whole number from -1 to 239",
    ]


def test_a_row_with_too_few_cells_is_named(survey_files):
    tables, _ = survey_files
    tables["B"][9] = tables["B"][9][:11]
    assert text(check_survey(survey_files))[0] == "B.csv: row 9: 11 columns; 12 are needed"


def test_the_command_lists_all_problems_and_exits_with_2(survey_files, capsys):
    tables, folder = survey_files
    tables["D"][0][0], tables["D"][1][1] = "Robot", -5
    check_survey(survey_files)
    done = run_icefire(capsys, "check", "pwscup2021", folder / "B.csv", folder / "D.csv", folder / "X.csv")
    assert done.code == 2
    assert done.err.count("icefire: error: D.csv") == 2
    assert done.out == ""


def test_over_a_limit_exits_with_1_and_says_which(survey_files, capsys):
    tables, folder = survey_files
    tables["D"][0][1] = 85 if tables["D"][0][1] < 50 else 20
    check_survey(survey_files)
    done = run_icefire(
        capsys, "check", "pwscup2021", folder / "B.csv", folder / "D.csv", folder / "X.csv", "--json", "-"
    )
    assert done.code == 1
    found = json.loads(done.out)
    assert next(limit["name"] for limit in found["limits"] if not limit["passed"]) == "iloss"


# --- PWSCUP 2015, and the names


def test_2015_names_missing_columns_wrong_cells_and_a_false_correspondence(tmp_path):
    frame = make_sample("households", 30).frame
    shown = frame.with_columns(pl.col(frame.columns[-1]).cast(pl.String).replace_strict({}, default="many"))
    frame.write_csv(tmp_path / "X.csv")
    shown.head(3).write_csv(tmp_path / "Y.csv")
    write(tmp_path / "P.csv", [(0,), (99,), (0,)])
    rules = contests.get("pwscup2015")
    found = text(rules.check([tmp_path / name for name in ("X.csv", "Y.csv", "P.csv")]))
    assert found[0] == f"Y.csv: row 0, column {frame.columns[-1]}: 'many' is not allowed; a number"
    assert found[3] == "P.csv: row 1, column original: '99' is not allowed; a whole number from 0 to 29"
    frame.drop(frame.columns[0]).write_csv(tmp_path / "Y.csv")
    assert text(rules.check([tmp_path / "X.csv", tmp_path / "Y.csv"])) == [
        f"Y.csv: column {frame.columns[0]}: the column is missing"
    ]


def test_an_unknown_contest_and_a_wrong_number_of_files_are_named(tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'pwscup20"):
        contests.get("pwscup2012")
    with pytest.raises(ParameterError, match=r"takes B\.csv D\.csv X\.csv E\.csv"):
        contests.get("pwscup2021").check([tmp_path / "B.csv"])
    assert pwscup2021.CONTEST.measures is not None
    assert np.all([contests.get(name).name == name for name in contests.names()])
