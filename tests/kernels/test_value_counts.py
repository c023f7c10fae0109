"""Counts of whole numbers, tables looked up, and the spread of columns: the same as those of numpy."""

from __future__ import annotations

import numpy as np
import pytest

from icefire.kernels.common.column_spread import column_spread
from icefire.kernels.common.interpreted import always_compiled
from icefire.kernels.common.value_counts import SMALL, count_values, look_up, narrowest


@pytest.mark.parametrize("rows", [0, 7, SMALL + 1, 300_000])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.uint64])
def test_counts_and_entries_are_those_of_numpy(rows, dtype):
    values = np.random.default_rng(rows).integers(3, 90, rows).astype(dtype)
    counts = np.bincount(values.astype(np.int64) - 2, minlength=100)
    assert count_values(values, 2, 100).tolist() == counts.tolist()
    table = np.arange(100, dtype=np.int32)[::-1].copy()
    found = look_up(values, 2, table)
    assert found.dtype == np.int32
    assert (found == table[values.astype(np.int64) - 2]).all()


def test_counts_of_a_wide_range():
    values = np.random.default_rng(1).integers(-5, 1 << 18, 200_000)
    assert (count_values(values, -5, (1 << 18) + 5) == np.bincount(values + 5, minlength=(1 << 18) + 5)).all()


def test_the_narrowest_type_holds_every_code():
    assert [narrowest(size) for size in (0, 256, 257)] == [np.uint8, np.uint8, np.int32]


@pytest.mark.parametrize("columns", [1, 2, 3, 12, 17])
@pytest.mark.parametrize("rows", [1, 999, 50_000])
def test_the_spread_of_columns_has_the_bytes_of_numpy(rows, columns):
    rng = np.random.default_rng(columns)
    table = rng.normal(1e3, 50, (rows, columns)) * rng.lognormal(0, 3, columns)
    with always_compiled():
        assert (column_spread(table) == table.std(axis=0)).all()
