"""A team may hand in its recipe without the seed; the judge then runs the attack `replay`."""

from __future__ import annotations

import pytest
from support.games import lines, table

import icefire
from icefire import contests
from icefire.contests import pwscup2016
from icefire.contests.games import handed_recipe
from icefire.core import registry

HOUSEHOLDS = {"rules": "pwscup2015", "seed": 1}
STEPS = {"steps": [{"method": "k_anonymize", "k": 4}, {"method": "swap"}]}
TOML = b'[[step]]\nmethod = "k_anonymize"\nk = 4\n\n[[step]]\nmethod = "swap"\n'
FREE_TEXT = {
    ("unify", "value"),
    ("scatter_rows", "formula"),
    ("generalize", "other"),
    ("generalize", "unit"),
}
"""Parameters of any text that name no file."""


@pytest.fixture(scope="module")
def handed() -> dict[str, bytes]:
    original = icefire.sample("households", 60)
    release = icefire.anonymize(original, STEPS, seed=5)
    files = {"original.csv": table(original.frame), "released.csv": table(release.released.frame)}
    return files | {"correspondence.csv": lines(release.truth.rows), "recipe.toml": TOML}


def _judged(run, handed: dict[str, bytes], **options: bool):
    given = {name: handed[name] for name in handed if name != "correspondence.csv"}
    return run("judge", given | {"truth.csv": handed["correspondence.csv"]}, **HOUSEHOLDS, **options)[0]


def _problems(run, handed: dict[str, bytes], recipe: bytes) -> list[str]:
    result, written = run("receive", handed | {"recipe.toml": recipe}, **HOUSEHOLDS)
    assert bool(written) is not bool(result["problems"])
    return result["problems"]


def test_the_judge_runs_replay_and_aya_counts_it(run, handed) -> None:
    judged = _judged(run, handed)
    without = _judged(run, {name: handed[name] for name in handed if name != "recipe.toml"})
    assert set(judged["attacks"]) == {*without["attacks"], "replay"}
    assert judged["attacks"]["replay"]["rate"] >= without["attacks"]["link"]["rate"]
    assert judged["aya"]["rate"] >= judged["attacks"]["replay"]["rate"]
    assert judged["measures"] == without["measures"]
    assert {name: judged["attacks"][name] for name in without["attacks"]} == without["attacks"]


def test_replay_does_not_run_where_the_joint_attacks_are_switched_off(run, handed) -> None:
    judged = _judged(run, handed, joint_attacks=False)
    assert not {"link", "replay"} & set(judged["attacks"])


def test_replay_does_not_run_where_no_step_can_be_repeated(run, handed) -> None:
    assert "replay" not in _judged(run, handed | {"recipe.toml": b'[[step]]\nmethod = "noise"\n'})["attacks"]


def test_the_recipe_is_never_handed_out(run, handed) -> None:
    result, written = run("receive", handed, **HOUSEHOLDS)
    assert result["problems"] == []
    assert sorted(written) == ["released.csv", "truth.csv"]
    game = contests.get("pwscup2015").play()
    assert game.optional == ("recipe.toml",)
    assert not {"recipe.toml"} & {*game.handed_out, *game.judge_files}


def test_only_games_that_ask_for_the_origin_take_a_recipe() -> None:
    taken = {rules: contests.get(rules).play().optional for rules in ("pwscup2015", "pwscup2016", "pwscup2021")}
    assert taken == {"pwscup2015": ("recipe.toml",), "pwscup2016": ("recipe.toml",), "pwscup2021": ()}


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (b"seed = 5\n" + TOML, "it has a seed"),
        (b"[[step]\n", "this is not TOML"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "this is not TOML"),
        (b"\xff\xfe", "this is not TOML"),
        (b"", "no steps"),
        (b"# " + b"x" * handed_recipe.MOST_BYTES + b"\n" + TOML, "at most 20,000 are taken"),
        (b'[[step]]\nmethod = "round_values"\n' * 11, "11 steps; at most 10 are taken"),
        (b'[[step]]\nmethod = "k_anonymise"\n', "k_anonymize"),
        (b'[[step]]\nmethod = "k_anonymize"\nk = 61\n', "k is 61, but the table has 60 rows"),
        (b'[[step]]\nmethod = "shuffle"\ncolumns = ["height"]\n', "no column 'height'"),
        (b'[[step]]\nmethod = "coarsen_dates"\n', "is for a history"),
        (b'[[step]]\nmethod = "k_anonymize"\nhierarchies = "/etc"\n', "hierarchies names a file"),
        (b'[[step]]\nmethod = "k_anonymize"\npopulation = "original.csv"\n', "population names a file"),
        (b'[[step]]\nmethod = "pseudonyms"\nkind = "keyed_hash"\nsecret_file = "k"\n', "secret_file names a file"),
    ],
)
def test_a_wrong_recipe_is_refused_with_one_problem(run, handed, recipe: bytes, said: str) -> None:
    (problem,) = _problems(run, handed, recipe)
    assert problem.startswith("recipe.toml: ")
    assert said in problem


def test_a_method_that_breaks_on_a_recipe_is_the_recipes_fault(run, handed, monkeypatch) -> None:
    def broken(*_: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(handed_recipe, "replayed_copies", broken)
    assert "cannot be repeated on the original (too large)" in _problems(run, handed, TOML)[0]


def test_every_parameter_that_names_a_file_is_declared() -> None:
    """Whoever adds a method with a parameter of any text says whether it names a file."""
    undeclared = {
        (entry.name, parameter.name)
        for entry in registry.entries("method")
        if entry.module.startswith("icefire.")
        for parameter in entry.parameters.values()
        if parameter.type is str and not (parameter.choices or parameter.many or parameter.name in entry.files)
    }
    assert undeclared == FREE_TEXT


def test_the_recipe_of_a_history_is_taken_too(run) -> None:
    original = icefire.sample("shop", 20)
    steps = [{"method": "coarsen_dates", "to": "week"}, {"method": "round_purchases", "number": "one"}]
    release = icefire.anonymize(original, {"steps": steps}, seed=2)
    shown, truth = release.released, lines(release.truth.rows)
    recipe = b'[[step]]\nmethod = "coarsen_dates"\nto = "week"\n[[step]]\nmethod = "round_purchases"\nnumber = "one"\n'
    given = {
        "original.csv": table(original.frame.select(pwscup2016.T), False),
        "people.csv": table(original.customers.select(pwscup2016.M), False),
        "released.csv": table(shown.frame.select(pwscup2016.T), False),
        "customers.csv": table(shown.customers.select(pwscup2016.M), False),
        "truth.csv": truth,
    }
    with_recipe = run("judge", given | {"recipe.toml": recipe}, rules="pwscup2016", seed=1)[0]
    assert with_recipe["attacks"]["replay"]["rate"] >= 0.9
    assert "replay" not in run("judge", given, rules="pwscup2016", seed=1)[0]["attacks"]
