"""The only row of a table that equals a row of another in all columns."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.kernels.types import Int


def only_equal_row(x: pl.DataFrame, y: pl.DataFrame) -> Int:
    """Return for each row of y the only row of x that equals it in all columns; -1 where there is none, or several.

    Rows that have no equal in the whole numbers of largest range have none at all, and most are soon left out by that.

    Args:
        x: A table of at least one column.
        y: Another with the same columns, of the same types.
    """
    rows = np.full(y.height, -1)
    names = _widest(x, y)
    if not names:
        _write_equal(x, y, rows)
        return rows
    keys, _ = blocks.pack_keys_of_tables(x, y, names)
    known, shown = _in_both(keys[: x.height], keys[x.height :])
    if len(shown):
        equal = np.full(len(shown), -1)
        _write_equal(x[known], y[shown], equal)
        rows[shown] = np.where(equal >= 0, known[equal], -1)
    return rows


def _write_equal(x: pl.DataFrame, y: pl.DataFrame, rows: Int) -> None:
    candidates = blocks.blocks_of_tables(x, y, x.columns).candidates
    some = candidates.sizes == 1
    rows[some] = candidates.rows[candidates.start[some]]


def _widest(x: pl.DataFrame, y: pl.DataFrame) -> list[str]:
    """Return the columns of whole numbers of largest range, as many as fit into one key."""
    whole = [
        name
        for name in x.columns
        if x[name].dtype.is_integer() and not x[name].null_count() and not y[name].null_count()
    ]
    ranges = {name: _range(x[name], y[name]) for name in whole}
    chosen: list[str] = []
    for name in sorted(whole, key=lambda each: -ranges[each]):
        if math.prod(ranges[each] for each in chosen) * ranges[name] <= blocks.KEY_LIMIT:
            chosen.append(name)
    return chosen


def _range(x: pl.Series, y: pl.Series) -> int:
    if not len(x) or not len(y):
        return 1
    ends = [int(end) for side in (x, y) for end in (side.min(), side.max())]  # type: ignore[arg-type]
    return max(ends) - min(ends) + 1


def _in_both(x: Int, y: Int) -> tuple[Int, Int]:
    """Return the places of the keys of each side that are among those of the other."""
    common = np.intersect1d(x, y)
    if not len(common):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    place_x, place_y = (np.minimum(np.searchsorted(common, keys), len(common) - 1) for keys in (x, y))
    return np.flatnonzero(common[place_x] == x), np.flatnonzero(common[place_y] == y)
