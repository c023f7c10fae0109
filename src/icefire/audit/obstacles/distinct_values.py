"""How many different values a column has, counted once for all obstacles that ask."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core.release import Case

DIRECT_SPAN = 1 << 22
"""Whole numbers that span less than this are marked in a table, not hashed."""
PROBED = 1000
"""Rows at the beginning of a column that mostly show that not all of its values differ."""


def distinct_originals(case: Case, name: str) -> int:
    """Return how many different values a column of the original has; a missing value is one of them."""
    return case.cached(("distinct values", name), lambda: distinct_count(case.known.frame[name]))


def distinct_count(column: pl.Series) -> int:
    """Return how many different values a column has; a missing value is one of them."""
    if column.dtype.is_integer() and len(column) and not column.null_count():
        low, high = int(column.min()), int(column.max())  # type: ignore[arg-type]
        if high - low < DIRECT_SPAN and high < 1 << 62 and low > -(1 << 62):
            present = np.zeros(high - low + 1, np.bool_)
            present[np.subtract(column.to_numpy(), low, dtype=np.int64)] = True
            return int(np.count_nonzero(present))
    return column.n_unique()


def all_differ(column: pl.Series) -> bool:
    """Tell whether no value occurs twice, nor is missing."""
    if column.null_count() or column.head(PROBED).n_unique() < min(PROBED, len(column)):
        return False
    return column.n_unique() == len(column)
