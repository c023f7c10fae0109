"""Datasets: columns as a matrix of numbers."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from icefire.core import dataset


@pytest.mark.parametrize("rows", [0, 1, dataset.TILE, dataset.TILE + 1, 3 * dataset.TILE - 1])
def test_a_matrix_holds_every_type_of_number_side_by_side_and_nan_for_missing_ones(rows):
    rng = np.random.default_rng(rows)
    whole, part = rng.integers(-(2**60), 2**60, rows), rng.random(rows)
    columns = {
        "long": pl.Series(whole, dtype=pl.Int64),
        "short": pl.Series(whole % 100, dtype=pl.Int8),
        "positive": pl.Series(whole % 100, dtype=pl.UInt16),
        "float": pl.Series(part, dtype=pl.Float64),
        "single": pl.Series(part, dtype=pl.Float32),
    }
    frame = pl.DataFrame(columns).with_columns(gaps=pl.when(pl.col("short") > 50).then("long"))
    frame = pl.concat([frame.head(rows // 3), frame.tail(rows - rows // 3)], rechunk=False)
    expected = [[np.nan if value is None else float(value) for value in row] for row in frame.rows()]
    matrix = dataset._side_by_side([dataset._plain_numbers(frame[name]) for name in frame.columns])
    assert np.array_equal(matrix, np.array(expected).reshape(rows, 6), equal_nan=True)
    assert matrix.flags.c_contiguous
    assert matrix.flags.writeable
