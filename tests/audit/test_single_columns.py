"""Columns that identify people by themselves: what counts, and what chance does in small tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.small_tables import compare

import icefire
from icefire.audit.single_columns import columns_that_identify
from icefire.core.scorecard import Reason

LIMIT = 0.09
ROWS = 15


def permuted(rng: np.random.Generator) -> pl.DataFrame:
    """Many columns in which everybody has a value of their own."""
    return pl.DataFrame({f"c{place}": rng.permutation(ROWS) for place in range(20)})


def refused(x: pl.DataFrame, y: pl.DataFrame) -> list[Reason]:
    return columns_that_identify(compare(icefire.read(x, qi=["c0"]), icefire.read(y, qi=["c0"])), LIMIT)


def test_columns_of_small_shuffled_tables_do_not_identify_people():
    rng = np.random.default_rng(1)
    share = np.mean([bool(refused(permuted(rng), permuted(rng))) for _ in range(100)])
    assert share <= 0.02


@pytest.mark.parametrize("make", [lambda v: v, lambda v: 3.7 * v + 1, lambda v: -v, np.exp])
def test_one_telling_column_of_a_small_table_counts(make):
    rng = np.random.default_rng(2)
    x, y = permuted(rng), permuted(rng)
    y = y.with_columns(pl.Series("c3", make(x["c3"].to_numpy().astype(float))))
    (reason,) = refused(x, y)
    assert list(reason.evidence["columns"]) == ["c3"]
