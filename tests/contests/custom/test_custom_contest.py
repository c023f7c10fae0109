"""A contest of an organiser's own: its table, its checks, its game."""

from __future__ import annotations

import polars as pl
import pytest
from support.games import lines, rows, sixty_people, table

from icefire import contests
from icefire.contests.custom import contest
from icefire.core.errors import IcefireError

OWN = {"qi": ["age", "job"], "sa": ["income"]}


@pytest.fixture(scope="module")
def people():
    return sixty_people()


def receive_own(run, known, released, own=OWN, rows=None):
    header = own.get("header", True)
    files = {
        "original.csv": table(known, header),
        "released.csv": table(released, header),
        "correspondence.csv": lines(range(released.height) if rows is None else rows),
    }
    return run("receive", files, rules="custom", custom=own, seed=1)


def test_an_own_contest_is_played_from_end_to_end(run, people):
    game = contests.get_or_build("custom", OWN).play()
    assert game.measures == ("S1", "S2", "U1", "U2", "U3", "U5", "U6")
    taken, made = receive_own(run, people, people[:50])
    assert (taken["problems"], taken["rows"]) == ([], 50)
    own = OWN | {"measures": ["S1", "U1", "U5"], "attacks": ["euc2"], "limits": {"S1": 2}}
    found, _ = run("judge", {"original.csv": table(people), **made}, rules="custom", custom=own, seed=1)
    assert list(found["measures"]) == ["S1", "U1", "U5"]
    assert list(found["attacks"]) == ["EUC2", "link", "link_rest"]
    assert found["attacks"]["EUC2"]["rate"] > 0.9
    assert found["aya"]["rate"] > 0.9
    assert all("below 2, the smallest value that is allowed" in sentence for sentence in found["broken"])
    answers = {"original.csv": table(people), "guess.csv": made["truth.csv"], "truth.csv": made["truth.csv"]}
    scored, _ = run("guess", answers, rules="custom", custom=own, targets=50)
    assert scored["rate"] == 1


def test_an_own_contest_without_a_header(run, people):
    own = OWN | {"header": False, "columns": people.columns, "missing": ["?"]}
    taken, made = receive_own(run, people, people, own)
    assert taken["problems"] == []
    assert len(rows(made["released.csv"])) == 60


def test_what_is_wrong_with_a_release_of_an_own_contest_is_named(run, people):
    text = people.with_columns(pl.col("income").cast(pl.String))
    wrong = text.with_columns(income=pl.when(pl.int_range(pl.len()) == 4).then(pl.lit("much")).otherwise("income"))
    assert receive_own(run, people, wrong)[0]["problems"] == [
        "released.csv: row 4, column income: 'much' is not allowed; a number"
    ]
    empty = people.with_columns(job=pl.when(pl.int_range(pl.len()) == 2).then(None).otherwise("job"))
    assert receive_own(run, people, empty)[0]["problems"] == [
        "released.csv: row 2, column job: an empty cell is not allowed; every cell filled, as in the original"
    ]
    assert receive_own(run, people, people.drop("note"))[0]["problems"] == [
        "released.csv: column note: the column is missing"
    ]
    assert "each row of the original once" in receive_own(run, people, people[:3], rows=[0, 0, 1])[0]["problems"][0]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, r"names no column; give qi"),
        ({"qi": ["a"], "sa": ["a"]}, "column 'a' is in qi and in sa"),
        ({"qi": ["a"], "measure": ["U1"]}, "has no entry 'measure'; did you mean 'measures'"),
        ({"qi": "a"}, r"\[custom\]: Expected `array`, got `str`"),
        ({"qi": ["a"], "header": False}, "need `columns`"),
        ({"qi": ["a"], "columns": ["a"]}, "need `columns`, and only they do"),
        ({"qi": ["a"], "measures": ["U9"]}, "unknown measure 'U9'"),
        ({"qi": ["a"], "attacks": ["jaccard"]}, "'jaccard' is not for a table"),
        ({"qi": ["a"], "attacks": ["rlink"]}, "'rlink' is not for a table"),
        ({"qi": ["a"], "utilities": ["S1"]}, "'k_min', which is better when higher"),
        ({"qi": ["a"], "limits": {"nothing": 1}}, "unknown measure 'nothing'"),
        ({"qi": ["a"], "parameters": {"euc1": {"nothing": 1}}}, "nothing"),
    ],
)
def test_what_is_wrong_with_an_own_contest_is_said(table, said):
    with pytest.raises(IcefireError, match=said):
        contest.build(table)


@pytest.mark.parametrize(
    ("own", "left"),
    [
        ({"qi": ["age", "job"], "sa": ["income", "sick"]}, ("U1", "U2", "U3", "U5", "U6")),
        ({"qi": ["age"], "sa": ["income", "age2"]}, None),
        ({"qi": ["age", "job"], "sa": ["income"]}, None),
    ],
)
def test_what_has_no_value_on_the_original_does_not_count_unasked(people, tmp_path, own, left):
    path = tmp_path / "own.csv"
    sick = pl.Series("sick", ["yes", "no", "no"] * 20)
    people.with_columns(sick, (pl.col("age") % 7).alias("age2")).write_csv(path)
    assert contest.utilities_with_value(own, path) == left
    if left is None:
        contest.check_original(contest.build(own), path)
        return
    with pytest.raises(IcefireError, match=r"no value even on own\.csv itself .* would be refused; write utilities"):
        contest.check_original(contest.build(own), path)
    contest.check_original(contest.build({**own, "utilities": left}), path)


def test_columns_decide_what_is_measured_unasked():
    assert contests.get_or_build("custom", {"qi": ["a"]}).play().measures == ("S1", "S2", "U3", "U6")
    assert contests.get_or_build("custom", {"qi": ["a"]}).play().utilities == ("U3", "U6")
    assert contests.get_or_build("custom", {"sa": ["a"]}).play().attacks == (
        "E3",
        "E4",
        "EUC2",
        "link",
        "link_rest",
        "replay",
    )
