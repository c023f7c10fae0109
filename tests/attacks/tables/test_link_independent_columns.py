"""Columns shuffled independently: the attacks that match all columns say chance, and report nothing as learned."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.gate_tables import CLINIC, CLUB, STAFF, clinic, club, shuffled, staff

import icefire
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.explanation import ALONE, UNKNOWN
from icefire.attacks.tables.link.second_matching import link_rest
from icefire.attacks.tables.link.t_kernel import t_kernel
from icefire.core.release import NO_ANSWER, Case

ATTACKS = (link, link_rest, t_kernel)
MIXED = {"qi": ["age", "sex", "town"], "sa": ["pay", "kids"]}


def mixed(seed, rows):
    """Few and many values, numbers and text."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "sex": rng.choice(["f", "m"], rows),
            "town": rng.choice([f"town {number}" for number in range(20)], rows),
            "pay": np.exp(rng.normal(8, 1, rows)).round(2),
            "kids": rng.integers(0, 4, rows),
        }
    )


def with_gaps(seed, rows):
    """The same with blanks."""
    rng = np.random.default_rng(seed + 7)
    blank = {name: pl.Series(rng.random(rows) < 0.3) for name in ("age", "town", "pay")}
    return mixed(seed, rows).with_columns(
        pl.when(cells).then(None).otherwise(pl.col(name)).alias(name) for name, cells in blank.items()
    )


TABLES = {
    "few values": (club, CLUB),
    "many values": (lambda seed, rows: staff(seed, rows).drop("age", "sex", "job", "town"), {"sa": STAFF["sa"]}),
    "numbers and text": (staff, STAFF),
    "ticks": (clinic, CLINIC),
    "mixed": (mixed, MIXED),
    "gaps": (with_gaps, MIXED),
}


def case_of(original, released, roles):
    return Case(icefire.read(original, **roles), icefire.read(released, **roles))


def assert_chance(guess, rows):
    right = guess.first == np.arange(rows)
    assert right.mean() < 0.04
    assert abs(guess.probability.mean() - right.mean()) < 0.05
    assert ((guess.probability >= 0.5) & ~right).mean() < 0.01


@pytest.mark.parametrize(("seed", "rows"), [(1, 200), (2, 300)])
@pytest.mark.parametrize("name", TABLES)
def test_probabilities_are_chance(name, seed, rows):
    make, roles = TABLES[name]
    table = make(seed, rows)
    case = case_of(table, shuffled(table, seed=seed + 10), roles)
    for attack in ATTACKS:
        assert_chance(attack(case, rng=np.random.default_rng(seed)), rows)


@pytest.mark.parametrize("rows", [400, 600])
@pytest.mark.parametrize("name", TABLES)
def test_probabilities_of_link_are_chance_in_larger_tables(name, rows):
    make, roles = TABLES[name]
    table = make(3, rows)
    assert_chance(link(case_of(table, shuffled(table, seed=13), roles), rng=np.random.default_rng(3)), rows)


@pytest.mark.parametrize(("name", "seed", "rows"), [("few values", 6, 200), ("numbers and text", 5, 200)])
def test_columns_that_fit_together_by_chance_teach_nothing(name, seed, rows):
    make, roles = TABLES[name]
    table = make(seed, rows)
    guess = link(case_of(table, shuffled(table, seed=seed + 10), roles), rng=np.random.default_rng(seed))
    assert guess.notes["gain"] > 0
    assert_chance(guess, rows)
    assert {note["change"] for note in guess.notes["columns"].values()} == {UNKNOWN}


def test_generalised_and_noisy_columns_are_no_exception():
    table = mixed(4, 300)
    noise = np.random.default_rng(4).normal(size=300) * 500
    released = shuffled(table, seed=5).with_columns(pl.col("pay") * 1.3 + noise, pl.col("age") // 10)
    for attack in ATTACKS:
        assert_chance(attack(case_of(table, released, MIXED), rng=np.random.default_rng(1)), 300)


@pytest.mark.parametrize("names", [["pay"], ["age", "pay"]])
def test_no_second_person_is_claimed_by_columns_that_were_shuffled_one_by_one(names):
    table = mixed(4, 300)
    case = case_of(table, shuffled(table, names), MIXED)
    first, second = (attack(case, rng=np.random.default_rng(1)) for attack in (link, link_rest))
    assert (first.first == np.arange(300)).mean() > 0.3
    assert ((second.probability < 0.05) | (second.first == NO_ANSWER)).all()


@pytest.mark.parametrize("attack", [link, t_kernel])
@pytest.mark.parametrize("rows", [5, 30, 300])
def test_rows_that_are_whole_keep_their_probabilities(attack, rows):
    table = mixed(5, rows).unique(maintain_order=True)
    order = np.random.default_rng(6).permutation(table.height)
    guess = attack(case_of(table, table[order], MIXED), rng=np.random.default_rng(1))
    assert (guess.first == order).all()
    assert guess.probability.mean() > 0.9


def test_one_column_alone_is_taken_as_it_stands_and_reported_so():
    table = mixed(5, 200).select("pay").unique(maintain_order=True)
    guess = link(case_of(table, table, {"qi": ["pay"]}), rng=np.random.default_rng(1))
    assert guess.probability.mean() > 0.9
    assert guess.notes["columns"]["pay"]["change"] == ALONE
    assert guess.notes["columns"]["pay"]["bits"] > 5
