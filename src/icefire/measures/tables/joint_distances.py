"""How far the joint tables of two or three columns moved, and the share of them within a tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from icefire.core.errors import UndefinedError
from icefire.core.formatting import count
from icefire.core.parameters import Bounds, Columns, Share
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.kernels.common import threads
from icefire.kernels.types import Float
from icefire.measures.compared_columns import compare_columns
from icefire.measures.joint_tables import JointTables, choose_tables
from icefire.measures.noted import NotedValue

MOST_TABLES = 1000
"""So many sets of columns are compared at most: every pair of 45 columns."""
WIDEST = 3
Width = Annotated[int, Bounds(1, WIDEST)]


@dataclass(frozen=True, slots=True)
class TableDistances:
    """The total variation of the joint tables of so many columns each."""

    tables: list[tuple[str, ...]]
    """The columns of each table."""
    distances: Float
    all_tables: int
    """Tables there are; where these are more, a random draw was compared."""

    @property
    def worst(self) -> tuple[str, ...]:
        """The columns of the table with the largest distance, the first of several."""
        return self.tables[int(np.argmax(self.distances))]

    @property
    def extent(self) -> str:
        """Say which tables were compared."""
        what = {1: "columns", 2: "pairs"}.get(len(self.tables[0]), f"sets of {len(self.tables[0])} columns")
        if len(self.tables) == self.all_tables:
            return f"all {count(self.all_tables)} {what}"
        return f"{count(len(self.tables))} of {count(self.all_tables)} {what}, drawn at random"


def table_distances(comparison: Comparison, columns: Columns = None, width: int = 2) -> TableDistances:
    """Compare the joint tables of `width` columns each; computed once for all measures."""
    key = ("table distances", columns, width)
    return comparison.case.cached(key, lambda: _distances(comparison, columns, width))


def _distances(comparison: Comparison, columns: Columns, width: int) -> TableDistances:
    compared = compare_columns(comparison, columns)
    cells = compared.cells
    if len(cells) < width:
        raise UndefinedError(f"a table of {width} columns needs {width}; the release has {len(cells)} to compare")
    tables = JointTables(cells)
    # Columns that were not released stand last; nothing is left of a table that has one.
    names = [column.name for column in cells]
    names += [column.column for column in compared.distances if column.kind == "lost"]
    chosen = choose_tables(len(names), width, MOST_TABLES)
    there = [places for places in chosen if places[-1] < len(cells)]
    compared_tables = dict(zip(there, threads.starmap(tables.distance, [(places,) for places in there]), strict=True))
    distances = np.array([compared_tables.get(places, 1.0) for places in chosen])
    return TableDistances(
        [tuple(names[place] for place in places) for places in chosen], distances, math.comb(len(names), width)
    )


@measure("pair_distance", needs=("original",))
def pair_distance(comparison: Comparison, *, columns: Columns = None) -> float:
    """Mean distance of the joint table of two columns from the original's, 0 for the same.

    The total variation: the share of the rows that would have to change cell. Numbers are in tenths of the original
    (a value that fills more than a tenth is a cell of its own), each text value is a cell (of more than 50, each
    tenth in their order), and so is missing. Labels are read as in `marginal_distance`. With more than 45 columns, a
    random draw of 1,000 pairs is compared, with every column in it. A pair with a column that was not released
    counts 1.

    Args:
        comparison: The original table and the released one.
        columns: Columns to compare. Default: all that do not identify people.

    Returns:
        The mean distance, 0 to 1, with a note that says how many pairs were compared.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there are fewer than two columns, or no row.
    """
    pairs = table_distances(comparison, columns)
    return NotedValue(pairs.distances.mean(), pairs.extent)


@measure("pair_distance_max", needs=("original",))
def pair_distance_max(comparison: Comparison, *, columns: Columns = None) -> float:
    """Largest distance of the joint table of two columns from the original's; see `pair_distance`.

    Args:
        comparison: The original table and the released one.
        columns: Columns to compare. Default: all that do not identify people.

    Returns:
        The largest distance, 0 to 1, with a note that names the pair.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there are fewer than two columns, or no row.
    """
    pairs = table_distances(comparison, columns)
    largest = float(pairs.distances.max())
    return NotedValue(largest, f"{' with '.join(pairs.worst)}, of {pairs.extent}" if largest else pairs.extent)


@measure("marginals_within", needs=("original",), better="higher", best="1")
def marginals_within(
    comparison: Comparison, *, columns: Columns = None, k: Width = 3, tolerance: Share = 0.05
) -> float:
    """Share of the tables of k columns that differ from the original's by at most a tolerance.

    The difference is the total variation, with cells as in `pair_distance`; of more than 1,000 sets of columns, a
    random draw is compared. A tolerance of 0.05 says that five rows of a hundred may stand in another cell.

    Args:
        comparison: The original table and the released one.
        columns: Columns to compare. Default: all that do not identify people.
        k: Columns of each table, 1 to 3.
        tolerance: Largest total variation that counts as the same.

    Returns:
        The share, 0 to 1, with a note that gives it for every number of columns up to k.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there are fewer than k columns, or no row.
    """
    shares = [float((_tables(comparison, columns, width) <= tolerance).mean()) for width in range(1, k + 1)]
    listed = ", ".join(f"{width}: {share:.3f}" for width, share in enumerate(shares, 1))
    return NotedValue(shares[-1], f"by number of columns {listed}; {table_distances(comparison, columns, k).extent}")


def _tables(comparison: Comparison, columns: Columns, width: int) -> Float:
    return table_distances(comparison, columns, width).distances
