"""Known columns that the release writes otherwise: group 3 for the ages 30 to 39, north for two towns, t7 for a town.

What such cells stand for becomes known sooner or later, as that of coded sensitive values does, so the judge writes
them as the attacks read them: a range of numbers in their place, or the code in the place of the people's values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from icefire.audit.attributes.code_book import (
    LEAST_ORDERED,
    LEAST_ROWS,
    READABLE,
    ROWS_EACH,
    commonest,
    rows_compared,
)
from icefire.audit.attributes.secret_column import covers_everything
from icefire.core import align
from icefire.core.dataset import Dataset
from icefire.hierarchy.coverage import read_labels
from icefire.kernels.types import Int


@dataclass(frozen=True, slots=True)
class KnownCodes:
    """How the cells of a known column, or the values of the people, are written so that they meet."""

    cells: dict[object, object] | None
    """What each released cell stands for; None where the values of the people are replaced."""
    values: dict[object, object] | None
    """The released cell of each value; None where the cells are replaced."""
    written: pl.DataType
    """The type of both columns then."""

    def of_release(self, column: pl.Series) -> pl.Series:
        """Write the released cells."""
        return self._written(column, self.cells)

    def of_people(self, column: pl.Series) -> pl.Series:
        """Write the values of people; one that nobody in the release has is missing."""
        return self._written(column, self.values)

    def _written(self, column: pl.Series, meanings: dict[object, object] | None) -> pl.Series:
        if meanings is None:
            return column.cast(self.written)
        return column.replace_strict(meanings, default=None, return_dtype=self.written)


def known_codes(
    original: Dataset, released: Dataset, origin: Int, columns: tuple[str, ...]
) -> Mapping[str, KnownCodes]:
    """Find the columns whose cells cannot be read, and yet are told by the people's values.

    Args:
        original: The people.
        released: The release.
        origin: For each released row the person it was made from, -1 for nobody.
        columns: The columns known.
    """
    by_column = {name: codes_of_column(original.frame[name], released.frame[name], origin) for name in columns}
    return {name: codes for name, codes in by_column.items() if codes is not None}


def codes_of_column(people: pl.Series, released: pl.Series, origin: Int) -> KnownCodes | None:
    """Find what the cells of one column stand for; None where they are to be read as they are."""
    rows = rows_compared(people, released, origin)
    if len(rows) < LEAST_ROWS or _is_readable(people, released, origin, rows):
        return None
    own, cells = people[origin[rows]], released[rows]
    both = pl.DataFrame({"cell": cells, "value": own})
    meanings = commonest(both, "cell", "value")
    if meanings is not None:
        return KnownCodes(meanings, None, people.dtype)
    ranges = _ranges(own, cells)
    if ranges is not None:
        return KnownCodes(ranges, None, pl.String())
    codes = commonest(both, "value", "cell")
    return None if codes is None else KnownCodes(None, codes, released.dtype)


def _is_readable(people: pl.Series, released: pl.Series, origin: Int, rows: Int) -> bool:
    """Tell whether enough cells, read as labels, may be the value of the person they come from, and not any value."""
    everywhere = len(rows) == len(origin)
    own, cells = (people[origin], released) if everywhere else (people[origin[rows]], released[rows])
    if 2 * int((own == cells).sum()) >= len(rows):
        return True
    covered = read_labels(people, released)
    labels = covered.labels[rows]
    fitting = covered.covers(labels, covered.places[origin[rows]]) & ~covers_everything(covered)[labels]
    return float(fitting.mean()) >= READABLE


def _ranges(own: pl.Series, cells: pl.Series) -> dict[object, object] | None:
    """Return the range of the numbers that each cell stands for, if no two ranges overlap."""
    numbers = align.as_numbers(own)
    if numbers is None or len(cells) < max(LEAST_ORDERED, ROWS_EACH * cells.n_unique()):
        return None
    by_cell = pl.DataFrame({"cell": cells, "value": numbers}).group_by("cell")
    ranges = by_cell.agg(pl.col("value").min().alias("low"), pl.col("value").max().alias("high")).sort("low", "high")
    low, high = ranges["low"].to_numpy(), ranges["high"].to_numpy()
    if (high[:-1] > low[1:]).any():
        return None
    return {cell: f"[{first}, {last}]" for cell, first, last in ranges.iter_rows()}


def written_for_attacks(data: Dataset, codes: Mapping[str, KnownCodes], *, released: bool = False) -> Dataset:
    """Write the known columns of a table as the attacks read them.

    Args:
        data: People, or the release.
        codes: How columns are written; others stay as they are.
        released: Whether the table is the release.
    """
    written = [(one.of_release if released else one.of_people)(data.frame[name]) for name, one in codes.items()]
    return data.with_frame(data.frame.with_columns(written)) if written else data
