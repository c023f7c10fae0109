"""How much detail generalised quasi-identifiers keep, as ARX defines it; each is 1 for the original, 0 for nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.errors import UndefinedError
from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Role
from icefire.kernels.common.value_counts import count_values, look_up
from icefire.kernels.grouping.packed_keys import TABLE_LIMIT
from icefire.kernels.types import Float, Int
from icefire.measures.generalized_cells import (
    CellNumbers,
    GeneralizedColumn,
    deleted_rows,
    generalized_columns,
    levels_known,
)

NEEDS = ("qi", "original", "truth")


@measure("granularity", needs=NEEDS, better="higher", best="1")
def granularity(comparison: Comparison, *, qi: Columns = None, hierarchies: str | None = None) -> float:
    """Share of the detail that the labels of the quasi-identifiers keep (Iyengar's loss, as ARX has it).

    A cell has 1 - (values below its label - 1) / (values of the column - 1); a missing or deleted one has 0 unless its
    origin was missing. Mean over the rows, then over the columns. Values below a label are read from its text and
    counted among those that occur in the original, or looked up in published `hierarchies`. A word that is no value of
    the original counts as covering everything. Changes of a value into another one are not seen.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        qi: Quasi-identifiers. Default: all of them.
        hierarchies: Folder of the published hierarchies, one CSV file per column. Default: labels are read.

    Returns:
        The mean, 0 to 1.

    Raises:
        SchemaError: If a column named is not in the table.
        InputError: If a hierarchy is missing, or does not list a value.
    """
    columns = _columns(comparison, qi, hierarchies)
    deleted = len(deleted_rows(comparison))
    rows = comparison.released.height + deleted
    return float(np.mean([1 - (column.share.sum() + deleted) / rows for column in columns]))


@measure("generalization_precision", needs=NEEDS, better="higher", best="1")
def generalization_precision(comparison: Comparison, *, qi: Columns = None, hierarchies: str | None = None) -> float:
    """Mean height that labels leave below the top of their hierarchies: ARX's (Sweeney's) precision.

    A cell has 1 - level / highest level, with the lowest level that has its label; a missing or deleted one has 0
    unless its origin was missing. Mean over the rows, then over the columns. Without `hierarchies` there is a value
    only if no cell holds a label: then a cell is kept or gone.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        qi: Quasi-identifiers. Default: all of them.
        hierarchies: Folder of the published hierarchies, one CSV file per column.

    Returns:
        The mean, 0 to 1.

    Raises:
        SchemaError: If a column named is not in the table.
        InputError: If a hierarchy is missing, or does not list a value.
        UndefinedError: If there are labels, and no hierarchies were named.
    """
    deleted = len(deleted_rows(comparison))
    rows = comparison.released.height + deleted
    heights = [
        (levels_known(column).sum() / max(column.top, 1) + deleted) / rows
        for column in _columns(comparison, qi, hierarchies)
    ]
    return float(1 - np.mean(heights))


@measure("nonuniform_entropy", needs=NEEDS, better="higher", best="1")
def nonuniform_entropy(comparison: Comparison, *, qi: Columns = None, hierarchies: str | None = None) -> float:
    """Share of the information in the quasi-identifiers that their labels keep: ARX's non-uniform entropy.

    A cell loses -log2 of the share that its original value has among the rows with its label; deleted rows share a
    label. The sum is divided by what is lost if every row has the same label. So it is the mutual information of
    values and labels as a share of the entropy of the values. With `hierarchies`, the loss is added up level by level,
    as ARX does; where all rows of a column have one level, both are the same. Mean over the columns that vary.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        qi: Quasi-identifiers. Default: all of them.
        hierarchies: Folder of the published hierarchies, one CSV file per column. Default: labels are compared.

    Returns:
        The mean, 0 to 1.

    Raises:
        SchemaError: If a column named is not in the table.
        InputError: If a hierarchy is missing, or does not list a value.
        UndefinedError: If no quasi-identifier varies.
    """
    deleted = deleted_rows(comparison)
    rows = np.concatenate([comparison.truth.rows, deleted])
    kept = []
    for column in _columns(comparison, qi, hierarchies):
        values = column.origin[rows]
        most = _bits(values, np.zeros(len(values), np.uint8)).sum()
        if most > 0:
            kept.append(1 - _lost_bits(column, rows, len(deleted)) / most)
    if not kept:
        raise UndefinedError("no quasi-identifier varies in the original; there is no information to lose")
    return float(np.mean(kept))


@measure("discernibility", needs=NEEDS, better="higher", best="1")
def discernibility(comparison: Comparison, *, qi: Columns = None) -> float:
    """How well rows can be told apart by the quasi-identifiers: ARX's discernibility, 1 as in the original.

    A row costs the size of its class, and a row that is deleted or has no quasi-identifier left costs as much as all
    rows. With D the sum over the rows and n original rows, the value is (n² - D of the release) / (n² - D of the
    original). It is above 1 if changed values make classes smaller than they were.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        qi: Quasi-identifiers. Default: all of them.

    Returns:
        The share, 0 if everything is one class.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If no two rows of the original can be told apart.
    """
    names = _names(comparison, qi)
    rows = comparison.original.height
    before = _squares(comparison.original.class_sizes(names))
    if before >= float(rows) ** 2:
        raise UndefinedError("no two rows of the original differ in the quasi-identifiers; none can be told apart")
    names = tuple(name for name in names if name in comparison.released.frame.columns)
    emptied = np.ones(comparison.released.height, bool)
    for name in names:
        cells = comparison.released.frame[name]
        starred = (cells.str.strip_chars() == "*") if cells.dtype == pl.String else cells.is_null()
        emptied &= (cells.is_null() | starred.fill_null(False)).to_numpy()
    if emptied.any():
        left = comparison.released.frame.filter(~emptied)
        after = _squares(blocks.class_sizes(left, names)) if left.height else 0.0
    else:
        after = _squares(comparison.released.class_sizes(names))
    after += float(rows) * (int(emptied.sum()) + len(deleted_rows(comparison)))
    return float((float(rows) ** 2 - after) / (float(rows) ** 2 - before))


def _columns(comparison: Comparison, qi: Columns, hierarchies: str | None) -> list[GeneralizedColumn]:
    return generalized_columns(comparison, _names(comparison, qi), hierarchies)


def _names(comparison: Comparison, qi: Columns) -> tuple[str, ...]:
    """Return the quasi-identifiers; of one that was not released nothing is left."""
    schema = comparison.original.schema
    return schema.pick(qi, schema.before_release(Role.QI), "qi", lost_too=True)


def _squares(sizes: Int) -> float:
    return float((sizes.astype(np.float64) ** 2).sum())


def _bits(values: CellNumbers, labels: CellNumbers) -> Float:
    """Bits of every row: -log2 of the share of its value among the rows with its label."""
    width, labelled = int(values.max(initial=0)) + 1, int(labels.max(initial=0)) + 1
    wide: type[np.integer[Any]] = np.int32 if width * labelled < 1 << 31 else np.int64
    keys = values.astype(wide)
    if labelled > 1:
        keys = keys + labels.astype(wide) * width
    if labelled * width <= TABLE_LIMIT:
        counts = count_values(keys, 0, labelled * width)
        of_label = np.repeat(counts.reshape(labelled, width).sum(axis=1), width)
        of_pair: Float = np.log2(np.maximum(of_label, 1) / np.maximum(counts, 1))
        return look_up(keys, 0, of_pair)
    _, pair, counts = np.unique(keys, return_inverse=True, return_counts=True)
    bits: Float = np.log2(np.bincount(labels)[labels] / counts[pair.reshape(-1)])
    return bits


def _lost_bits(column: GeneralizedColumn, rows: Int, deleted: int) -> float:
    values, level = column.origin[rows], column.level
    if column.paths is None or level is None:
        labels = column.label
        if deleted:
            labels = np.concatenate([labels, np.full(deleted, int(labels.max(initial=0)) + 1)])
        return float(_bits(values, labels).sum())
    levels = np.concatenate([level, np.full(deleted, column.top)])
    lost, before = 0.0, values
    for level in np.unique(levels).tolist():
        after, reached = column.paths[level][rows], levels >= level
        lost += float(_bits(before[reached], after[reached]).sum())
        before = after
    return lost
