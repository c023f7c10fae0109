"""Text as numbers of its distinct values, of one table and of two together."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.core import blocks
from icefire.core.coded_text import code_text, code_together

WORDS = np.array(["b", "a", "é", "Z", "", "zz", "10", "9", "日本"])


def words(rows: int, gaps: bool, seed: int = 1) -> pl.Series:
    rng = np.random.default_rng(seed)
    column = pl.Series("c", WORDS[rng.integers(0, 9 - seed, rows)], dtype=pl.String)
    return column.set(pl.Series(rng.random(rows) < 0.2), None) if gaps else column


def written(coded) -> list[str | None]:
    return [[*coded.values, None][code] for code in coded.codes]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("rows", [1, 40, 20_000])
def test_codes_stand_for_the_values_in_ascending_order(rows, gaps):
    column = words(rows, gaps)
    coded = code_text(column)
    assert written(coded) == column.to_list()
    assert coded.values.to_list() == column.drop_nulls().unique().sort().to_list()
    assert coded.counts.tolist() == [column.eq_missing(value).sum() for value in [*coded.values, None]]
    assert coded.distinct == column.n_unique()
    assert coded.codes.dtype == np.uint8


def test_a_column_of_missing_cells_has_no_values():
    coded = code_text(pl.Series("c", [None, None], dtype=pl.String))
    assert (coded.codes.tolist(), len(coded.values), coded.counts.tolist()) == ([0, 0], 0, [2])


def test_many_values_take_wider_codes():
    column = pl.Series("c", [f"w{number % 700}" for number in range(2_000)])
    coded = code_text(column)
    assert coded.codes.dtype == np.int32
    assert written(coded) == column.to_list()


@pytest.mark.parametrize("gaps", [False, True])
def test_two_columns_are_numbered_together(gaps):
    x, y = words(300, False), words(300, gaps, seed=4)
    pair = code_together(code_text(x), code_text(y))
    assert written(pair.known) == x.to_list()
    assert written(pair.shown) == y.to_list()
    assert pair.values.to_list() == pl.concat([x, y]).drop_nulls().unique().sort().to_list()
    assert pair.has_missing is gaps
    rows = np.random.default_rng(2).permutation(300)
    assert pair.changed(rows).tolist() == x.gather(rows).ne_missing(y).to_list()


def test_a_shuffled_table_keeps_its_codes():
    data = icefire.read(pl.DataFrame([words(50, True), pl.Series("n", range(50))]), qi=["c"], sa=["n"])
    order = np.random.default_rng(3).permutation(50)
    shuffled = data.shuffled(order)
    assert written(shuffled.coded_text("c")) == shuffled.frame["c"].to_list() == data.frame["c"].gather(order).to_list()
    fewer = data.take(order[:20])
    assert written(fewer.coded_text("c")) == fewer.frame["c"].to_list()


@pytest.mark.parametrize("gaps", [False, True])
def test_classes_are_those_of_the_frame(gaps):
    frame = pl.DataFrame([words(500, gaps), pl.Series("n", np.arange(500) % 7)])
    data = icefire.read(frame, qi=["c", "n"])
    ours, plain = data.classes(["c", "n"]), blocks.blocks_of_table(data.frame, ["c", "n"])
    assert ours.x_rows.tolist() == plain.x_rows.tolist()
    assert ours.x_start.tolist() == plain.x_start.tolist()
    assert sorted(data.class_sizes(["c", "n"])) == sorted(plain.x_sizes)
