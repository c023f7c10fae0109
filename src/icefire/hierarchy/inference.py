"""Choose a hierarchy for a column from its values."""

from __future__ import annotations

import math

import polars as pl

from icefire.hierarchy.core import Hierarchy
from icefire.hierarchy.dates import dates, read_dates
from icefire.hierarchy.fitting import Fitted, fit
from icefire.hierarchy.numbers import intervals
from icefire.hierarchy.stacking import distinct_values
from icefire.hierarchy.texts import redaction, suppression

MOST_INTERVALS = 16
"""Numbers begin with about this many intervals; joined two by two, that makes five levels and the top."""


def infer(column: pl.Series) -> Hierarchy:
    """Choose a hierarchy by the values of a column.

    Numbers get intervals of a round width (1, 2 or 5 times a power of ten), about 16 of them, doubled at each level;
    dates get month, quarter, year and decade; codes of digits of one length lose digits from the right; other
    text is kept or becomes `*`. Levels that join nothing new are left out.
    """
    values = distinct_values(column)
    if values.dtype.is_numeric():
        return _numeric(column, values).thinned()
    if read_dates(values) is not None:
        return dates(column).thinned()
    if values.dtype == pl.String and len(values) > 1 and _are_codes(values):
        return redaction(column).thinned()
    return suppression(column)


def fit_inferred(column: pl.Series) -> Fitted:
    """Lay over a column the hierarchy that its own values suggest."""
    # A column that is missing in every row has nothing to infer from, and nothing to hide.
    return fit(infer(column if column.null_count() < len(column) else pl.Series(column.name, [""])), column)


def _numeric(column: pl.Series, values: pl.Series) -> Hierarchy:
    span = float(values.max()) - float(values.min())  # type: ignore[arg-type]
    if not span or not math.isfinite(span):
        return suppression(column)
    width = round_up(span / MOST_INTERVALS)
    return intervals(column, width=max(2.0, width) if values.dtype.is_integer() else width)


def round_up(width: float) -> float:
    """Return the least of 1, 2, 5, 10, 20, 50, … (or 0.5, 0.2, …) that is not below the width."""
    power = 10.0 ** math.floor(math.log10(width))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= width * (1 - 1e-9))


def _are_codes(values: pl.Series) -> bool:
    """Tell codes such as postcodes: digits only, all of one length of two or more."""
    lengths = values.str.len_chars()
    return bool(lengths.min() == lengths.max() and lengths[0] >= 2 and values.str.contains(r"^\d+$").all())
