"""Contests of an organiser's own that ask for members or customers, and their check on the command line."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from support.commands import run_icefire
from support.games import lines, numbers, sixty_people, table

from icefire.contests.custom import contest
from icefire.core.errors import IcefireError
from icefire.samples import shop

MEMBERS = {
    "asks": "membership",
    "qi": ["age", "job"],
    "sa": ["income"],
    "asked": 10,
    "measures": ["U1"],
    "attacks": ["rlink"],
}
HISTORY = {
    "asks": "customers",
    "header": False,
    "columns": ["who", "bill", "day", "hour", "what", "cost", "pieces"],
    "customer_columns": ["who", "sex", "born", "land"],
    "subject": "who",
    "item": "what",
    "receipt": "bill",
    "date": "day",
    "time": "hour",
    "price": "cost",
    "number": "pieces",
    "measures": ["u3_rfm"],
    "utilities": ["u3_rfm"],
    "attacks": [],
}


def toml(own) -> str:
    return "\n".join(
        ['rules = "custom"', "[custom]", *(f"{name} = {json.dumps(value)}" for name, value in own.items())]
    )


def test_who_is_in_a_table_is_asked_from_end_to_end(run):
    people = sixty_people()
    files = {
        "original.csv": table(people),
        "released.csv": table(people[20:]),
        "correspondence.csv": lines(range(20)),
    }
    taken, published = run("receive", files, rules="custom", custom=MEMBERS, seed=1)
    assert (taken["problems"], taken["rows"]) == ([], 40)
    assert len(published["targets.csv"].splitlines()) == 21  # ten deleted, ten kept, and the header
    judged, _ = run(
        "judge",
        {"original.csv": files["original.csv"], **published},
        rules="custom",
        custom=MEMBERS,
        joint_attacks=False,
        seed=1,
    )
    assert list(judged["attacks"]) == ["rlink"]
    place, question = numbers(published["truth.csv"]).T
    answers = place[np.argsort(np.where(question < 0, 99, question))[:20]]
    given = {"original.csv": files["original.csv"], "guess.csv": lines(answers), "truth.csv": published["truth.csv"]}
    scored, _ = run("guess", given, rules="custom", custom=MEMBERS, targets=40)
    assert (scored["hits"], scored["targets"]) == (10, 10)


def test_deleted_rows_of_an_own_contest_are_checked(run):
    people = sixty_people()
    files = {"original.csv": table(people), "released.csv": table(people[5:]), "correspondence.csv": lines(range(6))}
    taken, _ = run("receive", files, rules="custom", custom=MEMBERS, seed=1)
    assert taken["problems"] == [
        "correspondence.csv: 6 rows; at least 10 must be deleted, for so many are asked about",
        "released.csv: 55 rows, and 6 in correspondence.csv; together they must be the 60 of original.csv",
    ]


@pytest.fixture
def history_files():
    bought = shop.frame(12).write_csv(include_header=False).encode()
    people = pl.concat(shop.customers(12)).write_csv(include_header=False).encode()
    return {
        "people.csv": people,
        "original.csv": bought,
        "customers.csv": people,
        "released.csv": bought,
        "correspondence.csv": lines(range(12)),
    }


def test_whose_history_it_is_is_asked_from_end_to_end(run, history_files):
    taken, published = run("receive", history_files, rules="custom", custom=HISTORY, seed=1)
    assert (taken["problems"], taken["rows"]) == ([], 12)
    originals = {name: history_files[name] for name in ("original.csv", "people.csv")}
    judged, _ = run("judge", {**originals, **published}, rules="custom", custom=HISTORY, joint_attacks=False, seed=1)
    assert [one["value"] for one in judged["measures"].values()] == [pytest.approx(0)]
    given = {**originals, "guess.csv": published["truth.csv"], "truth.csv": published["truth.csv"]}
    scored, _ = run("guess", given, rules="custom", custom=HISTORY, targets=12)
    assert scored["rate"] == 1


def test_cells_of_an_own_history_are_named_by_its_own_columns(run, history_files):
    first, rest = history_files["released.csv"].split(b"\n", 1)
    cells = first.split(b",")
    history_files["released.csv"] = b",".join([*cells[:5], b"-1", *cells[6:]]) + b"\n" + rest
    taken, _ = run("receive", history_files, rules="custom", custom=HISTORY, seed=1)
    assert taken["problems"] == ["released.csv: row 0, column cost: '-1' is not allowed; a number above zero"]


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (HISTORY | {"header": True}, "header = false"),
        (HISTORY | {"item": "good"}, "item is 'good', which is none of `columns`"),
        (HISTORY | {"customer_columns": ["name"]}, "`customer_columns` lack the column of customers, 'who'"),
        (HISTORY | {"qi": ["sex"]}, "a history has subject and item"),
        (HISTORY | {"attacks": ["EUC2"]}, "'euc2' is not for a history"),
        (MEMBERS | {"attacks": ["EUC2"]}, "'euc2' is not for a table that asks who is in it"),
        (MEMBERS | {"asked": 0}, "asked is 0"),
    ],
)
def test_what_is_wrong_with_the_description_is_named(own, message):
    with pytest.raises(IcefireError, match=message):
        contest.build(own)


@pytest.fixture
def own_files(tmp_path):
    people = sixty_people()
    paths = [tmp_path / name for name in ("contest.toml", "X.csv", "Y.csv", "P.csv")]
    paths[0].write_text(toml({"qi": ["age", "job"], "sa": ["income"]}))
    people.write_csv(paths[1])
    people[:50].write_csv(paths[2])
    paths[3].write_bytes(lines(range(50)))
    return paths


def test_files_of_an_own_contest_are_checked_at_home(own_files, capsys):
    assert run_icefire(capsys, "check", *own_files).code == 0
    assert run_icefire(capsys, "check", *own_files[:3]).code == 0
    own_files[3].write_bytes(lines([99, *range(49)]))
    done = run_icefire(capsys, "check", *own_files)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "P.csv: row 0, column original: '99' is not allowed; a whole number from 0 to 59" in done.err


def test_an_own_contest_is_named_by_its_file_to_audit_anonymize_and_attack_too(own_files, tmp_path, capsys):
    described, known = own_files[:2]
    (tmp_path / "r.toml").write_text('[[step]]\nmethod = "shuffle"\n')
    made = run_icefire(
        capsys, "anonymize", known, "-r", tmp_path / "r.toml", "--contest", described, "-o", tmp_path / "made"
    )
    assert made.code == 0, made.err
    audited = run_icefire(capsys, "audit", known, tmp_path / "made", "--contest", described, "--json", "-", "--quiet")
    card = json.loads(audited.out)
    assert list(card["attacks"]) == ["id_rand", "id_sa", "sort", "sa_nearest", "euc1", "euc2"]
    released, guess = tmp_path / "made" / "released.csv", tmp_path / "guess.csv"
    assert run_icefire(capsys, "attack", "E4", known, released, "--contest", described, "-o", guess).code == 0


@pytest.mark.parametrize(("rule", "code"), [("", 2), ('formulas = "refuse"\n', 2), ('formulas = "escape"\n', 0)])
def test_formulas_are_refused_at_home_as_the_server_refuses_them(own_files, capsys, rule, code):
    own_files[0].write_text(rule + own_files[0].read_text())
    people = pl.read_csv(own_files[2]).with_columns(job=pl.lit("=1+1"))
    people.write_csv(own_files[2])
    done = run_icefire(capsys, "check", *own_files[:3])
    assert done.code == code
    assert ("Y.csv: row 0, column job: '=1+1' is not allowed" in done.err) == bool(code)
    people.write_csv(own_files[1])
    assert run_icefire(capsys, "check", *own_files[:3]).code == 0, "the original has it too"


def test_an_own_contest_is_also_read_from_the_json_that_teams_download(own_files, capsys):
    described = own_files[0].with_suffix(".json")
    described.write_text(json.dumps({"rules": "custom", "custom": {"qi": ["age"], "sa": ["income"]}}))
    assert run_icefire(capsys, "check", described, *own_files[1:]).code == 0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("custom", None, "name it: icefire check contest.toml X.csv Y.csv"),
        ("nowhere.toml", None, "nowhere.toml"),
        ("bad.toml", "rules = ", "cannot be read as TOML"),
        ("bad.json", "[1]", "describes no competition"),
        ("bad.toml", "title = 'x'", "does not say by which rules it is played"),
    ],
)
def test_a_description_that_is_none_is_named(own_files, tmp_path, capsys, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text)
    given = name if name == "custom" else tmp_path / name
    done = run_icefire(capsys, "check", given, *own_files[1:3])
    assert (done.code, done.err.count("\n"), message in done.err) == (2, 1, True)
