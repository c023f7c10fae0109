"""What a later step would refuse is refused before the first one runs; and nothing that would have worked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from support.commands import run_icefire
from support.sixpeople import ROLES, TABLE, people, steps

import icefire
from icefire import recipe
from icefire.core.errors import IcefireError, SchemaError
from icefire.core.registry import Entry
from icefire.testing.examples import purchases


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with the table, a hierarchy for each quasi-identifier, and the population: the six and six more."""
    monkeypatch.chdir(tmp_path)
    Path("trees").mkdir()
    Path("x.csv").write_text(TABLE)
    six = people()
    for name in six.qi:
        values = six.frame[name].unique().sort().cast(pl.String)
        Path(f"trees/{name}.csv").write_text("".join(f"{value};*\n" for value in values))
    pl.concat([six.frame.select(six.qi)] * 2).write_csv("everybody.csv")
    return tmp_path


def anonymize(**given):
    return {"method": "k_anonymize", "k": 2, **given}


def refused(about, *given, data=None):
    """The recipe is refused with these words before any step has run, by a run and by a check."""
    told, data = [], data or people()
    with pytest.raises(IcefireError) as caught:
        recipe.run_recipe(data, recipe.load(steps(*given)), told.append)
    assert about in str(caught.value)
    assert told == []
    assert caught.value.message in [fault.text for fault in recipe.review(steps(*given), data).faults]


def runs(*given, data=None):
    return recipe.run_recipe(data or people(), recipe.load(steps(*given))).released.frame


FULL = {"hierarchies": "trees", "mode": "full_domain"}
LOCAL = {"hierarchies": "trees", "mode": "local"}


def test_a_missing_folder_or_file(place):
    refused("recipe step 2: hierarchies: folder 'forest' does not exist", "noise", anonymize(hierarchies="forest"))
    Path("trees/age.csv").rename("trees/agee.csv")
    refused("the nearest is 'agee.csv': rename it, or add a file", "noise", anonymize(**FULL))


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("20;a;*\n21;a\n", "is ragged: line 2 has 2 cells, the first has 3"),
        ("20;a;b;*\n21;a;c;*\n", "is not a tree: 'a' of level 1"),
        ("20;*\n20;*\n", "lists the value '20' twice"),
        ("", "is empty"),
        ("20;*\n30;*\n39;*\n", "column 'age': value '40' (first in row 5) is not in its hierarchy"),
    ],
)
def test_a_hierarchy_that_cannot_be_used(place, text, about):
    Path("trees/age.csv").write_text(text)
    refused(about, "noise", anonymize(**FULL))
    refused("recipe step 3: ", "noise", "swap", anonymize(**LOCAL))


def test_a_model_that_no_table_can_keep_or_that_has_no_column(place):
    refused("recipe step 2: the model l_distinct got 99", "unify", anonymize(l_distinct=99))
    refused("recipe step 2: k_anonymize: k is 7, but the table has 6 rows", "noise", anonymize(k=7))
    bare = icefire.read(people().frame, qi=["age", "job"], sa=[])
    refused("recipe step 2: the model t_equal needs at least one sa column", "unify", anonymize(t_equal=0.2), data=bare)


def test_a_population_that_is_not_there_or_does_not_fit(place):
    crowd = {**FULL, "k": 1, "k_map": 2}
    refused("recipe step 2: k_anonymize: k_map needs the people", "noise", anonymize(**crowd))
    refused("recipe step 2: file 'nobody.csv' does not exist", "noise", anonymize(**crowd, population="nobody.csv"))
    everybody = Path("everybody.csv").read_text()
    Path("few.csv").write_text("\n".join(everybody.splitlines()[:4]) + "\n")
    refused("has 3 rows, fewer than the table's 6", "noise", anonymize(**crowd, population="few.csv"))
    Path("wrong.csv").write_text(everybody.replace("age", "agee"))
    refused("has no column 'age'; did you mean 'agee'?", "noise", anonymize(**crowd, population="wrong.csv"))
    Path("strange.csv").write_text(everybody + "999,a\n")
    refused(
        "population: column 'age': value '999' (first in row 12) is not in its hierarchy",
        "noise",
        anonymize(**crowd, population="strange.csv"),
    )
    assert runs("noise", anonymize(**crowd, population="everybody.csv")).height == 6


def test_parameters_that_do_not_go_together(place):
    here = {"population": "everybody.csv"}
    refused("a population is given, but no k_map and no delta_presence", "noise", anonymize(**here))
    refused('delta_presence in mode "local" needs hierarchies', "noise", anonymize(delta_presence=0.5, **here))


def test_what_the_population_cannot_give_is_refused(place):
    here = {**FULL, "k": 1, "population": "everybody.csv"}
    for given, about in (
        ({"k_map": 13}, "k_map is 13, but the population has 12 people"),
        (
            {"delta_presence": 0.4},
            "6 of 12 people are in the table, everybody with a chance of 0.5; give at least that",
        ),
    ):
        with pytest.raises(IcefireError, match=about):
            runs(anonymize(**{**here, **given}))


def test_columns_that_an_earlier_step_changes_are_not_held_against_the_hierarchy(place):
    # After the first step 40 is no age any more: it is rounded away, cut off, left out, or suppressed.
    Path("trees/age.csv").write_text("20;*\n30;*\n0;*\n100;*\n")
    with pytest.raises(SchemaError, match="no column 'ag'"):
        runs({"method": "unify", "columns": ["ag"]}, anonymize(**FULL))
    for first in (
        {"method": "top_code", "columns": ["age"], "value": 30},
        {"method": "top_code", "columns": ["age"], "value": 35, "how": "drop"},
        {"method": "round_values", "columns": ["age"], "base": 100},
        {"method": "suppress_columns", "columns": ["age"]},
        {"method": "suppress_rows", "k": 2},
    ):
        for mode in (FULL, LOCAL):
            assert runs(first, anonymize(**mode)).height >= 5, first


def test_sensitive_values_that_an_earlier_step_changes_are_not_held_against_a_model(place):
    few = icefire.read(people().frame.with_columns(job=pl.lit("a")), qi=["age"], sa=["job"])
    refused("the model l_distinct got 2", {"method": "unify", "columns": ["age"]}, anonymize(l_distinct=2), data=few)
    told = []
    with pytest.raises(IcefireError, match="recipe step 2: the model l_distinct got 2"):
        recipe.run_recipe(
            few, recipe.load(steps({"method": "unify", "columns": ["job"]}, anonymize(l_distinct=2))), told.append
        )
    assert told == ["ice: unify, 1 of 2", "ice: k_anonymize, 2 of 2"]


def test_the_command_names_step_and_nearest_name_and_writes_nothing(place, capsys):
    Path("trees/job.csv").write_text("a;*\nb;*\nd;*\n")
    Path("r.toml").write_text(
        '[[step]]\nmethod = "noise"\n[[step]]\nmethod = "k_anonymize"\nk = 2\nhierarchies = "trees"\n'
    )
    done = run_icefire(capsys, "anonymize", "x.csv", "-r", "r.toml", "-o", "out", *ROLES)
    assert (done.code, done.out) == (2, "")
    assert "recipe step 2: column 'job': value 'c' (first in row 5) is not in its hierarchy" in done.err
    assert not Path("out").exists()
    Path("r.toml").write_text('[[step]]\nmethod = "noise"\n[[step]]\nmethod = "k_anonymize"\nhierarchie = "trees"\n')
    done = run_icefire(capsys, "anonymize", "x.csv", "-r", "r.toml", "-o", "out", *ROLES)
    assert "recipe step 2: k_anonymize has no parameter 'hierarchie'; did you mean 'hierarchies'?" in done.err


@pytest.mark.parametrize(
    ("step", "refused"),
    [
        ({"method": "laplace", "columns": ["job"]}, "laplace: column 'job' holds no numbers"),
        ({"method": "pseudonyms", "columns": ["share"]}, "pseudonyms: column 'share' holds fractions"),
        ({"method": "unify", "columns": ["age"], "value": "old"}, "unify: 'old' is no value for column 'age'"),
        ({"method": "swap_rows", "numbers": ["job"]}, "column 'job' holds no numbers to compute with"),
        ({"method": "shift_dates", "columns": ["job"]}, "shift_dates: column 'job' holds no dates"),
    ],
)
def test_what_a_method_refuses_is_known_before_the_steps_before_it_run(step, refused):
    data = people()
    data = icefire.read(data.frame.with_columns(share=pl.lit(0.5)), qi=["age", "job"], sa=["income", "rent"])
    stages = []
    with pytest.raises(IcefireError, match=f"recipe step 2: {refused}"):
        recipe.run_recipe(data, recipe.load(steps("swap", step)), stages.append)
    assert stages == []


def test_after_a_step_that_declares_nothing_only_the_run_can_tell():
    def numbered(data, *, rng):
        """Make numbers of words."""
        return data.with_columns(pl.Series("job", range(data.height)))

    undeclared = recipe.Step(Entry("method", "numbered", "", numbered, {}), {}, "k")
    (noise,) = recipe.load(steps({"method": "laplace", "columns": ["job"]})).steps
    assert recipe.run_recipe(people(), recipe.Recipe((undeclared, noise))).released.height == 6
    declared = replace(undeclared, entry=replace(undeclared.entry, drops_rows=False))
    with pytest.raises(IcefireError, match="recipe step 2: laplace: column 'job' holds no numbers"):
        recipe.run_recipe(people(), recipe.Recipe((declared, noise)))


def test_too_many_clusters_are_refused_before_the_steps_before_them_run():
    stages = []
    given = ({"method": "round_purchases"}, {"method": "dummies", "clusters": 20})
    with pytest.raises(IcefireError, match="recipe step 2: clusters is 20, but only 14 customers have purchases"):
        recipe.run_recipe(purchases(), recipe.load(steps(*given)), stages.append)
    assert stages == []
    # New names in every period make more customers of the same people.
    given = ("change_pseudonyms", {"method": "dummies", "clusters": 20})
    assert recipe.run_recipe(purchases(), recipe.load(steps(*given))).released.people > 20
