"""Tables in parts: what a measure or an attack asks of an engine where two tables do not fit into one process.

An engine holds both tables as numbers: text is coded by one dictionary for both, so that equal values are equal codes,
in alphabetical order. It gives them out in parts in three ways: buckets that hold whole classes of rows (`Job`), chunks
of one table (`Scan`), and columns beside the row they come from (`PairedTables.paired`, for the judge alone).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import polars as pl

from icefire.core.blocks import Blocks, blocks_of_tables
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, SchemaError, listing
from icefire.core.release import Case
from icefire.core.schema import Kind, Schema
from icefire.kernels.types import Float, Int

ROW = "__row__"
"""Column with the number of each row in its whole table; of the release, in the order the attacker sees it."""
WEIGHT = "__rows__"
"""Column with the number of rows that are one row here, where a job asks for distinct rows."""
Side = Literal["original", "released"]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What is known of one column of one whole table."""

    rows: int
    missing: int
    lowest: float | None = None
    """Smallest number; None for text and for columns without values."""
    highest: float | None = None
    mean: float | None = None


@dataclass(frozen=True, slots=True)
class Bucket:
    """Some rows of both tables, ascending; a table that was not asked for has no rows."""

    x: pl.DataFrame
    y: pl.DataFrame
    schema: Schema
    places: Mapping[str, float]
    """Where a missing number lies, by column; see `core.release.fill`."""

    def case(self, values: tuple[str, ...] = ()) -> Case:
        """Return the rows as an attacker holds them; missing numbers lie where the whole table puts them.

        Args:
            values: Columns of numbers that distances are taken over.
        """
        case = Case(Dataset(self.x, self.schema), Dataset(self.y, self.schema))
        case.cached(("points", values, "raw"), lambda: (self._points(self.x, values), self._points(self.y, values)))
        return case

    def _points(self, frame: pl.DataFrame, values: tuple[str, ...]) -> Float:
        points = Dataset(frame, self.schema).matrix(values)
        for place, name in enumerate(values):
            if frame[name].null_count():
                points[:, place] = numbers_of(frame, name, self.places)
        return points

    def blocks(self, keys: tuple[str, ...]) -> Blocks:
        """Return the rows of both tables by class."""
        return blocks_of_tables(self.x, self.y, keys)


@dataclass(frozen=True, slots=True)
class Job:
    """Work on buckets that hold whole classes of both tables."""

    name: str
    keys: tuple[str, ...]
    """All rows that agree on these columns are in one bucket."""
    part: Callable[[Bucket], pl.DataFrame]
    columns: Mapping[str, Any]
    """Columns of the result and their types."""
    original: tuple[str, ...] | None = ()
    """Columns needed of the original besides the keys; None if it is not needed."""
    released: tuple[str, ...] | None = ()
    splits: bool = False
    """A large bucket may be cut: `part` then sees every pair of pieces of the two tables."""
    merge: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    """Makes one result of those about the same released rows, where a bucket was cut."""
    distinct: bool = False
    """Rows that agree on the keys are given once, with their number in `WEIGHT` instead of `ROW`."""


@dataclass(frozen=True, slots=True)
class Scan:
    """Work on chunks of one table, in no particular order; `part` gets the columns asked for and `ROW`."""

    name: str
    side: Side
    needed: tuple[str, ...]
    part: Callable[[pl.DataFrame], pl.DataFrame]
    columns: Mapping[str, Any]


class PartedTables(Protocol):
    """Two tables held by an engine, as measures and attacks see them; nothing in it leads to the truth."""

    @property
    def schema(self) -> Schema:
        """Columns and roles of both tables."""

    @property
    def originals(self) -> int:
        """Number of original rows."""

    @property
    def targets(self) -> int:
        """Number of released rows."""

    @property
    def places(self) -> Mapping[str, float]:
        """Where a missing number lies, by column."""

    def facts(self, side: Side, column: str) -> ColumnFacts:
        """Return what is known of a whole column."""

    def run_job(self, job: Job) -> Iterator[pl.DataFrame]:
        """Run a job on every bucket."""

    def scan(self, scan: Scan) -> Iterator[pl.DataFrame]:
        """Run a scan on every chunk of a table."""

    def scans(self, scans: Sequence[Scan]) -> Iterator[Iterator[pl.DataFrame]]:
        """Run several scans of one table, in one pass where that costs less; returns the results of each in turn."""

    def kept(self, name: str, compute: Callable[[], Int]) -> Int:
        """Return whole numbers, one per released row: those kept on disk under this name, or computed now."""

    def cached(self, key: Any, compute: Callable[[], Value]) -> Value:
        """Return the value kept under this key, or compute it now."""

    @property
    def carried(self) -> tuple[str, ...]:
        """Columns that the parts hold: quasi-identifiers, sensitive attributes, and others that could be coded."""

    def dictionary(self, side: Side, column: str) -> pl.DataFrame | None:
        """Return the values of a column of text (`value`) with their numbers (`code`); None for columns of numbers."""

    @property
    def working(self) -> int:
        """Bytes of memory for what is worked on at a time."""

    def room(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Return an array of zeros that lies on the disk, until nobody holds it any more."""


class PairedTables(PartedTables, Protocol):
    """The same with the truth, for the judge's measures."""

    def paired(self, name: str, part: Callable[[pl.Series, pl.Series], float]) -> float:
        """Add up `part` over chunks of a column: original values, and the released values that come from them."""


def refuse_parameters(name: str, refused: Mapping[str, tuple[Any, bool]]) -> None:
    """Refuse parameters that only the engine local can follow.

    Args:
        name: The measure or attack.
        refused: By parameter, its value and whether it is refused.

    Raises:
        ParameterError: If one is refused.
    """
    for parameter, (value, is_refused) in refused.items():
        if is_refused:
            raise ParameterError(
                f"{name}: {parameter} = {value} needs the whole table at once, which only the engine local has; "
                "leave the parameter out, or use the engine local on a table that fits into memory"
            )


def check_numbers(schema: Schema, columns: Sequence[str]) -> None:
    """Refuse a column that holds no numbers."""
    for name in columns:
        if schema.kind(name) is not Kind.NUMBER:
            numeric = [column.name for column in schema.columns if column.kind is Kind.NUMBER]
            raise SchemaError(f"column {name!r} holds no numbers to compute with; choose from: {listing(numeric)}")


LONG = 1 << 20
"""In tables of more rows the numbers of rows are kept in four bytes each where they fit."""


def row_type(rows: int) -> Any:
    """Return the type in which numbers of so many rows are kept."""
    return np.int32 if LONG < rows <= np.iinfo(np.int32).max else np.int64


def row_array(tables: PartedTables, frames: Iterator[pl.DataFrame], column: str, empty: int) -> Int:
    """Put one original row for each released row, given in parts with `ROW`, into one array."""
    values = np.full(tables.targets, empty, row_type(tables.originals))
    for frame in frames:
        values[frame[ROW].to_numpy()] = frame[column].to_numpy()
    return values


def numbers_of(frame: pl.DataFrame, name: str, places: Mapping[str, float]) -> Float:
    """Return a column as floats; missing numbers are put where the whole table puts them."""
    return frame[name].cast(pl.Float64).fill_null(places.get(name, float("nan"))).to_numpy()


def distinct_values(tables: PartedTables, side: Side, column: str) -> tuple[pl.Series, Int]:
    """Return the distinct values of a column in ascending order, missing last, and how many rows have each."""
    return distinct_of_columns(tables, side, (column,))[column]


def distinct_of_columns(tables: PartedTables, side: Side, columns: Sequence[str]) -> dict[str, tuple[pl.Series, Int]]:
    """Return the same for several columns, counted together where the engine can; what was counted is kept."""
    kept: dict[str, tuple[pl.Series, Int]] = tables.cached(("distinct", side), dict)
    scans = [_values_scan(side, name) for name in dict.fromkeys(columns) if name not in kept]
    for scan, frames in zip(scans, tables.scans(scans) if scans else (), strict=True):
        merged = merged_groups(frames, "value", pl.col("rows").sum()).sort("value", nulls_last=True)
        kept[scan.needed[0]] = merged["value"], merged["rows"].to_numpy()
    return {name: kept[name] for name in columns}


def _values_scan(side: Side, column: str) -> Scan:
    result = {"value": pl.Float64, "rows": pl.Int64}
    return Scan(f"values of {column}", side, (column,), lambda frame: _counted(frame[column]), result)


COUNTED = 1 << 20
"""Whole numbers that span less than this are counted in a table."""


def _counted(column: pl.Series) -> pl.DataFrame:
    """Return the distinct values of a column and how many rows have each."""
    low, high = (column.min(), column.max()) if column.dtype.is_integer() else (None, None)
    if not isinstance(low, int) or not isinstance(high, int) or high - low >= COUNTED:
        frame = column.cast(pl.Float64).alias("value").to_frame()
        return frame.group_by("value").agg(pl.len().cast(pl.Int64).alias("rows"))
    missing = column.null_count()
    counts = np.bincount((column.drop_nulls().cast(pl.Int64) - low).to_numpy())
    there = np.flatnonzero(counts)
    values = pl.Series("value", [*(there + low).tolist(), *([None] if missing else [])], pl.Float64)
    rows = np.append(counts[there], [missing] if missing else []).astype(np.int64)
    return pl.DataFrame([values, pl.Series("rows", rows)])


MERGE_ROWS = 4_000_000
"""Partial groups are merged as soon as there are so many."""


def merged_groups(frames: Iterator[pl.DataFrame], by: Any, *values: pl.Expr) -> pl.DataFrame:
    """Merge groups that were made in parts; never holds much more than the groups and one part."""
    held: list[pl.DataFrame] = []
    waiting = limit = 0
    for frame in frames:
        held.append(frame)
        waiting += frame.height
        if waiting > max(MERGE_ROWS, 2 * limit):
            held = [pl.concat(held).group_by(by).agg(*values)]
            waiting = limit = held[0].height
    return pl.concat(held).group_by(by).agg(*values)
