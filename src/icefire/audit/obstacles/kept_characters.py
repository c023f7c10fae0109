"""Values whose characters were exchanged: digits at other places, or under other names.

Which character of the original a released one depends on, and how, is learned from rows whose origin is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.audit.obstacles.category_tables import LevelsOfRows, RowLevels, best_table_of
from icefire.audit.obstacles.numbered_values import numbered
from icefire.core import align
from icefire.core.dataset import numbers
from icefire.hierarchy.fitting import number
from icefire.kernels.types import Float, Int

LONGEST = 24
"""Characters of a value that are looked at: the first ones of texts, the last ones of numbers."""
FEWEST_VALUES = 16
"""Columns of fewer values are told from one another without their characters."""
KINDS = 64
"""Different characters, at most; all others count as one."""
LEAST_GAIN = 0.1
"""Log-likelihood per row from which on a character says something."""
DECIMALS = 4
"""Decimals of numbers that are looked at."""


@dataclass(frozen=True)
class KeptCharacters:
    """What the characters of released values say about who a row is."""

    gain: float
    """Mean log-likelihood per row."""
    tables: list[tuple[Float, RowLevels, RowLevels]]
    """Of every released character the log ratios (released × original level), and the levels of all rows."""


def learn_kept_characters(x: pl.Series, y: pl.Series, truth: Int, taught: Int) -> KeptCharacters:
    """Learn from some released rows which characters of a column follow from which ones of the original.

    Args:
        x: The column in the original.
        y: The released column.
        truth: Original row of each released row.
        taught: Released rows to learn from.
    """
    if min(x.n_unique(), y.n_unique()) <= FEWEST_VALUES:
        return KeptCharacters(0.0, [])
    known = _levels(x)
    own = {place: (levels.of_rows(truth[taught]), levels.many) for place, levels in enumerate(known)}
    gain = 0.0
    tables: list[tuple[Float, RowLevels, RowLevels]] = []
    for shown in _levels(y):
        learned = best_table_of((shown.of_rows(taught), shown.many), own)
        if learned is not None and learned.gain > LEAST_GAIN:
            gain += learned.gain
            tables.append((learned.log_ratios, shown.of_rows(slice(None)), known[learned.source].of_rows(slice(None))))
    return KeptCharacters(gain, tables)


def _levels(values: pl.Series) -> list[LevelsOfRows]:
    """Return of every place at which characters differ the character of each row, numbered; 0 where there is none."""
    codes, distinct, rows = _counted(values)
    texts = _texts(distinct).fill_null("")
    characters = texts.to_numpy().astype(f"<U{LONGEST}").view(np.uint32).reshape(len(texts), LONGEST)
    levels = [_numbered(column, rows) for column in characters.T]
    return [LevelsOfRows(codes, column) for column in levels if column.min() < column.max()]


def _counted(values: pl.Series) -> tuple[Int, pl.Series, Int]:
    """Return which of the distinct values each row has, these, and how many rows have each; one may be missing."""
    if not values.dtype.is_numeric():
        texts, distinct = number(align.as_text(values))
        return texts.astype(np.int64), distinct, np.bincount(texts, minlength=len(distinct)).astype(np.int64)
    every = numbers(values)
    missing = np.isnan(every)
    known, places, counts = numbered(every[~missing])
    codes = np.full(len(every), len(known), np.int64)
    codes[~missing] = places
    with_missing = pl.Series(np.append(known, np.nan)).fill_nan(None)
    return codes, with_missing, np.append(counts, missing.sum()).astype(np.int64)


def _texts(values: pl.Series) -> pl.Series:
    """Return letters and digits: of numbers the last digits, the last one at the first place."""
    if not values.dtype.is_numeric():
        return align.as_text(values).str.to_lowercase().str.replace_all(r"[\W_]", "").str.slice(0, LONGEST)
    known = numbers(values)
    filled = known[~np.isnan(known)]
    decimals = next((d for d in range(DECIMALS) if np.allclose(filled * 10.0**d, (filled * 10.0**d).round())), DECIMALS)
    units = pl.Series(np.abs(np.nan_to_num(known)) * 10.0**decimals).round()
    digits = units.clip(upper_bound=1e17).cast(pl.Int64).cast(pl.String).str.zfill(LONGEST - 1)
    shown = pl.DataFrame({"digits": digits.str.reverse(), "missing": np.isnan(known)})
    return shown.select(pl.when(~pl.col("missing")).then("digits")).to_series()


def _numbered(characters: np.ndarray, rows: Int) -> Int:
    """Number characters by how many rows have them; all from the last number on are one level."""
    kinds, places = np.unique(characters[rows > 0], return_inverse=True)
    counts = np.bincount(places, rows[rows > 0])
    order = np.empty(len(kinds), np.int64)
    order[np.argsort(-counts, kind="stable")] = np.arange(len(kinds))
    levels: Int = np.zeros(len(characters), np.int64)
    levels[rows > 0] = np.minimum(order, KINDS)[places]
    return levels
