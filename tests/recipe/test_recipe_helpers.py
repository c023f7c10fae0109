"""`icefire recipe check`: every mistake found at once, odd steps hinted at."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from support.commands import run_icefire
from support.sixpeople import ROLES, steps

import icefire
from icefire import recipe
from icefire.core.errors import InputError, ParameterError
from icefire.recipe import preflight


def hinted(*given, data=None):
    return [(hint.step, hint.text) for hint in recipe.review(steps(*given), data).hints]


def wrong(*given, data=None):
    return [fault.text for fault in recipe.review(steps(*given), data).faults]


def test_every_mistake_is_listed_with_its_step_and_the_nearest_name(place, capsys):
    Path("r.toml").write_text(
        'sed = 3\n[[step]]\nmethod = "nois"\n[[step]]\nmethod = "noise"\nscal = 1\ncolumns = ["incom"]\n'
        '[[step]]\nmethod = "unify"\n[[step]]\nmethod = "k_anonymize"\nk = "many"\n'
    )
    done = run_icefire(capsys, "recipe", "check", "r.toml", "x.csv", *ROLES)
    assert (done.code, done.out) == (2, "")
    lines = [line for line in done.err.splitlines() if line.startswith("icefire: error: ")]
    told = [
        "recipe: unknown entry 'sed'; did you mean 'seed'?",
        "recipe step 1: unknown method 'nois'; did you mean 'noise'?",
        "recipe step 2: noise has no parameter 'scal'; did you mean 'scale'?",
        "recipe step 2: noise: columns: no column 'incom'; did you mean 'income'?",
        "recipe step 4: k_anonymize: parameter 'k' got 'many'; it takes a whole number, at least 1",
    ]
    assert len(lines) == len(told)
    for line, text in zip(lines, told, strict=True):
        assert line.startswith(f"icefire: error: {text}"), line


def test_a_recipe_without_mistakes_is_fine(place, capsys):
    Path("r.toml").write_text('[[step]]\nmethod = "k_anonymize"\nk = 2\n[[step]]\nmethod = "noise"\n')
    done = run_icefire(capsys, "recipe", "check", "r.toml")
    assert (done.code, done.out, done.err) == (0, "fine: 2 steps\n", "")
    done = run_icefire(capsys, "recipe", "check", "r.toml", "x.csv", *ROLES)
    assert (done.code, done.out) == (0, "fine: 2 steps, tried on 6 rows\n")


@pytest.mark.parametrize(
    ("step", "about"),
    [
        ({"method": "noise", "scale": [1]}, "recipe step 1: noise: parameter 'scale' got [1]; it takes a number"),
        ({"method": "pram", "invariant": 3}, "parameter 'invariant' got 3; it takes true or false"),
        ({"method": "noise", "columns": 4}, "parameter 'columns' got 4; it takes column names"),
        ({"method": "noise", "distribution": "norml"}, "normal, laplace, uniform; did you mean 'normal'?"),
        ({"methd": "noise"}, "recipe: step 1 names no method"),
        ({"method": 7}, "recipe: step 1 names no method"),
    ],
)
def test_a_parameter_of_the_wrong_type_is_named(step, about):
    assert about in wrong(step)[0]


def test_steps_under_two_names_are_refused():
    found = recipe.review({"step": [{"method": "swap"}], "steps": [{"method": "swap"}]})
    assert "both 'step' and 'steps' are given" in found.faults[0].text


def test_columns_roles_and_sizes_are_held_against_the_table(six):
    bare = icefire.read(six.frame, qi=["age"], sa=[])
    assert wrong("unify", "swap", data=bare) == [
        "recipe step 2: swap needs a sa column; name it with --sa or in the schema"
    ]
    told = wrong({"method": "swap", "qi": ["agee"], "columns": ["rent", "incom"]}, {"method": "average"}, data=six)
    assert [text.partition(";")[0] for text in told] == [
        "recipe step 1: swap: qi: no column 'agee'",
        "recipe step 1: swap: columns: no column 'incom'",
    ]
    assert wrong({"method": "k_anonymize", "k": 7}, data=six) == [
        "recipe step 1: k_anonymize: k is 7, but the table has 6 rows; choose a smaller k"
    ]


AGE, JOB = {"columns": ["age"]}, {"columns": ["job"]}


def test_steps_for_another_kind_of_data_are_all_found(six):
    given = {"method": "top_code", **JOB}, "swap", {"method": "laplace", **JOB}, {"method": "shift_dates", **AGE}
    assert [text.partition(";")[0].partition(",")[0] for text in wrong(*given, data=six)] == [
        "recipe step 1: top_code: column 'job' holds no numbers",
        "recipe step 3: laplace: column 'job' holds no numbers",
        "recipe step 4: shift_dates: column 'age' holds no dates",
    ]


def test_a_step_for_another_kind_of_data_is_refused_before_the_steps_before_it_run(six):
    told = []
    with pytest.raises(ParameterError, match="recipe step 2: top_code: column 'job' holds no numbers"):
        recipe.run_recipe(six, recipe.load(steps("swap", {"method": "top_code", **JOB})), told.append)
    assert told == []


def test_what_only_shows_in_a_run_is_found_by_trying(six):
    found = recipe.review(steps({"method": "sample_rows", "n": 3}, {"method": "k_anonymize", "k": 4}), six)
    assert [fault.step for fault in found.faults] == [2]
    assert "k is 4, but the table has 3 rows" in found.faults[0].text


def test_a_column_that_is_missing_in_the_rows_looked_at_first_is_no_mistake():
    looked_at = np.linspace(0, 199, preflight.PROBE_ROWS).astype(int)
    days = [None if row in looked_at else "2021-03-31" for row in range(200)]
    data = icefire.read(pl.DataFrame({"q": [1, 2] * 100, "day": days}), qi=["q"])
    assert wrong("unify", {"method": "shift_dates", "columns": ["day"]}, data=data) == []


def test_a_large_table_is_tried_on_some_rows_and_wholly_only_where_those_are_too_few(monkeypatch):
    monkeypatch.setattr(sys.modules["icefire.recipe.review"], "REHEARSAL_ROWS", 10)
    data = icefire.sample("households", 60)
    assert recipe.review(steps("noise"), data).rehearsed == 10
    enough = recipe.review(steps({"method": "k_anonymize", "k": 20}), data)
    assert (enough.fine, enough.rehearsed) == (True, 60)
    halved = recipe.review(steps({"method": "sample_rows", "n": 30}, {"method": "k_anonymize", "k": 40}), data)
    assert [fault.step for fault in halved.faults] == [2]


def test_a_recipe_is_refused_before_the_table_is_even_read(place, capsys):
    Path("r.toml").write_text('[[step]]\nmethod = "nois"\n')
    done = run_icefire(capsys, "anonymize", "nowhere.csv", "--recipe", "r.toml", "-o", "out")
    assert done.code == 2
    assert "recipe step 1: unknown method 'nois'" in done.err
    with pytest.raises(InputError, match="no steps"):
        icefire.anonymize("nowhere.csv", {"step": []})


def test_an_error_while_running_names_its_step(six):
    with pytest.raises(ParameterError, match=r"^recipe step 2: delete: a share of 1 leaves none of 6 rows"):
        icefire.anonymize(six, steps("noise", {"method": "delete", "share": 1}))


def test_roles_without_a_table_are_refused(place, capsys):
    Path("r.toml").write_text('[[step]]\nmethod = "noise"\n')
    for verb in ("check", "explain"):
        done = run_icefire(capsys, "recipe", verb, "r.toml", "--sa", "income")
        assert done.code == 2
        assert "describe data; name them after the recipe" in done.err


def test_problems_and_hints_as_json(place, capsys):
    Path("r.toml").write_text('[[step]]\nmethod = "nois"\n')
    done = run_icefire(capsys, "recipe", "check", "r.toml", "--json", "-")
    found = json.loads(done.out)
    assert (done.code, found["fine"], found["steps"], found["problems"][0]["step"]) == (2, False, 1, 1)
    Path("r.toml").write_text('[[step]]\nmethod = "permute_index"\n')
    done = run_icefire(capsys, "recipe", "check", "r.toml", "x.csv", *ROLES, "--json", "r.json")
    found = json.loads(Path("r.json").read_text())
    assert (done.code, found["fine"], found["problems"], found["rows_tried"]) == (0, True, [], 6)
    assert found["hints"][0]["text"].startswith("permute_index protects nobody")


@pytest.mark.parametrize(
    ("given", "step", "about"),
    [
        (("average", "swap"), 2, "swap changes nothing: in step 1 average has given each group one value"),
        (("swap", "average"), 1, "swap is lost: average in step 2 wipes out what it did"),
        (("shuffle", "swap"), 2, "swap changes nothing: in step 1 shuffle has mixed those columns"),
        (("swap", "shuffle"), 1, "swap is lost: shuffle in step 2"),
        (({"method": "unify", **AGE}, {"method": "pram", **AGE}), 2, "pram changes nothing: in step 1 unify has left"),
        (({"method": "pram", **AGE}, {"method": "suppress_columns", **AGE}), 1, "pram is lost: suppress_columns"),
        (("average", "delete", "swap"), 3, "swap changes nothing: in step 1"),
        (("k_anonymize", "delete"), 2, "delete leaves rows out after k_anonymize in step 1 made classes of 3"),
        (("k_anonymize", "pram"), 2, "pram changes quasi-identifiers after k_anonymize"),
        (("permute_index",), 1, "permute_index protects nobody"),
    ],
)
def test_a_step_that_is_probably_not_meant_gets_a_hint(given, step, about):
    (found,) = hinted(*given)
    assert found[0] == step
    assert found[1].startswith(about)


@pytest.mark.parametrize(
    "given",
    [
        ("k_anonymize", "swap", "noise"),
        ("delete", "k_anonymize", "average"),
        ("average", "k_anonymize", "swap"),
        ({"method": "average", "qi": ["age"]}, "swap"),
        ({"method": "average", "columns": ["rent"]}, {"method": "swap", "columns": ["income"]}),
        ({"method": "shuffle", "together": True}, "swap"),
        ({"method": "unify", **AGE}, {"method": "unify", "columns": ["job"]}),
        ({"method": "top_code", "how": "drop", **AGE}, {"method": "unify", **AGE}),
    ],
)
def test_a_step_that_does_something_gets_none(given):
    assert hinted(*given) == []


def test_a_hint_is_withdrawn_where_the_table_shows_it_wrong(six):
    # Averages are of numbers only, swaps of categories too: a job that is sensitive still moves.
    data = icefire.read(six.frame, qi=["age"], sa=["job", "income", "rent"])
    assert hinted("average", "swap")
    many = data.with_frame(pl.concat([data.frame.with_columns(pl.lit(j).alias("job")) for j in "pqrstu"]))
    assert hinted("average", "swap", data=many) == []
    assert hinted("k_anonymize", {"method": "delete", "share": 0}, data=six) == [
        (2, "delete changes nothing in this table")
    ]


def test_a_step_that_changed_nothing_is_told(six):
    assert hinted({"method": "top_code", "value": 1000}, data=six) == [(1, "top_code changes nothing in this table")]


def test_classes_that_do_not_last_are_told(six):
    told = hinted({"method": "k_anonymize", "k": 6}, {"method": "pram", "columns": ["age", "job"], "keep": 0}, data=six)
    assert told == [(2, "pram changes nothing in this table")], "one value cannot become another"
    told = hinted("suppress_rows", {"method": "noise", "columns": ["age"], "scale": 9}, data=six)
    assert told[0][1].startswith("suppress_rows made classes of 2, but in the end the smallest has 1: a later step")


def test_steps_alone_are_a_recipe():
    step = {"method": "k_anonymize", "k": 3}
    whole = recipe.load({"step": [step]})
    assert recipe.load([step]) == recipe.load((step,)) == recipe.load(step) == whole
    assert recipe.load([step], seed=4).seed == 4


@pytest.mark.parametrize("source", [None, 5, ["swap"], pl.DataFrame({"method": ["swap"]})])
def test_what_cannot_be_a_recipe_is_refused_with_what_can(source):
    with pytest.raises(ParameterError, match=r"recipe is a .*; give a TOML file, .*a list of steps such as"):
        recipe.load(source)


def test_no_steps_are_an_error():
    with pytest.raises(InputError, match="no steps"):
        recipe.load([])
