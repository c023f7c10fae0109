"""How far the distribution of each column moved: total variation of text, Wasserstein distance of numbers."""

from __future__ import annotations

import numpy as np

from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.measures.compared_columns import compare_columns
from icefire.measures.noted import NotedValue


@measure("marginal_distance", needs=("original",))
def marginal_distance(comparison: Comparison, *, columns: Columns = None) -> float:
    """Mean distance of a column's distribution from the original's, 0 for the same.

    Of text and of constant columns it is the total variation, the share of the rows that would have to take another
    value; of numbers the Wasserstein distance, how far the rows would have to move on average, as a share of the range.
    Rows are not compared one by one, so the release may have more or fewer. A label such as 30-39 counts as the
    original values it stands for in equal parts. Missing is a value of its own; among numbers, a difference in the
    share of missing cells counts in full. A column that the release lacks counts 1.

    Args:
        comparison: The original table and the released one.
        columns: Columns to compare. Default: all that do not identify people.

    Returns:
        The mean distance; above 1 only if numbers moved by more than their range.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there is no column or no row.
    """
    return float(np.mean([column.distance for column in compare_columns(comparison, columns).distances]))


@measure("marginal_distance_max", needs=("original",))
def marginal_distance_max(comparison: Comparison, *, columns: Columns = None) -> float:
    """Largest distance of a column's distribution from the original's; see `marginal_distance`.

    Args:
        comparison: The original table and the released one.
        columns: Columns to compare. Default: all that do not identify people.

    Returns:
        The largest distance, with a note that names the column.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there is no column or no row.
    """
    worst = max(compare_columns(comparison, columns).distances, key=lambda column: column.distance)
    return NotedValue(worst.distance, f"in {worst.column}" if worst.distance else "")
