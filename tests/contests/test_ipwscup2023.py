"""iPWS Cup 2023: six figures of utility by hand, the nearest row, every rule of the checker, and a game."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from support.arena.contest_play import opened_contest, play
from support.commands import run_icefire
from support.places import DATA

from icefire import contests
from icefire.contests import ipwscup2023 as cup
from icefire.contests.formulas import labelled_figures
from icefire.core.errors import UndefinedError

NHANES = DATA / "pwscup2021_nhanes" / "B.csv"
B = """Male,62,White,Graduate,Married,27.8,0,0,0,0,Q1,1
Male,53,White,HighSchool,Divorced,30.8,0,0,0,0,Q2,0
Male,78,White,HighSchool,Married,28.8,1,0,0,0,Q3,1
Female,56,White,College,Parther,42.4,0,1,0,0,Q4,0
Female,42,Black,College,Divorced,20.3,1,0,0,0,Q4,1
Female,72,Mexican,11th,Separated,28.6,0,0,0,0,Q1,0
Male,22,Black,HighSchool,Never,28.0,0,1,0,0,Q3,0
Female,32,White,Graduate,Married,28.2,0,1,0,0,Q1,1
"""


def frame(text: str) -> pl.DataFrame:
    return pl.read_csv(text.encode(), has_header=False, infer_schema=False, new_columns=list(cup.COLUMNS))


@pytest.fixture
def files(tmp_path):
    """B, C (equal to B) and the answers of an attack on all of it."""
    paths = [tmp_path / name for name in ("B.csv", "C.csv", "E.csv")]
    for path in paths[:2]:
        path.write_text(B)
    paths[2].write_text("".join(f"{row}\n" for row in range(8)))
    return paths


def test_six_figures_of_eight_rows_by_hand():
    known = pl.DataFrame({"gen": ["Female"] * 4 + ["Male"] * 4, "dia": [0.0, 0, 1, 1, 0, 0, 1, 1]})
    shown = known.with_columns(dia=pl.Series([0.0, 0, 1, 1, 0, 0, 0, 1]))
    figures = {
        "rate_max": [labelled_figures.shares(one, ("gen",), "dia", {}) for one in (known, shown)],
        "or_max": [labelled_figures.odds_ratios(one, "dia", ("gen",), "B") for one in (known, shown)],
        "cor_max": [labelled_figures.correlations(one) for one in (known, shown)],
    }
    losses = {name: labelled_figures.largest_difference(*both) for name, both in figures.items()}
    assert losses == {
        "rate_max": pytest.approx(1 / 8),
        "or_max": pytest.approx(1 - 1 / 3),
        "cor_max": pytest.approx(4 / np.sqrt(240)),
    }
    losses |= {"iloss2_age": 0.45, "iloss2_bmi": 0.15, "iloss2_cat": 0.125}
    assert cup.utility(losses) == pytest.approx(0.667566, abs=1e-6)
    assert cup.utility({**losses, "or_max": 1.2, "cor_max": 1.5}) == 0


def test_the_losses_of_a_row_are_those_of_the_worst_row():
    known = frame(B)
    shown = known.with_columns(
        age=pl.Series(["53", *known["age"][1:]]),
        bmi=pl.Series(["30.8", *known["bmi"][1:]]),
        dia=pl.Series(["0", *known["dia"][1:]]),
    )
    measures = cup.measure(known, shown)
    assert measures["iloss2_age"].value == pytest.approx(0.45)
    assert measures["iloss2_bmi"].value == pytest.approx(0.15)
    assert measures["iloss2_cat"].value == pytest.approx(0.125)
    far = cup.measure(known, known.with_columns(age=pl.lit("100")))
    assert far["iloss2_age"].value == 1


def test_a_bin_that_is_empty_counts_nothing_and_a_value_that_is_absent_is_skipped():
    known = pl.DataFrame({"age": [19.0, 30, 50, 50], "race": ["a", "a", "b", "a"], "dia": [0.0, 0, 0, 0]})
    edges = {"age": (19.0, 44.0, 64.0, 80.0)}
    shares = labelled_figures.shares(known, ("age", "race"), "dia", edges)
    assert shares == {
        "age=bin 1, 0.0": 0.25,  # 19 is in no bin
        "age=bin 2, 0.0": 0.5,
        "age=bin 3, 0.0": 0.0,
        "race=a, 0.0": 0.75,
        "race=b, 0.0": 0.25,
    }
    assert labelled_figures.largest_difference({"a": 1.0, "b": 0.25}, {"b": 0.75}) == 0.5
    with pytest.raises(UndefinedError):
        labelled_figures.largest_difference({"a": 1.0}, {"b": 0.75})


def test_the_nearest_row_counts_two_for_an_unequal_word_and_the_lowest_of_equal_ones():
    known = frame(B).with_columns(age=pl.lit("50"), bmi=pl.lit("30"))[[0, 0, 1, 3]]
    shown = known[[1, 2, 3]].with_columns(qm=pl.Series(["Q1", "Q1", "Q4"]), gen=pl.lit("Male"))
    assert cup.rlink2(known, shown).tolist() == [0, 2, 3]
    slow = [_nearest_slowly(known, row) for row in shown.iter_rows(named=True)]
    assert cup.rlink2(known, shown).tolist() == slow


def _nearest_slowly(known, row):
    distances = [
        sum((float(one[c]) - float(row[c])) ** 2 for c in cup.NUMBERS) + 2 * sum(one[c] != row[c] for c in cup.WORDS)
        for one in known.iter_rows(named=True)
    ]
    return int(np.argmin(distances))


@pytest.mark.skipif(not NHANES.exists(), reason="the contest's data are not beside the repository")
def test_figures_of_the_real_survey():
    known = cup.read(NHANES)
    moved = (pl.int_range(pl.len()) % 10 == 0).alias("moved")
    shown = known.with_columns(
        ((pl.col("age").cast(float) // 2) * 2).cast(str), pl.col("bmi").cast(float).floor().cast(str)
    ).with_columns(pl.when(moved).then(pl.col(name).shift(-1)).otherwise(pl.col(name)) for name in cup.WORDS)
    values = {name: result.value for name, result in cup.measure(known, shown).items()}
    assert values == pytest.approx(
        {
            "rate_max": 0.046301,
            "or_max": 0.135045,
            "cor_max": 0.040278,
            "iloss2_age": 0.05,
            "iloss2_bmi": 0.045,
            "iloss2_cat": 0.625,
            "utility": 0.803621,
        },
        abs=1e-6,
    )
    attacks, _ = cup.attack(known, shown, np.arange(known.height))
    assert attacks["rlink2"].hits == 3759


def test_files_that_follow_the_rules_are_fine(files, capsys):
    assert run_icefire(capsys, "check", "ipwscup2023", *files[:2]).code == 0
    assert run_icefire(capsys, "check", "ipwscup2023", *files).code == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        (1, B.splitlines(keepends=True)[0], "", "7 rows; B.csv has 8"),
        (1, ",62,", ",12,", "row 0, column age: '12' is not allowed; a number from 13 to 87"),
        (1, ",27.8,", ",7.9,", "row 0, column bmi: '7.9' is not allowed; a number from 8 to 91"),
        (1, ",0,0,0,0,Q1,1", ",0.5,0,0,0,Q1,1", "row 0, column dep: '0.5' is not allowed; one of 0, 1"),
        (1, "0,0,0,0,Q1,1", "0,2,0,0,Q1,1", "row 0, column pir: '2' is not allowed"),
        (1, "Q1,1", "Q1,2", "row 0, column dia: '2' is not allowed"),
        (1, "Male,62", "Man,62", "row 0, column gen: 'Man' is not allowed; one of Female, Male"),
        (1, "White,Graduate", "Whyte,Graduate", "row 0, column race: 'Whyte' is not allowed"),
        (1, "Graduate,Married", "Missing,Married", "row 0, column edu: 'Missing' is not allowed"),
        (1, "Married,27.8", "Wed,27.8", "row 0, column mar: 'Wed' is not allowed"),
        (1, "Q1,1", "Q5,1", "row 0, column qm: 'Q5' is not allowed"),
        (1, "Male,62", ",62", "row 0, column gen: an empty cell is not allowed"),
        (1, "0,0,0,0,Q1,1", "0,0,x,0,Q1,1", "row 0, column gh: 'x' is not allowed; a number"),
        (1, "Q1,1", "Q1", "row 0: 11 columns; 12 are needed"),
        (2, "0\n", "8\n", "row 0, column answer: '8' is not allowed; a whole number from 0 to 7"),
        (2, "0\n", "-1\n", "row 0, column answer: '-1' is not allowed"),
        (2, "0\n", "", "7 rows; an attack answers for 8"),
    ],
)
def test_every_rule_names_the_row_and_what_is_allowed(files, capsys, file, old, new, problem):
    text = files[file].read_text()
    assert old in text
    files[file].write_text(text.replace(old, new, 1))
    done = run_icefire(capsys, "check", "ipwscup2023", *files)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"icefire: error: {files[file].name}: {problem}" in done.err


def test_the_audit_writes_measures_attacks_and_the_score(tmp_path, capsys):
    original, released = tmp_path / "B.csv", tmp_path / "C.csv"
    contests.get("ipwscup2023").write_sample(original, tmp_path / "nobody.csv", rows=200)
    cup.read(original).with_columns(age=pl.col("age").cast(float).floor().cast(str)).write_csv(
        released, include_header=False
    )
    done = run_icefire(capsys, "audit", original, released, "--contest", "ipwscup2023", "--json", "-")
    assert done.code == 0
    card = json.loads(done.out)
    assert list(card["measures"]) == list(cup.MEASURES)
    assert card["attacks"]["rlink2"]["rate"] == 1.0
    assert card["contest"]["figures"] == {"utility": card["measures"]["utility"]["value"], "privacy": 0, "score": 0}
    assert card["verdict"]["passed"] is None


def test_the_audit_refuses_what_has_no_meaning_there(files, capsys):
    done = run_icefire(capsys, "audit", *files[:2], "--contest", "ipwscup2023", "--max-reid", "0.1")
    assert done.code == 2
    assert "leave out --policy, --max-reid, --max and --min" in done.err


def test_a_whole_game(tmp_path, monkeypatch):
    with opened_contest(tmp_path / "arena", monkeypatch, "ipwscup2023", 400) as arena:
        table = arena.originals("final")["original.csv"].read_bytes()

        def guess(files, truth):
            assert list(files) == ["released.csv"]
            drawn = truth.split()
            assert len(drawn) == len(files["released.csv"].splitlines()) == 300
            lines = table.splitlines()
            assert [lines[int(row)] for row in drawn] == files["released.csv"].splitlines()
            return "\n".join([*drawn[:75], *["0"] * 225]).encode()

        _, board = play(arena, {"released.csv": table}, guess)
        (row,) = board.ice.rows
        assert (row.rank, row.players, row.samples) == (1, pytest.approx(0.25, abs=0.01), 1.0)
        assert row.total == pytest.approx(1)  # everybody is recognised: the score is 0
        assert board.fire.rows[0].score == row.players


def test_the_score_is_one_less_the_sum_of_its_parts():
    for utility, security in ((0.8, 0.25), (0.5, 0.0), (0.0, 0.5), (0.7, 1.0)):
        parts = cup.score_parts({"utility": utility}, security)
        assert 1 - sum(parts.values()) == pytest.approx(cup.harmonic_score(utility, 1 - security))
    assert cup.harmonic_score(0.8, 0.75) == pytest.approx(0.774194, abs=1e-6)
