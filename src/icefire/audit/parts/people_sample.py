"""A random sample of the people of two tables in parts: whole classes of released rows with the people they are of.

Among fewer people everybody is more easily told apart, so what is found among them is at least what is found among all.
Rows are drawn by class, because rows without the others of their class would seem to be protected by nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from icefire.audit.adapter import ReleaseFiles
from icefire.audit.correspondence import LoadedRelease
from icefire.audit.parts.tables import LargeTables
from icefire.audit.tables import TableAdapter
from icefire.core.dataset import Dataset
from icefire.core.parts import ROW, Scan
from icefire.core.release import Comparison, Truth
from icefire.engines.hashing import bucket_numbers
from icefire.engines.tables import EngineTables
from icefire.io.given_roles import read_for_use
from icefire.kernels.types import Int
from icefire.risk.class_table import class_table

PEOPLE = 10_000
"""Released rows that are drawn, about."""
CLASS = 500
"""Rows of one class that are drawn, at most."""
FINE = 1 << 40
"""Steps of a draw."""
SALT = "__salt__"


@dataclass(frozen=True, slots=True)
class PeopleSample:
    """Some released rows, all rows of their people in the original, and who is who among them."""

    release: LoadedRelease[Dataset]
    comparison: Comparison

    @property
    def people(self) -> int:
        """Number of released rows."""
        return len(self.comparison.truth)


def draw_people(
    tables: EngineTables, large: LargeTables, truth: Int, order: Int, options: Mapping[str, Any], seed: int
) -> PeopleSample:
    """Draw released rows and take the original rows they come from, both in the order of the files.

    Args:
        tables: The tables in parts.
        large: The same as they were opened, with all columns.
        truth: The original row of each released row, by its place in the order the attacker sees.
        order: The row of the file at each place.
        options: Keywords of `read`.
        seed: Draws the classes.
    """
    places = drawn_rows(tables, seed)
    places = places[np.argsort(order[places], kind="stable")]
    people, origin = np.unique(truth[places], return_inverse=True)
    given = {name: value for name, value in options.items() if value and name not in ("customers_how", "how")}
    data = read_for_use(large.original.rows(people), **given)
    assert isinstance(data, Dataset)
    adapter = TableAdapter()
    release = adapter.load(ReleaseFiles(large.released.rows(np.sort(order[places]))), data)
    case = adapter.case(release.original, release.released)
    return PeopleSample(release, adapter.compare(case, Truth(origin.astype(np.int64))))


def drawn_rows(tables: EngineTables, seed: int) -> Int:
    """Draw whole classes of released rows, and of large classes some rows; ascending."""
    keys = tables.schema.qi
    share = _share_of_classes(tables, keys)

    def part(frame: pl.DataFrame) -> pl.DataFrame:
        salted = frame.with_columns(pl.lit(seed, pl.Int64).alias(SALT))
        lots = pl.Series("lot", bucket_numbers(salted, (SALT, ROW), FINE))
        classes = pl.Series("class", bucket_numbers(salted, (SALT, *keys), FINE)) if keys else lots.alias("class")
        drawn = pl.DataFrame([frame[ROW], classes, lots]).filter(pl.col("class") < share * FINE)
        return _cut(drawn)

    columns = {ROW: pl.Int64, "class": pl.Int64, "lot": pl.Int64}
    drawn_parts = [pl.DataFrame(schema=columns), *tables.scan(Scan("people", "released", keys, part, columns))]
    rows: Int = np.sort(_cut(pl.concat(drawn_parts))[ROW].to_numpy())
    return rows


def _share_of_classes(tables: EngineTables, keys: tuple[str, ...]) -> float:
    """Return the share of the classes that have about as many rows as are wanted."""
    if not keys:
        return PEOPLE / tables.targets
    counted = class_table(tables, keys)
    rows = np.minimum(counted["released"].to_numpy(), CLASS) * counted["classes"].to_numpy()
    return PEOPLE / float(rows.sum())


def _cut(drawn: pl.DataFrame) -> pl.DataFrame:
    """Keep so many rows of each class, those of the lowest lots."""
    return drawn.sort("lot", ROW).group_by("class", maintain_order=True).head(CLASS).select(ROW, "class", "lot")
