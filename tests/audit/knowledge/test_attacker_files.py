"""`[[attacker]]` in TOML files, policies and recipes: what may stand there, and what is refused."""

from __future__ import annotations

import json

import polars as pl
import pytest
from support.commands import run_icefire

import icefire
from icefire.audit.knowledge.attacker_files import read_entries
from icefire.core.errors import IcefireError

PEOPLE = pl.DataFrame(
    {
        "age": [21, 32, 43, 54, 65, 76, 27, 38],
        "sex": ["f", "m", "f", "m", "f", "m", "f", "m"],
        "income": [10.5, 20.5, 30.5, 40.5, 50.5, 60.5, 70.5, 80.5],
    }
)
QUICK = {"aligned": True, "measures": [], "attacks": ["id_rand"], "qi": ["age", "sex"], "sa": ["income"]}
FOUR = """
[[attacker]]
knows = ["age~2", "sex"]
share = 0.5

[[attacker]]
name = "clerk"
words = "the files of the tax office"
[attacker.columns]
income = { rounded = 10, error = 0.1 }
age = "exactly"

[[attacker]]
name = "roll"
register = "lists/roll.csv"
register_key = "sex_and_age"

[[attacker]]
name = "reporter"
knows = "journalist"
share = 1.0
"""


def written(folder, text):
    (folder / "attackers.toml").write_text(text, encoding="utf-8")
    return folder / "attackers.toml"


def test_all_kinds_of_entries_and_files_found_from_the_folder_of_the_file(tmp_path):
    keyed = PEOPLE.with_columns(sex_and_age=pl.format("{}{}", "sex", "age"))
    (tmp_path / "lists").mkdir()
    keyed.select("sex_and_age", "sex")[:3].write_csv(tmp_path / "lists" / "roll.csv")
    one = {**QUICK, "ids": ["sex_and_age"]}
    card = icefire.audit(keyed, PEOPLE, knowledge=written(tmp_path, FOUR), **one).scorecard
    by_name = {attacker.name: attacker for attacker in card.attackers}
    assert list(by_name) == ["age~2,sex;share=0.5", "clerk", "reporter", "roll"]
    assert by_name["clerk"].words == "the files of the tax office"
    assert by_name["clerk"].blurred == {"income": "rounded to 10 and wrong with a chance of 10.0 %"}
    assert by_name["roll"].people == 3
    assert (by_name["age~2,sex;share=0.5"].people, by_name["reporter"].people) == (4, 8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "missing required field `attacker`"),
        ("attacker = []", "names nobody"),
        ("[[attacker]]\nname = 'x'", "none of knows, columns and register"),
        ("[[attacker]]\nknows = 'age'\nregister = 'f.csv'", "several of knows, columns and register"),
        ("[[attacker]]\nknows = 'age'\nknow = 'sex'", "unknown field `know`"),
        ("[[attacker]]\nname = 'maximum'\nknows = 'sex'", "'maximum' is that of a profile"),
        ("[[attacker]]\nknows = 'age;share=0.5'\nshare = 0.1", "knows has one already"),
        ("[[attacker]]\nknows = 'age'\nshare = 2.0", "share is 2.0; it must be above 0"),
        ("[[attacker]]\nregister = 'f.csv'\nregister_key = 'k'\nshare = 0.5", "a register has its own people"),
        ("[[attacker]]\nknows = 'age'\nregister_key = 'k'", "name the file"),
        ("[[attacker]]\n[attacker.columns]\nage = { within = -1 }", "the tolerance of 'age' is -1"),
        ("[[attacker]]\n[attacker.columns]\nage = { within = 1, rounded = 2 }", "choose one of them"),
        ("[[attacker]]\n[attacker.columns]\nage = 'roughly'", "age|roughly"),
        ("[[attacker]\nknows = 'age'", "Expected"),
    ],
)
def test_entries_that_cannot_be_meant_are_refused_with_what_is_allowed(tmp_path, text, words):
    with pytest.raises(IcefireError, match=words) as caught:
        read_entries(written(tmp_path, text))
    assert "each [[attacker]] has one of knows" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[attacker]]\nregister = 'f.csv'", "who is who in the register is not known"),
        ("[[attacker]]\nname = 'x'\nknows = 'all'", "are several attackers"),
        ("[[attacker]]\nknows = 'agee'", "did you mean 'age'"),
        ("[[attacker]]\nknows = 'age'\n[[attacker]]\nknows = 'age'", "two attackers are called 'age'"),
    ],
)
def test_what_does_not_fit_the_data_is_one_clear_error(tmp_path, text, words):
    with pytest.raises(IcefireError, match=words):
        icefire.audit(PEOPLE, PEOPLE, knowledge=written(tmp_path, text), **QUICK)


RECIPE = {"steps": [{"method": "noise", "scale": 0.1}], "attacker": [{"knows": "age~2,sex"}]}


def test_a_recipe_names_attackers_who_are_tried_besides_the_one_who_knows_everything(tmp_path, capsys):
    PEOPLE.write_csv(tmp_path / "o.csv")
    (tmp_path / "r.toml").write_text(
        "seed = 1\n[[step]]\nmethod = 'noise'\nscale = 0.1\n[[attacker]]\nknows = 'age~2,sex'\n"
    )
    roles = "--qi age,sex --sa income --yes"
    made = run_icefire(capsys, *f"anonymize {tmp_path}/o.csv -r {tmp_path}/r.toml -o {tmp_path}/r {roles}".split())
    assert made.code == 0, made.err
    words = f"audit {tmp_path}/o.csv {tmp_path}/r --truth {tmp_path}/r.secret/truth.csv {roles} --attacks id_rand"
    run_icefire(capsys, *f"{words} --json {tmp_path}/c.json".split())
    card = json.loads((tmp_path / "c.json").read_text())
    assert [one["name"] for one in card["attackers"]] == ["maximum", "age~2,sex"]
    assert card["recipe"]["attacker"] == [{"knows": "age~2,sex"}]


def test_attackers_named_otherwise_come_first_and_nobody_twice():
    release = icefire.anonymize(PEOPLE, RECIPE, qi=["age", "sex"], sa=["income"], seed=1)
    card = icefire.audit(PEOPLE, release, knowledge="sex", **{**QUICK, "aligned": False}).scorecard
    assert [one.name for one in card.attackers] == ["sex", "age~2,sex"]


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([{"knows": ""}], "none of knows, columns and register"),
        ([{"register": "roll.csv", "register_key": "name"}], "is handed out with its release"),
        ("neighbour", "Expected `array`"),
    ],
)
def test_a_recipe_with_attackers_that_cannot_be_used_is_refused(entries, words):
    with pytest.raises(IcefireError, match=words):
        icefire.anonymize(PEOPLE, {**RECIPE, "attacker": entries}, qi=["age", "sex"], sa=["income"])
