"""U2 and U3: change of the cells of a cross table of quasi-identifiers."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import numbers
from icefire.core.errors import UndefinedError
from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Kind, Role
from icefire.kernels.common import sums
from icefire.kernels.types import Float, Int
from icefire.measures.cells import number_cells

CellChoice = Literal["both", "union", "original"]
CROSSED = 6
"""The contest crossed the first six quasi-identifiers."""


@measure("cross_mean", code="U2", needs=("qi", "numeric_sa", "original"))
def cross_mean(comparison: Comparison, *, qi: Columns = None, sa: Columns = None, cells: CellChoice = "both") -> float:
    """Mean change of a cell's average in the cross table of some quasi-identifiers, in the units of the values.

    One joint table over `qi` (default the first six); mean over cells and sensitive attributes (`sa`). `cells`
    says which count: occupied in both tables, in either (an absent one is 0), or in the original.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        qi: Quasi-identifiers that are crossed. Default: the first six.
        sa: Columns to average. Default: the numeric sensitive attributes.
        cells: Cells that count: occupied in "both" tables, in either ("union") or in the "original".

    Returns:
        The mean absolute change of a cell's average.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
        UndefinedError: If no cell counts, or a column was not released.
    """
    x, y = comparison.original, comparison.released
    left, right, size = cell_numbers(comparison, qi)
    kept = _kept(np.bincount(left, minlength=size), np.bincount(right, minlength=size), cells)
    names = x.schema.pick(sa, x.schema.before_release(Role.SA, kind=Kind.NUMBER), "sa")
    x.check_numeric(names)
    changes = []
    for name in names:
        before = sums.mean_by_cell(numbers(x.frame[name]), left, size)[kept]
        after = sums.mean_by_cell(numbers(y.frame[name]), right, size)[kept]
        changes.append(_change(before, after, cells))
    return float(np.mean(np.concatenate(changes)))


@measure("cross_count", code="U3", needs=("qi", "original"))
def cross_count(comparison: Comparison, *, qi: Columns = None, cells: CellChoice = "union") -> float:
    """Mean change of a cell's count in the cross table of some quasi-identifiers, in rows.

    Columns and cells as for `cross_mean`; by default every cell occupied in either table counts.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        qi: Quasi-identifiers that are crossed. Default: the first six.
        cells: Cells that count: occupied in "both" tables, in either ("union") or in the "original".

    Returns:
        The mean absolute change of a cell's count.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If no cell counts, or a column was not released.
    """
    left, right, size = cell_numbers(comparison, qi)
    before, after = np.bincount(left, minlength=size), np.bincount(right, minlength=size)
    kept = _kept(before, after, cells)
    return float(np.abs(before[kept] - after[kept]).mean())


def cell_numbers(comparison: Comparison, qi: Columns) -> tuple[Int, Int, int]:
    """Number the cells of the joint table; returns the cell of each original and each released row."""
    x, y = comparison.original, comparison.released
    names = x.schema.pick(qi, x.schema.before_release(Role.QI)[:CROSSED], "qi")
    joint = [blocks.encode(pl.concat([x.frame[n], y.frame[n]])) for n in names]
    cells, size = number_cells(joint, x.height + y.height)
    return cells[: x.height], cells[x.height :], size


def _kept(before: Int, after: Int, cells: CellChoice) -> np.ndarray:
    kept = {"both": (before > 0) & (after > 0), "union": (before > 0) | (after > 0), "original": before > 0}[cells]
    if not kept.any():
        raise UndefinedError("no cell of the cross table is occupied in both tables; choose cells = union")
    return kept


def _change(before: Float, after: Float, cells: CellChoice) -> Float:
    """Absolute changes; a cell without a value counts as 0, or is left out where only shared cells count."""
    if cells == "both":
        present = ~(np.isnan(before) | np.isnan(after))
        return np.abs(before - after)[present]
    return np.abs(np.nan_to_num(before) - np.nan_to_num(after))
