"""What the attacks by classes and by nearest values share on tables in parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from icefire.core.parts import ROW, Bucket, Job, PartedTables, Scan, merged_groups, numbers_of, row_array
from icefire.core.release import NO_ANSWER, Case
from icefire.core.schema import Schema
from icefire.kernels.neighbours import single_value
from icefire.kernels.types import Bool, Float, Int

ANSWERS: Mapping[str, Any] = {ROW: pl.Int64, "answer": pl.Int64}
MEASURED: Mapping[str, Any] = {ROW: pl.Int64, "answer": pl.Int64, "distance": pl.Float64}
LOST_AT_ONCE = 1_000_000
"""Released rows that are searched for everywhere at a time."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """A search for the nearest row among those that agree on the keys."""

    name: str
    distance: str
    """Name of the distance; searches with the same distance, keys and values have the same answers."""
    keys: tuple[str, ...]
    values: tuple[str, ...]
    """Columns that distances are taken over."""
    inside: Callable[[Case], Int]
    """The nearest row of the same class for each released row of a case, -1 for none; of equals the lowest."""
    distances: Callable[[Case, Int], Float]
    """The distance of each released row to the row named for it, as the search compares it."""

    def part(self, bucket: Bucket) -> pl.DataFrame:
        """Answer for one bucket: rows of the whole tables, and how far they are."""
        case = bucket.case(self.values)
        rows = self.inside(case)
        return answer_frame(bucket, rows).with_columns(pl.Series("distance", self.distances(case, rows)))


def answer_frame(bucket: Bucket, rows: Int) -> pl.DataFrame:
    """Return answers as rows of the whole tables."""
    known = np.append(bucket.x[ROW].to_numpy(), NO_ANSWER)
    return pl.DataFrame({ROW: bucket.y[ROW], "answer": known[rows]}, schema=dict(ANSWERS))


def nearest_in_classes(tables: PartedTables, search: Nearest) -> Int:
    """Search in all buckets; where a large one was cut, the nearest of all pieces counts, of equals the lowest row.

    The answers are kept on disk: another attack with the same search takes them from there.
    """

    def compute() -> Int:
        job = Job(
            search.name, search.keys, search.part, MEASURED, search.values, search.values, splits=True, merge=nearest
        )
        return row_array(tables, map(nearest, tables.run_job(job)), "answer", NO_ANSWER)

    return tables.kept(f"nearest by {search.distance} of {search.values} in {search.keys}", compute)


def nearest(answers: pl.DataFrame) -> pl.DataFrame:
    """Keep the nearest answer to each released row, of equals the lowest; rows without an answer are left out."""
    given = answers.filter(pl.col("answer") != NO_ANSWER)
    if given[ROW].n_unique() == given.height:
        return given
    return given.sort(ROW, "distance", "answer").unique(ROW, keep="first", maintain_order=True)


def nearest_everywhere(tables: PartedTables, search: Nearest, answers: Int) -> None:
    """Search the whole original for every released row without an answer, in place."""
    lost = np.flatnonzero(answers == NO_ANSWER)
    for first in range(0, len(lost), LOST_AT_ONCE):
        targets = _released_rows(tables, lost[first : first + LOST_AT_ONCE], search.values)
        best = pl.DataFrame(schema=dict(MEASURED))
        for frame in tables.scan(_everywhere(search, targets, tables.schema, tables.places)):
            best = nearest(pl.concat([best, frame]))
        answers[best[ROW].to_numpy()] = best["answer"].to_numpy()


def _everywhere(search: Nearest, targets: pl.DataFrame, schema: Schema, places: Mapping[str, float]) -> Scan:
    """Compare some released rows with every chunk of the original."""

    def part(chunk: pl.DataFrame) -> pl.DataFrame:
        return search.part(Bucket(chunk.sort(ROW), targets, schema, places))

    return Scan(f"{search.name} everywhere", "original", search.values, part, MEASURED)


def _released_rows(tables: PartedTables, rows: Int, columns: tuple[str, ...]) -> pl.DataFrame:
    """Fetch some released rows, ascending."""
    wanted = np.zeros(tables.targets, bool)
    wanted[rows] = True
    schema = {ROW: pl.Int64, **dict.fromkeys(columns, pl.Float64)}

    def part(chunk: pl.DataFrame) -> pl.DataFrame:
        kept = chunk.filter(pl.Series(wanted[chunk[ROW].to_numpy()]))
        return kept.select(pl.col(name).cast(dtype) for name, dtype in schema.items())

    scan = Scan("rows without answer", "released", columns, part, schema)
    return pl.concat(tables.scan(scan)).sort(ROW)


def nearest_values(
    tables: PartedTables, column: str, wanted: Bool | None = None, *, zero_is_no_answer: bool = False
) -> Int:
    """Return for each released row, or those wanted, the original row with the nearest value of one column."""
    values, rows = _lowest_rows(tables, column)
    places = tables.places

    def part(chunk: pl.DataFrame) -> pl.DataFrame:
        chosen = chunk if wanted is None else chunk.filter(pl.Series(wanted[chunk[ROW].to_numpy()]))
        y = numbers_of(chosen, column, places)
        results = rows[single_value.nearest_value(values, y)]
        answers = np.where(y == 0, NO_ANSWER, results) if zero_is_no_answer else results
        return pl.DataFrame({ROW: chosen[ROW], "answer": answers}, schema=dict(ANSWERS))

    scan = Scan(f"nearest {column}", "released", (column,), part, ANSWERS)
    return row_array(tables, tables.scan(scan), "answer", NO_ANSWER)


def _lowest_rows(tables: PartedTables, column: str) -> tuple[Float, Int]:
    """Return the distinct values of an original column with the lowest row of each, in the order of these rows."""
    places = tables.places

    def part(chunk: pl.DataFrame) -> pl.DataFrame:
        pairs = pl.DataFrame({"value": numbers_of(chunk, column, places), ROW: chunk[ROW]})
        return pairs.group_by("value").agg(pl.col(ROW).min())

    def compute() -> tuple[Float, Int]:
        scan = Scan(f"lowest rows of {column}", "original", (column,), part, {"value": pl.Float64, ROW: pl.Int64})
        merged = merged_groups(tables.scan(scan), "value", pl.col(ROW).min()).sort(ROW)
        return merged["value"].to_numpy(), merged[ROW].to_numpy()

    return tables.cached(("lowest rows", column), compute)
