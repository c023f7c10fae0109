"""Whole numbers of a small range, counted without sorting."""

from __future__ import annotations

import polars as pl
import pytest

from icefire.core import whole_numbers
from icefire.hierarchy.stacking import distinct_values

COLUMNS = [
    pl.Series("c", [3, -2, 3, 7], dtype=pl.Int8),
    pl.Series("c", [3, None, 3, 7, None], dtype=pl.Int64),
    pl.Series("c", [250, 0, 255], dtype=pl.UInt8),
    pl.Series("c", [0, 1 << 60]),
    pl.Series("c", [(1 << 63) + 5, 1 << 63], dtype=pl.UInt64),
    pl.Series("c", [2.5, 1.5, 2.5, None]),
    pl.Series("c", ["b", "a", None]),
    pl.Series("c", list(range(-40_000, 40_000)) * 2, dtype=pl.Int32),
]


@pytest.mark.parametrize("column", COLUMNS)
def test_distinct_values_are_those_of_sorting(column):
    assert whole_numbers.distinct_count(column) == column.n_unique()
    values = distinct_values(column)
    assert values.equals(column.drop_nulls().unique().sort(), check_dtypes=True, check_names=True)


@pytest.mark.parametrize("column", COLUMNS)
def test_counts_are_of_every_whole_number_of_the_range(column):
    counted = whole_numbers.counts_of(column)
    if column.dtype.is_integer() and column.max() < 1 << 50:
        lowest, counts = counted
        assert lowest == column.min()
        assert len(counts) == column.max() - lowest + 1
        occurring = column.drop_nulls().value_counts(sort=False).sort("c")["count"].to_list()
        assert counts[counts > 0].tolist() == occurring
    else:
        assert counted is None


def test_a_column_without_values_has_no_counts():
    assert whole_numbers.counts_of(pl.Series("c", [None], dtype=pl.Int64)) is None
    assert whole_numbers.counts_of(pl.Series("c", [], dtype=pl.Int64)) is None
