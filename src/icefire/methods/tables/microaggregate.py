"""Replace numbers by the means of small groups of similar rows."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, listing
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.kernels.common import sums
from icefire.kernels.microaggregation import mdav, univariate, vmdav
from icefire.kernels.types import Bool, Float, Int
from icefire.methods.common.columns import NUMBERS_BY_ROLE, numeric, numeric_check

Algorithm = Literal["mdav", "vmdav", "univariate"]


@method(
    "microaggregate",
    draws=False,
    drops_rows=False,
    least_rows="k",
    check=numeric_check("microaggregate"),
    defaults={"columns": NUMBERS_BY_ROLE},
    in_partitions="partitions",
)
def microaggregate(
    data: Dataset,
    *,
    rng: np.random.Generator,
    k: Annotated[int, Bounds(2)] = 3,
    columns: Columns = None,
    algorithm: Algorithm = "mdav",
    gamma: Annotated[float, Bounds(0)] = 0.2,
    whole: bool = True,
) -> Dataset:
    """Give groups of at least k similar rows the mean of each column.

    Ties go to the lowest row. Rows with a missing value in any of the columns take no part and stay as they are; for
    "univariate" that holds column by column.

    Args:
        data: The table.
        rng: Unused; part of every method's signature.
        k: Least number of rows in a group.
        columns: Columns to change. Default: the numeric sensitive attributes, or else the numeric quasi-identifiers.
        algorithm: "mdav" groups the rows over all columns together, standardised, k at a time from the outside inwards;
            "vmdav" lets a group grow to 2k - 1 rows where points lie close; "univariate" groups each column by itself,
            with the least possible change.
        gamma: How readily groups grow with "vmdav": the larger, the more.
        whole: Whole numbers stay whole by rounding the mean.

    Returns:
        The table with the means; the notes count groups and rows that took no part.

    Raises:
        ParameterError: If fewer than k rows have a value in every column, a column holds no numbers, or there is none
            to work on.
    """
    names = numeric(data, "microaggregate", columns)
    parts = [(name,) for name in names] if algorithm == "univariate" else [names] if names else []
    changed, groups, left_out = [], [], []
    for part in parts:
        values = data.matrix(part)
        complete = np.asarray(np.isfinite(values).all(axis=1))
        labels = _grouped(values[complete], part, k, algorithm, gamma)
        for c, name in enumerate(part):
            changed.append(_written(data.frame[name], complete, _means(values[complete, c], labels), whole))
        groups.append(int(labels.max(initial=-1)) + 1)
        left_out.append(int((~complete).sum()))
    return data.with_columns(*changed).noted(groups=groups, rows_left_out=left_out)


def _grouped(values: Float, names: tuple[str, ...], k: int, algorithm: Algorithm, gamma: float) -> Int:
    """Return the group of each row; no row or a single one is a group of its own."""
    if len(values) < 2:
        return np.zeros(len(values), np.int64)
    if k > len(values):
        raise ParameterError(
            f"microaggregate: k is {k}, but only {len(values)} rows have a value in every column of "
            f"{listing(names)}; choose a smaller k"
        )
    if algorithm == "univariate":
        return univariate.groups(np.ascontiguousarray(values[:, 0]), k)
    points = mdav.standardised(values)
    return mdav.groups(points, k) if algorithm == "mdav" else vmdav.groups(points, k, gamma)


def _means(values: Float, groups: Int) -> Float:
    """Return for each row the mean of its group."""
    return sums.mean_by_cell(values, groups, int(groups.max(initial=-1)) + 1)[groups]


def _written(column: pl.Series, complete: Bool, means: Float, whole: bool) -> pl.Series:
    """Write the means over the rows that took part; the others keep what they have."""
    values = np.zeros(len(column))
    values[complete] = np.rint(means) if whole and column.dtype.is_integer() else means
    kept = column if whole or not column.dtype.is_integer() else column.cast(pl.Float64)
    new = pl.Series(values).cast(kept.dtype)
    return pl.select(pl.when(pl.Series(complete)).then(new).otherwise(kept)).to_series().alias(column.name)
