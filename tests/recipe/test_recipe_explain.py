"""`icefire recipe explain`: each step in words, and what it did to a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run_icefire
from support.sixpeople import ROLES, effects, steps

import icefire
from icefire import recipe
from icefire.core import registry, seeds
from icefire.core.errors import SchemaError
from icefire.core.registry import Entry
from icefire.recipe import explain

AGE = {"columns": ["age"]}


def test_effects_are_counted_as_by_hand(six):
    coded, dropped, unified = effects(
        six, {"method": "top_code", "value": 450}, {"method": "suppress_rows", "k": 2}, {"method": "unify", **AGE}
    )
    # Incomes 500 and 600 are above 450; no rent is.
    assert (coded.rows_changed, coded.cells_changed, coded.dropped) == (2, {"income": 2}, 0)
    assert (coded.classes.count, coded.classes.smallest, coded.classes.alone) == (3, 1, 1)
    # The one person of 40 is alone and goes.
    assert (dropped.dropped, dropped.rows, dropped.rows_changed) == (1, 5, 0)
    assert (dropped.classes.smallest, dropped.classes.alone) == (2, 0)
    # Three of the five are 30 and stay so; the two of 20 change.
    assert (unified.rows_changed, unified.cells_changed) == (2, {"age": 2})
    assert unified.columns == {"columns": ("age",)}
    assert [coded.drew, dropped.drew, unified.drew] == [False, False, False]


def test_an_average_that_hits_the_value_is_no_change(six):
    # The middle one of 300, 400, 500 keeps its value, and so does whoever is alone.
    (averaged,) = effects(six, "average")
    assert averaged.cells_changed == {"income": 4, "rent": 4}


def test_the_cheating_permutation_changes_no_cell(six):
    (cheated, noisy) = effects(six, "permute_index", "noise")
    assert (cheated.rows_changed, cheated.cells_changed, cheated.traded, cheated.nothing) == (0, {}, 6, False)
    assert noisy.rows_changed == 6


def test_trying_leaves_the_table_alone_and_does_what_a_run_does(six):
    before = six.frame.clone()
    given = steps("noise", {"method": "delete", "share": 0.5})
    noisy, _ = effects(six, *given["step"])
    assert six.frame.equals(before)
    released = icefire.anonymize(six, steps("noise"))
    changed = released.released.frame["income"] != six.frame["income"][released.truth.rows]
    assert int(changed.sum()) == noisy.cells_changed["income"]


def test_rows_and_draws_of_a_method_that_declares_nothing_are_not_promised():
    def strange(data, *, rng):
        """Do something."""
        return data

    step = recipe.Step(Entry("method", "strange", "", strange, {}), {}, "k")
    assert step.drops_rows is None
    assert step.draws
    told = explain.explain(recipe.Recipe((step,)))
    assert told.steps[0].rows == "Whether rows disappear is not known before it runs."
    assert told.steps[0].chance.startswith("Draws at random")


@pytest.mark.parametrize(
    ("name", "given", "draws", "drops"),
    [
        ("noise", {}, True, False),
        ("round_values", {}, False, False),
        ("round_values", {"how": "random"}, True, False),
        ("top_code", {"how": "drop"}, False, True),
        ("k_anonymize", {}, False, False),
        ("k_anonymize", {"max_suppressed": 0.1, "hierarchies": "folder"}, True, True),
        ("swap_rows", {}, True, False),
        ("swap_rows", {"few": 3}, True, True),
        ("pseudonyms", {"kind": "keyed_hash", "secret_file": "secret"}, False, False),
    ],
)
def test_what_a_method_declares_may_depend_on_its_parameters(name, given, draws, drops):
    (step,) = recipe.load({"step": [{"method": name, **given}]}).steps
    assert (step.draws, step.drops_rows) == (draws, drops)


@pytest.mark.parametrize(
    ("name", "parameter", "words"),
    [
        ("noise", "columns", "all numeric sensitive attributes"),
        ("top_code", "columns", "the numeric sensitive attributes, or else the numeric quasi-identifiers"),
        ("top_code", "value", "not given"),
        ("unify", "value", "the most frequent one of each column, the smallest of several"),
        ("k_anonymize", "sa", "all"),
        ("dummies", "clusters", "one for five customers"),
        ("generalize_goods", "prefix", "3; shorter names stay"),
    ],
)
def test_a_parameter_that_is_not_given_is_told_as_declared(name, parameter, words):
    (step,) = explain.explain(recipe.load({"step": [{"method": name}]})).steps
    assert {one.name: one.words for one in step.settings}[parameter] == words


def test_columns_are_told_in_words(six):
    given = recipe.load(steps({"method": "swap", "columns": ["rent"]}, "noise"))
    alone, table = explain.explain(given), explain.explain(given, six)
    words = [[{s.name: s.words for s in step.settings} for step in told.steps] for told in (alone, table)]
    assert words[0][0] == {"qi": "all quasi-identifiers", "columns": "rent"}
    assert words[1][0] == {"qi": "all 2 quasi-identifiers: age, job", "columns": "rent"}
    assert words[0][1]["columns"] == "all numeric sensitive attributes"
    assert words[1][1] == {
        "scale": "0.1, the default",
        "columns": "all 2 sensitive attributes: income, rent",
        "distribution": "normal, the default",
    }


def test_the_stream_named_is_the_one_drawn_from(six):
    told = explain.explain(recipe.load(steps("noise", "average")), six)
    assert "stream" in told.steps[0].chance
    assert told.steps[1].stream == []
    rng = seeds.generator(told.seed, *told.steps[0].stream)
    noisy = registry.get("method", "noise").function(six, rng=rng)
    (effect,) = effects(six, "noise")
    released = icefire.anonymize(six, steps("noise"))
    assert effect.drew
    assert sorted(released.released.frame["income"]) == sorted(noisy.frame["income"])


def test_an_explanation_fits_80_columns_and_tells_every_step(place, capsys):
    Path("r.toml").write_text(
        'seed = 5\n[[step]]\nmethod = "k_anonymize"\nk = 2\n[[step]]\nmethod = "average"\n'
        '[[step]]\nmethod = "swap"\n[[step]]\nmethod = "delete"\nshare = 0.5\n'
    )
    for words in ((), ("x.csv", *ROLES)):
        done = run_icefire(capsys, "recipe", "explain", "r.toml", *words)
        assert done.code == 0, done.err
        assert max(len(line) for line in done.out.splitlines()) <= 80
        for text in ("1. k_anonymize", "3. swap", "of seed 5", "Rows can disappear.", "hint: step 3: swap changes"):
            assert text in done.out, text
    assert "Here 3 rows were left out." in done.out
    assert "What the steps did to x.csv" in done.out


def test_an_explanation_as_json_holds_the_numbers(place, capsys):
    Path("r.toml").write_text('[[step]]\nmethod = "suppress_rows"\nk = 3\n')
    done = run_icefire(capsys, "recipe", "explain", "r.toml", "x.csv", *ROLES, "--json", "-")
    told = json.loads(done.out)
    assert (told["format_version"], told["rows"], told["classes"]["alone"]) == (1, 6, 1)
    assert told["steps"][0]["effect"]["dropped"] == 3
    assert told["steps"][0]["effect"]["classes"]["smallest"] == 3


def test_a_wrong_recipe_is_not_explained(place, capsys, six):
    Path("r.toml").write_text('[[step]]\nmethod = "swop"\n')
    done = run_icefire(capsys, "recipe", "explain", "r.toml")
    assert (done.code, done.out) == (2, "")
    assert "did you mean 'swap'?" in done.err
    with pytest.raises(SchemaError, match="recipe step 1: swap: qi: no column 'agee'"):
        explain.explain(recipe.load(steps({"method": "swap", "qi": ["agee"]})), six)
