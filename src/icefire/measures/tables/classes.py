"""S1 and S2: how many people share each combination of quasi-identifiers in the release."""

from __future__ import annotations

import polars as pl

from icefire.core.parameters import Columns
from icefire.core.parts import PartedTables
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.kernels.types import Int
from icefire.risk.class_table import class_table


def _k_min_in_parts(tables: PartedTables, *, qi: Columns = None) -> float:
    sizes = _classes_in_parts(tables, qi)
    return float(sizes["released"].min())  # type: ignore[arg-type]


def _k_mean_in_parts(tables: PartedTables, *, qi: Columns = None) -> float:
    return tables.targets / int(_classes_in_parts(tables, qi)["classes"].sum())


def _classes_in_parts(tables: PartedTables, qi: Columns) -> pl.DataFrame:
    counted = class_table(tables, tables.schema.pick(qi, tables.schema.qi, "qi"))
    return counted.filter(pl.col("released") > 0)


@measure(
    "k_min",
    code="S1",
    needs=("qi",),
    better="higher",
    best="the number of rows",
    in_parts=_k_min_in_parts,
)
def k_min(comparison: Comparison, *, qi: Columns = None) -> float:
    """Size of the smallest class: every released row is like at least this many, itself included.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.

    Returns:
        The number of rows of the smallest class.

    Raises:
        SchemaError: If a column named is not in the table.
    """
    return float(_sizes(comparison, qi).min())


@measure(
    "k_mean",
    code="S2",
    needs=("qi",),
    better="higher",
    best="the number of rows",
    in_parts=_k_mean_in_parts,
)
def k_mean(comparison: Comparison, *, qi: Columns = None) -> float:
    """Mean size of the classes: released rows divided by the number of classes.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.

    Returns:
        The mean number of rows of a class.

    Raises:
        SchemaError: If a column named is not in the table.
    """
    return comparison.released.height / len(_sizes(comparison, qi))


def _sizes(comparison: Comparison, qi: Columns) -> Int:
    table = comparison.released
    return table.class_sizes(table.schema.pick(qi, table.qi, "qi"))
