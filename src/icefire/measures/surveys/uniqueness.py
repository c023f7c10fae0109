"""uniqrt: share of rows whose combination of values occurs once."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset, numbers
from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.measures.surveys import column_options


@measure("uniqrt", needs=("population",), explicit_only=True)
def uniqrt(
    comparison: Comparison,
    *,
    columns: Columns = None,
    rounding: str | None = None,
    of: Literal["original", "released"] = "original",
) -> float:
    """Share of rows alone with their quasi-identifiers: released rows whose combination occurs once, per original row.

    `columns` make the combination (default the quasi-identifiers), and `rounding`, such as "age: 10; bmi: 10", rounds
    some of them first to multiples of a unit, halves to the even multiple. `of` = released divides by the number of
    released rows instead.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        columns: Columns that make the combination. Default: the quasi-identifiers.
        rounding: Units that numbers are rounded to, such as "age: 10; bmi: 10". Default: none is rounded.
        of: Whether the number of "original" or of "released" rows is the whole.

    Returns:
        The share of rows whose combination occurs once.

    Raises:
        SchemaError: If a column named is not in the table, or one that is rounded holds no numbers.
        ParameterError: If `rounding` cannot be read.
    """
    total = comparison.original.height if of == "original" else comparison.released.height
    return alone(comparison.released, columns, rounding) / total


def alone(data: Dataset, columns: Columns = None, rounding: str | None = None) -> int:
    """Count the rows of a table whose combination occurs once."""
    names = data.schema.pick(columns, data.qi, "columns")
    units = column_options.units(rounding, data)
    keys = pl.DataFrame([_rounded(data.frame[n], units[n]) if n in units else data.frame[n] for n in names])
    return int((blocks.class_sizes(keys, names) == 1).sum()) if names else int(data.height == 1)


def _rounded(column: pl.Series, unit: float) -> pl.Series:
    return pl.Series(column.name, np.rint(numbers(column) / unit)).fill_nan(None)
