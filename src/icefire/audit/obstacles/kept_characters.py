"""Values whose characters were exchanged: digits at other places, or under other names.

Which character of the original a released one depends on, and how, is learned from rows whose origin is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.audit.obstacles.category_tables import best_table
from icefire.core import align
from icefire.core.dataset import numbers
from icefire.kernels.types import Int

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
    tables: list[tuple[np.ndarray, Int, Int]]
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
    known = dict(enumerate(_levels(x)))
    gain, tables = 0.0, []
    for shown in _levels(y):
        learned = best_table(shown, known, truth[taught], taught)
        if learned is not None and learned.gain > LEAST_GAIN:
            gain += learned.gain
            tables.append((learned.log_ratios, shown, known[learned.source]))
    return KeptCharacters(gain, tables)


def _levels(values: pl.Series) -> list[Int]:
    """Return of every place at which characters differ the character of each row, numbered; 0 where there is none."""
    texts = _texts(values).fill_null("")
    characters = texts.to_numpy().astype(f"<U{LONGEST}").view(np.uint32).reshape(len(texts), LONGEST)
    levels = [_numbered(column) for column in characters.T]
    return [column for column in levels if column.min() < column.max()]


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


def _numbered(characters: np.ndarray) -> Int:
    """Number characters by how frequent they are; all from the last number on are one level."""
    kinds, places, counts = np.unique(characters, return_inverse=True, return_counts=True)
    order = np.empty(len(kinds), np.int64)
    order[np.argsort(-counts, kind="stable")] = np.arange(len(kinds))
    levels: Int = np.minimum(order, KINDS)[places]
    return levels
