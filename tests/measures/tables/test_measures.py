"""Measures with values computed by hand, options included."""

from __future__ import annotations

import polars as pl
import pytest
from support.small_tables import compare, table

import icefire
from icefire.core.errors import UndefinedError
from icefire.core.registry import get


def value(name, comparison, **parameters):
    entry = get("measure", name)
    return entry.function(comparison, **entry.bind(parameters))


@pytest.fixture
def pair():
    # cells (q1, q2, q3): (1,1,1) twice and (2,1,1) once in X; (1,1,1) once and (3,1,1) twice in Y.
    x = table((1, 1, 1, 10, 0), (1, 1, 1, 20, 4), (2, 1, 1, 60, 2))
    y = table((1, 1, 1, 12, 0), (3, 1, 1, 20, 0), (3, 1, 1, 60, 6))
    return compare(x, y)


def test_mean_error_averages_the_change_of_each_mean(pair):
    # s1: 30 against 92/3; s2: 2 against 2.
    assert value("mean_error", pair) == pytest.approx((92 / 3 - 30 + 0) / 2)


def test_cross_mean_counts_cells_in_both_in_either_or_in_the_original(pair):
    # (1,1,1): s1 15 against 12, s2 2 against 0. (2,1,1): 60, 2 against none. (3,1,1): none against 40, 3.
    assert value("cross_mean", pair) == pytest.approx((3 + 2) / 2)
    assert value("cross_mean", pair, cells="union") == pytest.approx((3 + 2 + 60 + 2 + 40 + 3) / 6)
    assert value("cross_mean", pair, cells="original") == pytest.approx((3 + 2 + 60 + 2) / 4)
    assert value("cross_mean", pair, sa="s1") == pytest.approx(3)
    assert value("cross_mean", pair, qi="q2") == pytest.approx((92 / 3 - 30) / 2)


def test_cross_count_counts_cells_likewise(pair):
    assert value("cross_count", pair) == pytest.approx((1 + 1 + 2) / 3)
    assert value("cross_count", pair, cells="both") == 1
    assert value("cross_count", pair, cells="original") == 1


def test_cross_tables_cross_the_first_six_quasi_identifiers(households):
    changed = households.with_frame(households.frame.with_columns(pl.lit(0, pl.Int8).alias(households.qi[6])))
    assert value("cross_count", compare(households, changed)) == 0
    changed = households.with_frame(households.frame.with_columns(pl.lit("x").alias(households.qi[0])))
    assert value("cross_count", compare(households, changed)) > 0


def test_cross_mean_without_a_shared_cell_has_no_value():
    comparison = compare(table((1, 1, 1, 1, 1), (1, 1, 1, 2, 2)), table((9, 1, 1, 1, 1), (9, 1, 1, 2, 2)))
    with pytest.raises(UndefinedError, match="no cell of the cross table"):
        value("cross_mean", comparison)


def test_information_loss_divides_by_range_sd_value_or_nothing(pair):
    # s1 moves by 2, 0, 0 (range 50), s2 by 0, 4, 4 (range 4).
    assert value("information_loss", pair) == pytest.approx((2 / 50 + 2) / 6)
    assert value("information_loss", pair, scale="none") == pytest.approx(10 / 6)
    # relative: 2/10; 0; 0; s2: 0 unchanged; 4/4; 4/2.
    assert value("information_loss", pair, scale="relative") == pytest.approx((0.2 + 1 + 2) / 6)
    spread_1, spread_2 = ((400 + 100 + 900) / 3) ** 0.5, (8 / 3) ** 0.5
    assert value("information_loss", pair, scale="sd") == pytest.approx((2 / spread_1 + 8 / spread_2) / 6)


def test_information_loss_counts_text_as_equal_or_not(pair):
    x = icefire.read(pl.DataFrame({"q": ["a", "b", "c"], "s": [1, 2, 3]}), qi=["q"], sa=["s"])
    y = icefire.read(pl.DataFrame({"q": ["a", "c", "c"], "s": [1, 2, 3]}), qi=["q"], sa=["s"])
    assert value("information_loss", compare(x, y), columns="q") == pytest.approx(1 / 3)


def test_information_loss_of_a_constant_column_is_0_or_1():
    comparison = compare(table((1, 1, 1, 5, 5), (1, 1, 1, 5, 5)), table((1, 1, 1, 5, 5), (1, 1, 1, 6, 5)))
    assert value("information_loss", comparison) == pytest.approx(1 / 4)


def test_information_loss_sees_a_false_index_and_nothing_else_does(paper_x):
    honest, false = compare(paper_x, paper_x), compare(paper_x, paper_x, [1, 0, 3, 2])
    # s1 moves by 100 of 300 in each row, s2 by 300 of 400.
    assert value("information_loss", honest) == 0
    assert value("information_loss", false) == pytest.approx((100 / 300 + 300 / 400) / 2)
    for name in ("mean_error", "cross_mean", "cross_count", "correlation_error", "row_change"):
        assert value(name, false) == 0


def test_a_missing_value_equals_a_missing_value_and_nothing_else():
    x = icefire.read(pl.DataFrame({"q": [1, 1, 1], "s": [1.0, None, 3.0]}), qi=["q"], sa=["s"])
    same = compare(x, x)
    assert value("information_loss", same) == 0
    y = icefire.read(pl.DataFrame({"q": [1, 1, 1], "s": [1.0, 2.0, None]}), qi=["q"], sa=["s"])
    assert value("information_loss", compare(x, y)) == pytest.approx(2 / 3)


def test_correlation_error_over_pairs_and_over_the_full_matrix():
    x = table((1, 1, 1, 1, 1), (1, 1, 1, 2, 2), (1, 1, 1, 3, 3))
    y = table((1, 1, 1, 1, 3), (1, 1, 1, 2, 2), (1, 1, 1, 3, 1))
    assert value("correlation_error", compare(x, y)) == pytest.approx(2)  # +1 became -1
    assert value("correlation_error", compare(x, y), full_matrix=True) == pytest.approx(1)  # two of four entries


def test_correlation_error_leaves_constant_columns_out():
    frame = pl.DataFrame({"q": [1] * 3, "a": [1, 2, 3], "b": [3, 2, 1], "c": [5, 5, 5]})
    x = icefire.read(frame, qi=["q"], sa=["a", "b", "c"])
    y = x.with_frame(frame.with_columns(b=pl.Series([1, 2, 3])))
    assert value("correlation_error", compare(x, y)) == pytest.approx(2)
    with pytest.raises(UndefinedError, match="no correlation"):
        value("correlation_error", compare(x, y), columns="a,c")


def test_correlation_with_missing_values_uses_the_rows_that_have_both():
    frame = pl.DataFrame({"q": [1] * 4, "a": [1.0, 2.0, 3.0, None], "b": [2.0, 4.0, 6.0, 100.0]})
    x = icefire.read(frame, qi=["q"], sa=["a", "b"])
    y = x.with_frame(frame.with_columns(a=pl.Series([1.0, 2.0, 3.0, 4.0]), b=pl.Series([2.0, 4.0, 6.0, 8.0])))
    assert value("correlation_error", compare(x, y)) == pytest.approx(0)


def test_row_change_counts_rows(pair):
    short = table((1, 1, 1, 1, 1), (1, 1, 1, 2, 2))
    assert value("row_change", compare(pair.original, short)) == 1


def test_k_min_and_k_mean_take_another_list_of_columns(pair):
    assert value("k_min", pair) == 1
    assert value("k_mean", pair) == pytest.approx(3 / 2)
    assert value("k_min", pair, qi="q2") == value("k_mean", pair, qi="q2") == 3
