"""Both tables as values for a model: a sample of their rows, and released labels replaced by values they stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icefire.core import seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import listing
from icefire.core.formatting import counted
from icefire.core.release import Comparison
from icefire.kernels.types import Float, Int
from icefire.measures.compared_columns import compare_columns
from icefire.measures.released_values import ReadColumn, read_column

MOST_ROWS = 20_000
"""So many rows of each table are used at most."""
MOST_COLUMNS = 60


@dataclass(frozen=True, slots=True)
class DrawnColumn:
    """The values of both tables below one another, the original first; `size` is missing."""

    column: ReadColumn
    values: Int

    def as_numbers(self) -> Float:
        """The values as numbers, NaN for missing."""
        return np.append(self.column.numbers, np.nan)[self.values]


@dataclass(frozen=True, slots=True)
class DrawnTables:
    """The columns of a sample of both tables."""

    columns: dict[str, DrawnColumn]
    known: Int
    """The original rows drawn."""
    shown: Int
    """The released rows drawn."""
    left_out: int
    """Columns that were not used, as there are too many."""
    not_released: tuple[str, ...] = ()
    """Columns that were not used, as the release does not have them."""

    @property
    def extent(self) -> str:
        """Say what was not used; empty if everything was."""
        parts = [f"without {listing(self.not_released)}, not released"] if self.not_released else []
        parts += [f"{counted(self.left_out, 'column')} left out"] if self.left_out else []
        if len(self.known) == MOST_ROWS or len(self.shown) == MOST_ROWS:
            parts.append(f"at most {MOST_ROWS:,} rows of each table, drawn at random")
        return "; ".join(parts)


def draw_tables(comparison: Comparison, names: tuple[str, ...], always: str | None = None) -> DrawnTables:
    """Draw rows and, for labels, values; the same each time.

    Of too many columns, those are used whose distribution moved most, so that a change cannot be missed; `always` is
    among them.
    """
    rng = seeds.generator(seeds.DEFAULT_SEED, "measure", "drawn values")
    absent = tuple(name for name in names if name not in comparison.released.frame.columns)
    names = tuple(name for name in names if name not in absent)
    used = names
    if len(names) > MOST_COLUMNS:
        distances = compare_columns(comparison, names).distances
        moved = sorted(distances, key=lambda column: -column.distance)[:MOST_COLUMNS]
        chosen = {column.column for column in moved} | {always}
        used = tuple(name for name in names if name in chosen)
    known, shown = _rows(comparison.original), _rows(comparison.released)
    x, y = comparison.original.frame[known], comparison.released.frame[shown]
    columns = {}
    for name in used:
        column = read_column(x[name], y[name])
        columns[name] = DrawnColumn(column, np.concatenate([column.known, column.drawn(rng)]).astype(np.int64))
    return DrawnTables(columns, known, shown, len(names) - len(used), absent)


def _rows(table: Dataset) -> Int:
    """Draw rows; two tables of the same height give the same ones, so that an unchanged table stays unchanged."""
    if table.height <= MOST_ROWS:
        return np.arange(table.height)
    rng = seeds.generator(seeds.DEFAULT_SEED, "measure", "rows drawn")
    return np.sort(rng.choice(table.height, MOST_ROWS, replace=False))
