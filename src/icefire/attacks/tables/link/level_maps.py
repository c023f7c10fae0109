"""Columns of tables in parts as levels: levels are made from sampled rows, and every other row gets its level by them.

An engine holds tables as numbers. Sampled rows of both tables, and one row for each text that is not among them, are
encoded like small tables; the level of any other row follows from its number, chunk by chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from icefire.attacks.tables.link.columns import LinkColumn, blanks, encode, readable
from icefire.core.parts import ROW, PartedTables, Scan, Side
from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int, Int32

SIDES: tuple[Side, Side] = ("original", "released")


@dataclass(frozen=True)
class LevelMap:
    """The level of every number of a column, on one side."""

    numbers: Float
    """Ascending."""
    levels: Int32
    missing: int
    """Level of a missing value."""

    def __call__(self, values: Float) -> Int32:
        """Return the levels of values; one that lies between two known ones has the level of the lower one."""
        places = np.maximum(np.searchsorted(self.numbers, values, "right") - 1, 0)
        looked_up = self.levels[places] if len(self.levels) else np.zeros(len(values), np.int32)
        return np.where(np.isnan(values), np.int32(self.missing), looked_up)


@dataclass(frozen=True)
class MappedColumn:
    """A column encoded on sampled rows, with the maps that give all other rows their levels."""

    column: LinkColumn
    source: str
    """Name of the column of both tables."""
    maps: tuple[LevelMap, LevelMap]
    """Of the original and of the release."""

    def placed(self, x_codes: Int32, y_codes: Int32) -> LinkColumn:
        """Return the column with the levels of other rows."""
        return replace(self.column, x=replace(self.column.x, codes=x_codes), y=replace(self.column.y, codes=y_codes))


@dataclass(frozen=True)
class SampledColumn:
    """A column of sampled rows of both tables: what an attacker reads, and the engine's numbers of it."""

    source: str
    values: tuple[pl.Series, pl.Series]
    numbers: tuple[Float, Float]

    def encoded(self, most: int) -> MappedColumn | None:
        """Encode the column with so many levels at most; None where it says nothing."""
        column = encode(*self.values, most)
        if column is None:
            return None
        sides = zip(self.numbers, (column.x, column.y), strict=True)
        x, y = (_level_map(numbers, side.codes, side.count) for numbers, side in sides)
        return MappedColumn(column, self.source, (x, y))


def _level_map(numbers: Float, codes: Int32, count: int) -> LevelMap:
    gaps = np.isnan(numbers)
    known, first = np.unique(numbers[~gaps], return_index=True)
    return LevelMap(known, codes[~gaps][first], int(codes[gaps][0]) if gaps.any() else count - 1)


@dataclass(frozen=True)
class SampledTables:
    """All columns that are compared, of sampled rows of both tables."""

    columns: Sequence[SampledColumn]
    frames: tuple[pl.DataFrame, pl.DataFrame]
    """The sampled rows as the engine's numbers, with the number of each row."""

    def encoded(self, most: int) -> list[MappedColumn]:
        """Encode the columns; those that say nothing are left out."""
        looked_up = threads.starmap(SampledColumn.encoded, [(column, most) for column in self.columns])
        return [column for column in looked_up if column is not None]


def rows_of(tables: PartedTables, side: Side, rows: Int) -> pl.DataFrame:
    """Return some rows of a table as the engine's numbers, ascending; a missing value is no number."""
    names = tables.carried
    wanted = np.sort(rows)

    def chosen(frame: pl.DataFrame) -> pl.DataFrame:
        numbers = frame[ROW].to_numpy()
        place = np.minimum(np.searchsorted(wanted, numbers), max(len(wanted) - 1, 0))
        kept = frame.filter(pl.Series(wanted[place] == numbers)) if len(wanted) else frame.head(0)
        return kept.select(ROW, *(_number(name) for name in names))

    columns: dict[str, Any] = {ROW: pl.Int64, **dict.fromkeys(names, pl.Float64)}
    parts = [pl.DataFrame(schema=columns), *tables.scan(Scan("sampled rows", side, names, chosen, columns))]
    return pl.concat(parts).sort(ROW)


def _number(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Float64).fill_null(float("nan"))


def sampled_tables(tables: PartedTables, known: pl.DataFrame, shown: pl.DataFrame) -> SampledTables:
    """Read the columns of sampled rows as an attacker does who holds both tables.

    Args:
        tables: The tables.
        known: Sampled rows of the original, by `rows_of`.
        shown: Sampled rows of the release.
    """
    columns, read = [], {}
    for name in sorted(tables.carried):
        sides = [_values(tables, side, name, frame) for side, frame in zip(SIDES, (known, shown), strict=True)]
        x, y = readable(sides[0][0], sides[1][0])
        columns.append(SampledColumn(name, (x, y), (sides[0][1], sides[1][1])))
        read[name] = x.head(known.height), y.head(shown.height)
    frames = [pl.DataFrame([pair[side] for pair in read.values()]) for side in range(2)]
    for x, y in blanks(*frames):
        name = next(name for name in read if x.name.startswith(f"{name} "))
        columns.append(SampledColumn(name, (x, y), (known[name].to_numpy(), shown[name].to_numpy())))
    return SampledTables(columns, (known, shown))


def _values(tables: PartedTables, side: Side, name: str, frame: pl.DataFrame) -> tuple[pl.Series, Float]:
    """Return what sampled rows hold, then each text that none of them holds, and the numbers of both."""
    numbers = frame[name].to_numpy()
    texts = tables.dictionary(side, name)
    if texts is None:
        return pl.Series(name, numbers).fill_nan(None), numbers
    single = texts.drop_nulls("code").unique("code", keep="first", maintain_order=True)
    codes = single["code"].cast(pl.Float64).to_numpy()
    every = np.append(numbers, codes[~np.isin(codes, numbers)])
    asked = pl.DataFrame({"code": pl.Series(every).fill_nan(None).cast(pl.Int32)})
    looked_up = asked.join(single, on="code", how="left", maintain_order="left")["value"]
    return looked_up.alias(name), every


def levels_of_rows(tables: PartedTables, side: Side, columns: Sequence[MappedColumn], rows: Int | None = None) -> Int32:
    """Return the level of every row of a table in every column, on disk: columns × rows.

    Args:
        tables: The tables.
        side: Which of them.
        columns: The columns.
        rows: Some rows, ascending. Default: all.
    """
    count = (tables.originals if side == "original" else tables.targets) if rows is None else len(rows)
    levels: Int32 = tables.room((len(columns), count), np.int32)
    place = SIDES.index(side)
    needed = tuple(sorted({column.source for column in columns}))
    maps = [(column.source, column.maps[place]) for column in columns]
    names = [f"level{number}" for number in range(len(maps))]

    def part(frame: pl.DataFrame) -> pl.DataFrame:
        if rows is not None:
            numbers = frame[ROW].to_numpy()
            at = np.minimum(np.searchsorted(rows, numbers), max(len(rows) - 1, 0))
            frame = frame.filter(pl.Series(rows[at] == numbers)) if len(rows) else frame.head(0)
        values = {name: frame.select(_number(name)).to_series().to_numpy() for name in needed}
        looked_up = {name: one(values[source]) for name, (source, one) in zip(names, maps, strict=True)}
        return pl.DataFrame({ROW: frame[ROW], **looked_up})

    kinds: dict[str, Any] = {ROW: pl.Int64, **dict.fromkeys(names, pl.Int32)}
    for frame in tables.scan(Scan("levels", side, needed, part, kinds)):
        numbers = frame[ROW].to_numpy()
        at = numbers if rows is None else np.searchsorted(rows, numbers)
        for number, name in enumerate(names):
            levels[number, at] = frame[name].to_numpy()
    return levels
