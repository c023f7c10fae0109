"""Which released rows are linked where not all are, and which are compared besides: the other rows of their classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from icefire.attacks.tables.link.channels import ReleasedClasses
from icefire.attacks.tables.link.exchange_classes import SIZES, classes_of_quasi_identifiers
from icefire.attacks.tables.link.level_maps import MappedColumn, SampledTables, rows_of, sampled_tables
from icefire.core.parts import ROW, PartedTables, Scan
from icefire.kernels.types import Int, Int32
from icefire.risk.class_table import class_table

ASKED = 20_000
"""Released rows that are linked."""
TOGETHER = 100_000
"""Released rows that are compared, the other rows of their classes included, where values were exchanged in classes."""
OTHERS = 200
"""Rows of one class that are compared besides, at most."""
ENCODED = 200_000
"""Rows of each table that levels are made from."""
STEPS = 40
"""How often the number of rows is cut by a tenth until their classes are few enough."""


@dataclass(frozen=True)
class ComparedRows:
    """Released rows that are compared, some of which are linked."""

    asked: Int
    """Those that are linked, ascending."""
    rows: Int
    """All, ascending."""
    frame: pl.DataFrame
    """All as the engine's numbers."""
    classes: ReleasedClasses | None = None

    @property
    def places(self) -> Int:
        """Places of the rows that are linked among those compared."""
        return np.searchsorted(self.rows, self.asked)

    def levels(self, columns: Sequence[MappedColumn]) -> list[Int32]:
        """Return the levels of the rows that are compared in some columns."""
        return [column.maps[1](self.frame[column.source].to_numpy()) for column in columns]


@dataclass(frozen=True)
class DrawnRows:
    """A random sample of the released rows: by themselves, and some of them with their classes."""

    alone: ComparedRows
    in_classes: ComparedRows
    """The same where classes tell nothing about rows."""
    columns: SampledTables


def draw_rows(tables: PartedTables, rng: np.random.Generator) -> DrawnRows:
    """Draw released rows to link, and rows of both tables to make levels from."""
    order = rng.choice(tables.targets, min(ASKED, tables.targets), replace=False)
    asked, size = np.sort(order), _rows_with_classes(tables)
    some = np.sort(order[:size])
    rows = _with_classes(tables, tables.schema.qi, some) if size else asked
    more = rng.choice(tables.targets, min(ENCODED, tables.targets), replace=False)
    known = rng.choice(tables.originals, min(ENCODED, tables.originals), replace=False)
    every = np.unique(np.concatenate([asked, rows, more]))
    shown = rows_of(tables, "released", every)
    alone = ComparedRows(asked, asked, shown[np.searchsorted(every, asked)])
    columns = sampled_tables(tables, rows_of(tables, "original", known), shown)
    if not size:
        return DrawnRows(alone, alone, columns)
    frame = shown[np.searchsorted(every, rows)]
    values = frame.select(pl.col(name).fill_nan(None) for name in tables.carried)
    classes = classes_of_quasi_identifiers(values, tables.schema.qi, (0.0, np.inf))
    return DrawnRows(alone, ComparedRows(some, rows, frame, classes), columns)


def _rows_with_classes(tables: PartedTables) -> int:
    """Return how many rows may be compared with their classes; 0 where classes tell nothing about rows."""
    if not tables.schema.qi:
        return 0
    counted = class_table(tables, tables.schema.qi).filter(pl.col("released") > 0)
    sizes, classes = (counted[name].to_numpy().astype(float) for name in ("released", "classes"))
    if not SIZES[0] < tables.targets / classes.sum() < SIZES[1]:
        return 0
    asked = float(min(ASKED, tables.targets))
    for _ in range(STEPS):
        # Of so many rows drawn, at least one is in a class of this size with this chance.
        seen = 1 - np.exp(-asked * sizes / tables.targets)
        if (seen * classes * np.minimum(sizes, OTHERS)).sum() <= TOGETHER:
            break
        asked *= 0.9
    return max(1, int(asked))


def _with_classes(tables: PartedTables, keys: Sequence[str], asked: Int) -> Int:
    """Return released rows and the others of their classes, of large classes some, ascending."""
    names = list(keys)
    wanted = rows_of(tables, "released", asked).select(names).unique()

    def part(frame: pl.DataFrame) -> pl.DataFrame:
        values = frame.select(ROW, *(pl.col(name).cast(pl.Float64).fill_null(float("nan")) for name in names))
        return _first_of_classes(values.join(wanted, on=names, how="semi"), names)

    columns: dict[str, Any] = {ROW: pl.Int64, **dict.fromkeys(names, pl.Float64)}
    members = pl.concat(tables.scan(Scan("classes of sampled rows", "released", tuple(names), part, columns)))
    rows: Int = np.union1d(asked, _first_of_classes(members, names)[ROW].to_numpy())
    return rows


def _first_of_classes(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return so many rows of each class; released rows are numbered in random order, so the lowest are any."""
    return frame.sort(ROW).group_by(names, maintain_order=True).head(OTHERS).select(ROW, *names)
