"""What attackers know: the notation, the profiles, and views made by the judge, by hand and by their properties."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import icefire
from icefire.core.errors import ParameterError, SchemaError
from icefire.core.knowledge import Knowledge, KnownColumn, parse
from icefire.core.profiles import PROFILES, profile
from icefire.core.release import Truth
from icefire.core.views import View, view

FRAME = pl.DataFrame(
    {
        "person": ["a", "b", "c", "d", "e", "f"],
        "age": [20, 31, 42, 53, 64, None],
        "sex": ["f", "m", "f", "m", "f", "m"],
        "income": [1010.0, 1499.0, 1500.0, 2600.0, 3999.0, 80.0],
    }
)
PEOPLE = icefire.read(FRAME, qi=["age", "sex"], sa=["income"], ids=["person"])


def seen(text: str, seed: int = 1) -> View[icefire.Dataset]:
    return view(PEOPLE, parse(text), np.random.default_rng(seed))


def test_the_notation_names_columns_how_well_they_are_known_and_of_how_many():
    known = parse("age~2,sex,postcode!0.1,income/1000;share=0.5")
    assert known.columns == (
        KnownColumn("age", tolerance=2),
        KnownColumn("sex"),
        KnownColumn("postcode", error=0.1),
        KnownColumn("income", step=1000),
    )
    assert known.share == 0.5
    assert known.words == (
        "age (within 2), sex, postcode (wrong with a chance of 10.0 %) and income (rounded to 1,000) of 50.0 % of the "
        "people"
    )


def test_signs_in_names_of_columns_are_read_as_names():
    assert [column.name for column in parse("hours/week,who?!,a~b/5").columns or ()] == ["hours/week", "who?!", "a~b"]
    assert parse("*;share=0.2") == Knowledge(None, 0.2, "*;share=0.2")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no column"),
        ("age/0,sex", "multiples of 0"),
        ("neighbor", "did you mean 'neighbour'"),
        ("age~,sex", "write it as age~2"),
        ("~2", "names no column"),
        ("age~2~3", "~ twice"),
        ("age~2/3", "choose one"),
        ("age!1.5", "must be 0 to 1"),
        ("age,age", "known twice"),
        ("age;share=0", "above 0"),
        ("age;share=two", "no number"),
        ("age;people=0.5", "share=NUMBER"),
        ("age~-", "no number"),
        ("age~nan,sex", "no column"),
    ],
)
def test_what_is_written_otherwise_is_one_clear_error(text, words):
    with pytest.raises((ParameterError, SchemaError), match=words):
        seen(text)


def test_a_share_of_nearly_nobody_is_two_people():
    assert len(seen("age;share=0.0001").people) == 2


def test_a_view_has_the_columns_known_alone():
    held = seen("sex,age")
    assert held.known.frame.equals(FRAME.select("age", "sex"))
    assert held.known.schema.names == ("age", "sex")
    assert (held.known.qi, held.known.sa) == (("age", "sex"), ())


def test_numbers_are_rounded_by_hand():
    assert seen("income/1000").known.frame["income"].to_list() == [1000, 1000, 2000, 3000, 4000, 0]
    assert seen("age/10").known.frame["age"].to_list() == [20, 30, 40, 50, 60, None]


def test_a_value_that_is_wrong_for_sure_is_drawn_from_the_column():
    drawn = seen("sex!1").known.frame["sex"]
    assert set(drawn) <= {"f", "m"}
    assert drawn.to_list() != FRAME["sex"].to_list()


def test_truth_and_answers_are_carried_over_by_hand():
    held = View(PEOPLE.take(np.array([3, 0])), np.array([3, -1]), 6)
    assert held.truth(Truth(np.array([0, 3, 5]))).rows.tolist() == [-1, 0, -1]
    assert held.original_rows(np.array([0, 1, -1])).tolist() == [3, -1, -1]
    assert (held.strangers, held.knows_everybody) == (1, False)
    assert "3" not in repr(held)


@pytest.mark.parametrize(
    ("text", "words"),
    [("incme", "did you mean 'income'"), ("person", "direct identifier"), ("sex~1", "holds no numbers")],
)
def test_a_column_that_cannot_be_known_so_is_one_clear_error(text, words):
    with pytest.raises(SchemaError, match=words):
        seen(text)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.01, 1), st.floats(0.01, 1), st.integers(0, 99))
def test_whoever_knows_a_larger_share_knows_the_same_people_and_more(one, other, seed):
    small, large = (set(seen(f"age;share={share}", seed).people.tolist()) for share in sorted((one, other)))
    assert small <= large


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.integers(0, 99))
def test_whole_numbers_stay_whole_and_within_the_tolerance_whatever_else_is_known(tolerance, seed):
    alone, beside = (seen(text, seed).known.frame["age"] for text in (f"age~{tolerance}", f"age~{tolerance},sex!0.5"))
    assert alone.equals(beside)
    assert alone.dtype.is_integer()
    assert int((alone - FRAME["age"]).abs().max()) <= tolerance
    assert alone.null_count() == 1


def test_profiles_know_more_and_more(households):
    views = [view(households, profile(name, households), np.random.default_rng(1)) for name in PROFILES]
    assert [len(held.known.schema.names) for held in views] == [13, 13, 19, 25]
    assert [held.known.height for held in views] == [500, 250, 500, 500]
    assert views[3].known is households


def test_a_profile_needs_quasi_identifiers():
    table = icefire.read(FRAME, qi=[], sa=["income"])
    with pytest.raises(SchemaError, match="no column is one; name them with qi="):
        profile("neighbour", table)
