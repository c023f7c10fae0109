"""What is published verbatim: rows that equal one original row in every column."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.audit.obstacles.only_equal_row import only_equal_row
from icefire.core import align, formatting
from icefire.core.release import Comparison
from icefire.core.schema import Role
from icefire.core.scorecard import Reason
from icefire.kernels.types import Bool, Float, Int
from icefire.words import t

ENOUGH = 5.0
"""Repeated coincidences that must be expected before their absence says something."""
FACTOR = 20.0
"""Columns that depend on one another make coincidences so many times as frequent as independent columns do."""
IMPOSSIBLE = 1e-4
"""Where independent columns explain less than this share of the equal rows, coincidence is out of the question."""


@dataclass(frozen=True, slots=True)
class EqualRows:
    """Released rows that equal exactly one original row, and which."""

    equal: Bool
    rows: Int
    """The original row; -1 where there is none, or several."""
    by_coincidence: bool
    """As many rows would be equal if values were drawn anew: the columns have few values."""


def compared_columns(comparison: Comparison) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the columns that both tables have, identifiers excepted, each with one type."""
    x, y = comparison.original.frame, comparison.released.frame
    hidden = comparison.original.schema.named(Role.ID)
    names = [name for name in y.columns if name in x.columns and name not in hidden]
    pairs = [same_type(x[name], y[name]) for name in names]
    return pl.DataFrame([one for one, _ in pairs]), pl.DataFrame([other for _, other in pairs])


def same_type(one: pl.Series, other: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return two columns with one type: numbers as numbers, anything else as text."""
    if one.dtype == other.dtype:
        return one, other
    if one.dtype.is_numeric() and other.dtype.is_numeric():
        return one.cast(pl.Float64), other.cast(pl.Float64)
    return align.comparable_text(one, other)


def equal_rows(comparison: Comparison) -> EqualRows:
    """Find the released rows that equal exactly one original row in all columns; they are found once."""
    return comparison.case.cached("equal rows", lambda: _equal_rows(comparison))


def _equal_rows(comparison: Comparison) -> EqualRows:
    x, y = compared_columns(comparison)
    if not x.columns:
        return EqualRows(np.zeros(len(comparison.truth), np.bool_), np.full(len(comparison.truth), -1), True)
    rows = only_equal_row(x, y)
    equal: Bool = rows >= 0
    if not equal.any():
        return EqualRows(equal, rows, True)
    single = x.is_unique()
    coincidence = is_coincidence(rows[equal], int(single.sum()), _expected_equal(x, y, single))
    return EqualRows(equal, rows, coincidence)


def is_coincidence(originals: Int, single: int, independent: float) -> bool:
    """Tell whether rows that were drawn anew would be equal as often.

    Rows that were copied are each equal to another person, and nobody is met twice. Coincidences meet the same person
    repeatedly, the more often the more people are met at all.

    Args:
        originals: The original row that each equal released row equals.
        single: Number of original rows that occur once.
        independent: Expected number of equal rows if the columns were shuffled independently.
    """
    if independent < IMPOSSIBLE * len(originals):
        return False
    met = len(np.unique(originals))
    share = min(met / max(single, 1), 1 - 0.5 / max(single, 1))
    repeated, expected = len(originals) - met, -single * math.log1p(-share) - met
    if expected >= ENOUGH:
        return repeated >= expected / 2
    return len(originals) <= ENOUGH + FACTOR * independent


def _expected_equal(x: pl.DataFrame, y: pl.DataFrame, single: pl.Series) -> float:
    """Return how many released rows would equal a single row of x if the columns were shuffled independently."""
    chance: Float = np.full(x.height, float(y.height))
    for name in x.columns:
        own, counts = x.select(value=name), y.select(value=name).group_by("value").len(name="rows")
        known = own.join(counts, on="value", how="left", nulls_equal=True, maintain_order="left")
        chance *= known["rows"].fill_null(0).to_numpy() / y.height
    return float(chance[single.to_numpy()].sum())


def verbatim(comparison: Comparison, limit: float) -> list[Reason]:
    """Refuse a release that publishes more rows verbatim than may be identified."""
    return too_many_equal(equal_rows(comparison), comparison.truth.rows, limit)


def too_many_equal(matched: EqualRows, truth: Int, limit: float) -> list[Reason]:
    """Refuse equal rows if they are more than may be identified, and no coincidence."""
    count = int(matched.equal.sum())
    own = int((matched.rows == truth).sum())
    if matched.by_coincidence and own <= limit * len(matched.equal):
        return []
    share = count / len(matched.equal)
    if share <= limit:
        return []
    rows, written = len(matched.equal), formatting.percent(share)
    text = t("verdict.reason.rows_verbatim", n=count, rows=rows, share=written)
    return [Reason("verbatim", text, {"rows": count, "own": own, "share": share, "limit": limit})]
