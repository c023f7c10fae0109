"""Colours of goods against a slow version, and totals of customers: a beginning where goods have new names."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from icefire.attacks.histories.link.refinement import colours_of_goods
from icefire.attacks.histories.link.totals import compare_totals


def slow_colours(subjects: np.ndarray, goods: np.ndarray, depth: int) -> list[object]:
    """Nested tuples: of each good how often whom, of whom how often what, and so on."""
    bought: dict[tuple[int, int], int] = {}
    for pair in zip(subjects.tolist(), goods.tolist(), strict=True):
        bought[pair] = bought.get(pair, 0) + 1
    count = int(goods.max()) + 1
    colours: list[object] = [sorted(n for (_, what), n in bought.items() if what == good) for good in range(count)]
    for _ in range(depth):
        buyers = {
            person: sorted(repr((colours[what], n)) for (who, what), n in bought.items() if who == person)
            for person in set(subjects.tolist())
        }
        colours = [
            sorted(repr((buyers[who], n)) for (who, what), n in bought.items() if what == g) for g in range(count)
        ]
    return colours


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_goods_have_equal_colours_where_they_look_the_same(depth: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    subjects, goods = rng.integers(0, 6, 24), rng.integers(0, 8, 24)
    fast, slow = colours_of_goods(subjects, goods, depth), slow_colours(subjects, goods, depth)
    there = np.unique(goods)
    equal = [[slow[one] == slow[other] for other in there] for one in there]
    assert (fast[there][:, None] == fast[there][None, :]).tolist() == equal


def test_new_names_of_goods_and_people_do_not_change_colours() -> None:
    rng = np.random.default_rng(3)
    subjects, goods = rng.integers(0, 20, 200), rng.integers(0, 30, 200)
    people, names = rng.permutation(20), rng.permutation(30)
    renamed = colours_of_goods(people[subjects], names[goods], 3)
    there = np.unique(goods)
    assert renamed[names[there]].tolist() == colours_of_goods(subjects, goods, 3)[there].tolist()


def test_totals_that_nobody_of_the_original_has_are_not_compared() -> None:
    own = pl.DataFrame({"subject": np.repeat(np.arange(10), np.arange(1, 11)), "number": np.arange(55.0) ** 2})
    kept = compare_totals(own, own, (10, 10))
    assert [column.name for column in kept] == ["number of rows", "pieces in all"]
    assert all(column.own.tolist() == column.shown.tolist() for column in kept)
    other = own.with_columns(number=pl.col("number") * 3 + 1)
    assert [column.name for column in compare_totals(own, other, (10, 10))] == ["number of rows"]
