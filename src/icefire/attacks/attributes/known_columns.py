"""The known columns of targets beside those of the release: what a released label covers, as places and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.attribute import AttributeCase
from icefire.core.blocks import EncodedColumn
from icefire.core.quantiles import quantiles_of_counted
from icefire.hierarchy.coverage import Coverage, read_labels
from icefire.hierarchy.labels import interval
from icefire.kernels.types import Float, Int, Int32


@dataclass(frozen=True, slots=True)
class TargetColumn:
    """One column of the targets and of the release."""

    places: Int32
    """The place of each target's value."""
    labels: Int32
    """The label of each released row."""
    stretch: Int
    low: Int
    high: Int
    """Label l covers the places from low[s] up to high[s], not included, for s from stretch[l] to stretch[l + 1]."""
    place_count: int
    numbers: NumberColumn | None
    """None for a category."""

    @property
    def label_count(self) -> int:
        """Number of labels."""
        return len(self.stretch) - 1

    def covered_share(self) -> float:
        """Return the share of the places that a released row covers on average."""
        width = np.zeros(self.label_count)
        np.add.at(width, np.repeat(np.arange(self.label_count), np.diff(self.stretch)), self.high - self.low)
        return float(width[self.labels].mean()) / max(1, self.place_count)

    def narrowest_labels(self) -> Int32:
        """Return for each target the label that covers it and least else; -1 if none covers it."""
        labels = np.repeat(np.arange(self.label_count), np.diff(self.stretch))
        best = np.full(self.place_count, -1, np.int32)
        for s in np.argsort(self.low - self.high, kind="stable"):
            best[self.low[s] : self.high[s]] = labels[s]
        return best[self.places]


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A column of numbers: a value per target, an interval per label."""

    values: Float
    """NaN if missing."""
    low: Float
    high: Float
    scale: float
    """Interquartile range of everybody's values; where it is 0 the standard deviation, or 1."""


def known_columns(case: AttributeCase) -> list[TargetColumn]:
    """Read the known columns of a case; kept for all attacks on it."""
    return [case.cached(("known column", name), lambda name=name: _read(case, name)) for name in case.columns]  # type: ignore[misc]


def keep_known_columns(case: AttributeCase, columns: Mapping[str, TargetColumn]) -> None:
    """Take columns that were read for others, too, as what `known_columns` would read."""
    for name, column in columns.items():
        case.cached(("known column", name), lambda column=column: column)  # type: ignore[misc]


def _read(case: AttributeCase, name: str) -> TargetColumn:
    everybody, released = case.everybody.frame[name], case.released.frame[name]
    x = pl.concat([everybody, case.known.frame[name]])
    return target_column(x, released, read_labels(x, released, counted=len(everybody)), len(everybody))


def target_column(x: pl.Series, y: pl.Series, covered: Coverage, people: int) -> TargetColumn:
    """Return a column of the targets, who stand behind so many people in x, and of the release.

    Args:
        x: The values of everybody, then those of the targets.
        y: The released column.
        covered: What its labels cover.
        people: Number of people before the targets.
    """
    return _target_column(x, y, covered, people, slice(people, None), covered.labels)


def column_of_people(x: pl.Series, y: pl.Series, covered: Coverage, rows: Int, order: Int) -> TargetColumn:
    """Return a column of some people as targets, and of the release with its rows in another order.

    Args:
        x: The values of everybody.
        y: The released column.
        covered: What its labels cover.
        rows: The targets, among everybody.
        order: The released row that is in each place.
    """
    return _target_column(x, y, covered, len(x), rows, covered.labels[order])


def _target_column(
    x: pl.Series, y: pl.Series, covered: Coverage, people: int, targets: Int | slice, labels: Int32
) -> TargetColumn:
    values = _as_numbers(x, y)
    numbers = None
    if values is not None:
        low, high = _intervals(y, covered, values)
        numbers = NumberColumn(values[targets], low, high, _scale(values[:people], covered.places[:people]))
    stretches = covered.start, covered.low, covered.high
    return TargetColumn(covered.places[targets], labels, *stretches, covered.size, numbers)


def _as_numbers(x: pl.Series, y: pl.Series) -> Float | None:
    """Return the values, if the column holds numbers: as such, or as text beside released intervals."""
    values = x.cast(pl.Float64, strict=False) if x.dtype.is_numeric() or x.dtype == pl.String else None
    if values is None or values.null_count() > x.null_count():
        return None
    if x.dtype == pl.String and not any(interval(text.strip()) for text in y.unique().drop_nulls()[:50]):
        return None
    return values.fill_null(np.nan).to_numpy()


def _intervals(y: pl.Series, covered: Coverage, value: Float) -> tuple[Float, Float]:
    """Return for each label the interval of what it covers and, if it is a number, of itself."""
    at_place = np.full(covered.size, np.nan)
    at_place[covered.places] = value
    first, last = covered.hulls()
    some = last > first
    low, high = np.full(len(first), np.inf), np.full(len(first), -np.inf)
    low[some], high[some] = np.fmin(at_place[first[some]], np.inf), np.fmax(at_place[last[some] - 1], -np.inf)
    own = np.full(len(first), np.nan)
    own[covered.labels] = y.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    low, high = np.fmin(low, own), np.fmax(high, own)
    nothing = ~(low <= high)
    low[nothing], high[nothing] = -np.inf, np.inf
    return low, high


def _scale(values: Float, places: Int32) -> float:
    """Return the interquartile range of values, of which those of one place are equal; see `NumberColumn`."""
    counts = np.bincount(places)
    of_place = np.full(len(counts), np.nan)
    of_place[places] = values
    known = np.flatnonzero(~np.isnan(of_place))
    if not len(known):
        return 1.0
    low, high = quantiles_of_counted(of_place[known], counts[known], (0.25, 0.75))
    return float(high - low) or float(values[~np.isnan(values)].std()) or 1.0


@dataclass(frozen=True, slots=True)
class RowClasses:
    """Released rows with the same labels in all known columns."""

    rows: Int
    start: Int
    """Class c are rows[start[c]:start[c + 1]], ascending; classes ascend by their labels in the first column."""

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.start) - 1


def in_order(columns: list[TargetColumn]) -> list[TargetColumn]:
    """Put the column that excludes most people first."""
    return sorted(columns, key=lambda column: column.covered_share())


def label_classes(case: AttributeCase) -> RowClasses:
    """Group the released rows by their labels; kept for all attacks on a case."""
    return case.cached("label classes", lambda: _grouped(in_order(known_columns(case)), case.choices))


def _grouped(columns: list[TargetColumn], choices: int) -> RowClasses:
    # The first column is the highest digit of the key.
    keys, _bound = blocks.pack_keys([EncodedColumn(c.labels, 0, c.label_count) for c in columns], choices)
    rows = np.argsort(keys, kind="stable")
    return RowClasses(rows, np.append(np.flatnonzero(np.diff(keys[rows], prepend=-1)), len(rows)))


def numbered_through(columns: list[TargetColumn]) -> tuple[Int, Int, Int, Int]:
    """Number the labels of several columns through.

    Returns:
        The number of each column's first label, and the stretches of all labels: where they begin, their ends.
    """
    offset = np.append(0, np.cumsum([column.label_count for column in columns]))
    if not columns:
        return offset, np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
    counts = np.concatenate([np.diff(column.stretch) for column in columns])
    low, high = (np.concatenate([getattr(column, side) for column in columns]) for side in ("low", "high"))
    return offset, np.append(0, np.cumsum(counts)), low.astype(np.int64), high.astype(np.int64)
