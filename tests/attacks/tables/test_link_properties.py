"""Properties of every attack that matches all columns: unique rows are found, and order does not matter."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.gate_tables import STAFF, moved_together, noisy, shuffled, staff

import icefire
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.second_matching import link_rest
from icefire.attacks.tables.link.t_kernel import t_kernel
from icefire.core import align
from icefire.core.release import Case

ROWS = 300
AMOUNTS = list(STAFF["sa"])


def answer(attack, original, released):
    case = Case(*align.match(icefire.read(original, **STAFF), released))
    return attack(case, rng=np.random.default_rng(1)).checked(case.targets, case.choices)


def rate(attack, original, released):
    return (answer(attack, original, released).first == np.arange(original.height)).mean()


@pytest.mark.parametrize("attack", [link, t_kernel])
def test_everybody_whose_record_is_unique_is_found_in_an_unchanged_release(attack):
    table = pl.concat([staff(), staff().head(20)])
    right = answer(attack, table, table).first == np.arange(table.height)
    unique = table.is_unique().to_numpy()
    assert unique.sum() == ROWS - 20
    assert right[unique].all()


@pytest.mark.parametrize("column", ["numbers", "letters"])
def test_an_uninformative_column_costs_no_more_than_noise(column):
    table = staff()
    released = noisy(shuffled(table, ["age", "job", "town"]), 0.6)
    rng = np.random.default_rng(9)
    draw = {"numbers": lambda: rng.normal(size=ROWS), "letters": lambda: rng.choice(list("abcd"), ROWS)}[column]
    wider = [side.with_columns(pl.Series("more", draw())) for side in (table, released)]
    before = rate(link, table, released)
    assert 0.2 < before < 1
    assert rate(link, *wider) > before - 2 * np.sqrt(before * (1 - before) / ROWS)


@pytest.mark.parametrize("attack", [link, t_kernel, link_rest])
def test_the_order_of_rows_and_columns_does_not_change_the_answers(attack):
    table = staff()
    released = moved_together(table, ["age", "sex", "job", "town"])
    plain = answer(attack, table, released)
    rng = np.random.default_rng(4)
    x_order, y_order = rng.permutation(ROWS), rng.permutation(ROWS)
    names = sorted(table.columns, reverse=True)
    other = answer(attack, table.select(names)[x_order], released.select(sorted(names))[y_order])
    assert (plain.first >= 0).all()
    assert (x_order[other.first] == plain.first[y_order]).all()
    assert other.probability == pytest.approx(plain.probability[y_order])


@pytest.mark.parametrize("change", [pl.col("income").log(), pl.col("income") ** 3, pl.col("income").rank()])
def test_a_monotone_change_of_a_released_column_costs_little(change):
    table = staff()
    released = noisy(table, 0.2, AMOUNTS[1:])
    before = rate(link, table, released)
    assert rate(link, table, released.with_columns(change.alias("income"))) > before - 0.05
