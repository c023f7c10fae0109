"""A released row may hold the values of two people: the second matching finds the other one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.attacks.tables.link.channels import NOTHING, Channel
from icefire.attacks.tables.link.columns import encode
from icefire.attacks.tables.link.second_matching import given_away, link_rest
from icefire.core.release import NO_ANSWER, Case

ROWS = 400
ROLES = {"qi": ["age", "postcode"], "sa": ["weight", "cost"]}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(8)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, ROWS),
            "postcode": [f"{code:05d}" for code in rng.integers(1000, 1300, ROWS)],
            "weight": rng.normal(70, 12, ROWS).round(1),
            "cost": np.exp(rng.normal(6, 1, ROWS)).round(2),
        }
    )


def moved_together(table, names, seed=3):
    order = np.random.default_rng(seed).permutation(table.height)
    return table.with_columns(table[name].gather(order) for name in names)


def guess(table, released):
    case = Case(icefire.read(table, **ROLES), icefire.read(released, **ROLES))
    return link_rest(case, rng=np.random.default_rng(1))


@pytest.mark.parametrize("names", [["age", "postcode"], ["weight", "cost"], ["age", "cost"]])
def test_rows_are_found_although_other_columns_point_to_another_person(table, names):
    released = moved_together(table, names)
    answers = [link(table, released) for link in (guess, _joint)]
    assert max((answer.first == np.arange(ROWS)).mean() for answer in answers) > 0.9


def _joint(table, released):
    from icefire.attacks.tables.link.attack import link

    return link(Case(icefire.read(table, **ROLES), icefire.read(released, **ROLES)), rng=np.random.default_rng(1))


def test_the_columns_linked_by_are_told(table):
    released = moved_together(table, ["age", "postcode"]).with_columns(pl.col("cost") * 1.7)
    answer = guess(table, released)
    assert answer.notes["linked_by"] in (["cost", "weight"], ["age", "postcode"])
    assert answer.probability is not None
    assert answer.probability.mean() > 0.5


def test_no_second_person_is_seen_where_rows_are_whole(table):
    assert (guess(table, table).first == NO_ANSWER).all()


def test_no_second_person_is_seen_where_every_column_was_shuffled(table):
    released = table
    for seed, name in enumerate(table.columns):
        released = moved_together(released, [name], seed)
    assert (guess(table, released).first == np.arange(ROWS)).mean() < 0.05


def test_what_a_channel_gives_away_is_the_entropy_of_values_that_are_kept():
    column = encode(pl.Series("c", list("abcd") * 10), pl.Series("c", list("abcd") * 10), 128)
    assert given_away(column, Channel("same", 0.999999)) == pytest.approx(2.0, abs=0.01)
    assert given_away(column, NOTHING) == pytest.approx(0.0, abs=1e-12)
