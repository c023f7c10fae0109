"""PWSCUP 2015: files whose columns have other names, and the attribute of E2 and E4."""

from __future__ import annotations

import polars as pl
from support.commands import run_icefire

from icefire import contests
from icefire.contests import pwscup2015
from icefire.samples import households
from icefire.studies import households as study


def test_columns_of_other_names_are_taken_by_their_order(tmp_path, capsys):
    people = households.frame(60)
    other = people.rename({name: f"列{place}" for place, name in enumerate(people.columns)})
    paths = [tmp_path / name for name in ("X.csv", "Y.csv", "P.csv")]
    other.write_csv(paths[0])
    other[:40].write_csv(paths[1])
    paths[2].write_text("".join(f"{row}\n" for row in range(40)))
    assert run_icefire(capsys, "check", "pwscup2015", *paths).code == 0
    people[:40].write_csv(paths[1])  # a release may have the contest's own names
    assert run_icefire(capsys, "check", "pwscup2015", *paths).code == 0
    other[:40].rename({"列1": households.QI[1]}).write_csv(paths[1])
    done = run_icefire(capsys, "check", "pwscup2015", *paths)
    assert (done.code, f"column {households.QI[0]}: the column is missing" in done.err) == (2, True)


def test_e2_and_e4_compare_one_attribute_everywhere():
    contest = contests.get("pwscup2015")
    assert contest.parameters["sa_nearest"] == {"column": "tuition", "zero_is_no_answer": True}
    assert contest.parameters["id_sa"] == {"column": "tuition"}
    assert study.PARAMETERS is pwscup2015.PARAMETERS
    assert contest.play().plan(seed=1).parameters == contest.parameters
    assert households.frame(2).columns[20] == "tuition"


def test_a_release_under_other_names_is_judged_in_the_arena(tmp_path):
    people = households.frame(60)
    other = people.rename({name: f"v{place}" for place, name in enumerate(people.columns)})
    given, out = tmp_path / "given", tmp_path / "out"
    given.mkdir()
    out.mkdir()
    other.write_csv(given / "original.csv")
    game = contests.get("pwscup2015").play(joint_attacks=False)
    game.write_unchanged(given)
    assert game.submission_problems(given) == []
    assert game.publish(given, out, seed=1).rows == 60
    assert pl.read_csv(out / "released.csv").columns == people.columns
