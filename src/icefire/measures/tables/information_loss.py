"""U5: mean change of a value against the row it came from. It depends on the claimed correspondence."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core.dataset import numbers
from icefire.core.parameters import Columns
from icefire.core.parts import PairedTables, refuse_parameters
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Role
from icefire.kernels.common import sums

LossScale = Literal["range", "sd", "relative", "none"]
TOTAL_LOSS = 1.0


def _in_parts(tables: PairedTables, *, columns: Columns = None, scale: LossScale = "range") -> float:
    refuse_parameters("information_loss", {"scale": (scale, scale == "sd")})
    schema = tables.schema
    names = schema.pick(columns, schema.before_release(Role.SA), "columns", lost_too=scale != "none")
    lost = {column.name for column in schema.not_released}
    return float(np.mean([TOTAL_LOSS if name in lost else _loss_in_parts(tables, name, scale) for name in names]))


def _qi_in_parts(tables: PairedTables) -> float:
    return _in_parts(tables, columns=tables.schema.before_release(Role.QI))


def _loss_in_parts(tables: PairedTables, name: str, scale: LossScale) -> float:
    facts = tables.facts("original", name)
    spread = 0.0
    if facts.lowest is not None and facts.highest is not None:
        spread = facts.highest - facts.lowest
    if scale == "range" and spread == 0:
        return tables.paired(name, _changed) / tables.targets

    def part(x: pl.Series, y: pl.Series) -> float:
        rows = np.arange(len(y))
        if scale == "range":
            return sums.absolute_change(numbers(x), numbers(y), rows, changed=spread) / spread
        return sums.absolute_change(numbers(x), numbers(y), rows, scale == "relative")

    return tables.paired(name, _changed if facts.lowest is None else part) / tables.targets


def _changed(x: pl.Series, y: pl.Series) -> float:
    return float(x.ne_missing(y).sum())


@measure("information_loss", code="U5", needs=("sa", "original", "truth"), in_parts=_in_parts)
def information_loss(comparison: Comparison, *, columns: Columns = None, scale: LossScale = "range") -> float:
    """Mean change of a value against the row it came from, as a share of the column's range.

    `columns` default to the sensitive attributes. `scale` divides by the range or the standard deviation of the
    original column, by the value itself (relative), or not at all. A text value counts 0 or 1, and so does a
    change where there is nothing to divide by, and every value of a column that was not released.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        columns: Columns to compare. Default: the sensitive attributes.
        scale: What a change is divided by: the "range" or the standard deviation ("sd") of the column, the value
            ("relative"), or nothing ("none").

    Returns:
        The mean change of a value; 0 if none changed.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If a column was not released, and changes are not divided.
    """
    x, y = comparison.original, comparison.released
    names = x.schema.pick(columns, x.schema.before_release(Role.SA), "columns", lost_too=scale != "none")
    there = [name for name in names if name in y.frame.columns]
    losses = [_column_loss(comparison, name, scale) for name in there]
    return float(np.mean(losses + [TOTAL_LOSS] * (len(names) - len(losses))))


@measure("qi_information_loss", code="U5-QI", needs=("qi", "original", "truth"), in_parts=_qi_in_parts)
def qi_information_loss(comparison: Comparison) -> float:
    """Mean change of a quasi-identifier against the row it came from, as a share of the column's range: U5 over QIs.

    A label, a blank and any other text that differs counts 1, and so does a column that was not released.

    Args:
        comparison: The original table, the released one, and the original row of each released row.

    Returns:
        The mean change of a value; 0 if none changed.
    """
    return information_loss(comparison, columns=comparison.original.schema.before_release(Role.QI))


def _column_loss(comparison: Comparison, name: str, scale: LossScale) -> float:
    x, y, rows = comparison.original.frame[name], comparison.released.frame[name], comparison.truth.rows
    text = comparison.case.coded_text(name)
    if text is not None:
        return float(text.changed(rows).mean())
    if not x.dtype.is_numeric():
        return float(x[rows].ne_missing(y).mean())  # type: ignore[arg-type]
    known, shown = numbers(x), numbers(y)
    if scale in ("relative", "none"):
        return sums.absolute_change(known, shown, rows, scale == "relative") / len(shown)
    spread = float(x.max()) - float(x.min()) if scale == "range" else float(np.nanstd(known))  # type: ignore[arg-type]
    if spread == 0:
        return float(x[rows].ne_missing(y).mean())  # type: ignore[arg-type]
    return sums.absolute_change(known, shown, rows, changed=spread) / spread / len(shown)
