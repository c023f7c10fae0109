"""Singling out and linkability on tables counted by hand, and the table of the three criteria."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl

import icefire
from icefire.audit.criteria.linkability import link_halves
from icefire.audit.criteria.singling_out import single_out
from icefire.core import roles
from icefire.core.dataset import Dataset
from icefire.hierarchy.coverage import Coverage

PEOPLE = pl.DataFrame(
    {"sex": ["f", "f", "m", "m"], "town": ["a", "b", "a", "b"], "job": ["cook", "cook", "cook", "smith"]}
)


def dataset(frame: pl.DataFrame) -> Dataset:
    return Dataset(frame, roles.choose(frame, frame.columns))


def test_four_people_are_singled_out_by_sex_and_town() -> None:
    data = dataset(PEOPLE)
    isolated = single_out(data, data, np.arange(4), 1)
    assert isolated.singled_out.all()
    # The smith by his job alone, the others by sex and town.
    assert (isolated.predicates >= 0).sum(axis=1).tolist() == [2, 2, 2, 1]


def test_one_column_isolates_nobody_who_shares_it() -> None:
    data = dataset(PEOPLE)
    assert single_out(data, data, np.arange(4), 1, most=1).singled_out.tolist() == [False, False, False, True]


def test_a_range_that_covers_two_people_singles_out_nobody() -> None:
    original = dataset(pl.DataFrame({"age": ["21", "25", "41", "45"]}))
    released = dataset(pl.DataFrame({"age": ["20-29", "20-29", "40-49", "40-49"]}))
    assert not single_out(original, released, np.arange(4), 1).singled_out.any()


def test_the_row_must_be_the_persons_own() -> None:
    data = dataset(PEOPLE)
    assert not single_out(data, data, np.array([1, 2, 3, 0]), 1).singled_out.any()


def test_kernel_agrees_with_counting_all_predicates() -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({name: rng.integers(0, 4, 40).astype(str) for name in "abcd"})
    released = frame.with_columns(pl.Series("a", rng.permutation(frame["a"].to_numpy())))
    isolated = single_out(dataset(frame), dataset(released), np.arange(40), 1)
    x, y = frame.rows(), released.rows()
    for row in range(40):
        alone = any(
            [r for r in range(40) if all(y[r][c] == y[row][c] for c in columns)] == [row]
            and [p for p in range(40) if all(x[p][c] == y[row][c] for c in columns)] == [row]
            for size in (1, 2, 3)
            for columns in combinations(range(4), size)
        )
        assert isolated.singled_out[row] == alone


def test_what_singling_out_has_read_gives_the_same_linked_halves() -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame(
        {"age": rng.integers(20, 60, 400), "town": rng.choice(["ab", "ac", "b"], 400), "pay": rng.normal(size=400)}
    )
    order = rng.permutation(400)
    coarse = pl.when(pl.int_range(400) % 2 == 0).then(pl.lit("a*")).otherwise("town")
    released = frame[order].with_columns(pl.col("age") // 10 * 10, coarse.alias("town"), pl.col("pay").round(1))
    read: dict[str, Coverage] = {}
    single_out(dataset(frame), dataset(released), order, 1, read=read)
    shared = link_halves(dataset(frame), dataset(released), order, 1, read=read)
    alone = link_halves(dataset(frame), dataset(released), order, 1)
    assert list(read) == frame.columns
    assert shared is not None
    assert alone is not None
    assert shared.linked.any()
    assert (shared.linked == alone.linked).all()
    assert (shared.control == alone.control).all()


def test_halves_of_unchanged_people_are_linked_and_those_of_noise_are_not() -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({name: rng.normal(size=200) for name in "abcd"})
    noise = pl.DataFrame({name: rng.normal(size=200) for name in "abcd"})
    linked = link_halves(dataset(frame), dataset(frame), np.arange(200), 1)
    chance = link_halves(dataset(frame), dataset(noise), np.arange(200), 1)
    assert linked is not None
    assert chance is not None
    assert linked.linked.all()
    assert linked.control.mean() < 0.1
    assert abs(chance.linked.mean() - chance.control.mean()) < 0.06


def test_a_table_of_one_column_has_no_halves() -> None:
    data = dataset(PEOPLE.select("job"))
    assert link_halves(data, data, np.arange(4), 1) is None


def test_the_audit_puts_the_three_criteria_side_by_side() -> None:
    frame = PEOPLE.with_columns(pl.Series("illness", ["a", "b", "c", "d"]))
    card = icefire.audit(
        frame, frame, aligned=True, qi=PEOPLE.columns, sa=["illness"], limits={"singling_out": 0.5}
    ).scorecard
    assert card.criteria is not None
    assert [criterion.name for criterion in card.criteria.criteria] == ["singling out", "linkability", "inference"]
    first = card.criteria.criteria[0]
    assert (first.value, first.limit, first.passed) == (1.0, 0.5, False)
    assert "max_singling_out" not in {limit.name for limit in card.limits}
