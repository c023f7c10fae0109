"""What each value of a column became in a release, counted row by row."""

from __future__ import annotations

import polars as pl


def applied(before: pl.Series, after: pl.Series) -> pl.DataFrame:
    """Return every pair of a value and what was released for it, and the number of rows, in the order of the values.

    Row j of one column belongs to row j of the other. A recoding of the whole domain has one line for each value,
    a local one may have several.
    """
    pairs = pl.DataFrame({"value": before, "released": after})
    counted = pairs.group_by("value", "released").len("rows").with_columns(pl.col("rows").cast(pl.Int64))
    return counted.sort("value", "released", nulls_last=True)
