"""Which original values a released label may stand for, from the two tables and the text of the label.

A label is taken for the value it is as long as the release holds it no more often than the original does: nothing
shows then that it stands for anything else. Beyond that it is read:

- the only value of a column tells nothing, nor do `*` and missing values: they cover every value;
- an interval covers the numbers and intervals inside it, {a, b} what a and b cover, 13** the text it masks, a month,
  quarter, year or decade its dates, a word that is no value itself the values that begin with it and go on after it;
- a number among numbers may be rounded, or the end of a column that was cut off (see `widening`);
- any other word covers itself if it is a value of the original, and every value if it is none; so does a label that was
  read as covering fewer rows of the original than the release has of it. Where fewer people are known than rows were
  released, the part that falls to them is what counts.

A published hierarchy, where it is known, says what its labels cover instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core.coded_text import CodedPair
from icefire.hierarchy.core import Hierarchy
from icefire.hierarchy.fitting import number
from icefire.hierarchy.value_order import (
    SortedOrder,
    Stretches,
    ValueOrder,
    merge_stretches,
    order_by_hierarchy,
    order_values,
)
from icefire.hierarchy.widening import widened
from icefire.kernels.types import Bool, Int, Int32


@dataclass(frozen=True, slots=True)
class Coverage:
    """A column of two tables: the place of each original value in an order, and the places each label covers."""

    places: Int32
    """Of every original row."""
    size: int
    """Number of places."""
    labels: Int32
    """The label of every released row."""
    start: Int
    """Label l covers the places from low[i] up to high[i], not included, for i from start[l] to start[l + 1]."""
    low: Int
    high: Int

    @property
    def gaps(self) -> Bool:
        """Which labels cover more than one stretch of places."""
        several: Bool = np.diff(self.start) > 1
        return several

    def hulls(self) -> tuple[Int, Int]:
        """Return the first place of each label and the end of its last; for a label that covers none, 0 and 0."""
        low, high = np.zeros(len(self.start) - 1, np.int64), np.zeros(len(self.start) - 1, np.int64)
        some = np.diff(self.start) > 0
        low[some], high[some] = self.low[self.start[:-1][some]], self.high[self.start[1:][some] - 1]
        return low, high

    def covers(self, labels: NDArray[np.integer[Any]], places: NDArray[np.integer[Any]]) -> Bool:
        """Tell for each pair of a label and a place whether the one covers the other."""
        if not len(self.low):
            return np.zeros(len(labels), np.bool_)
        width = self.size + 1
        begins = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start)) * width + self.low
        stretch = np.searchsorted(begins, labels.astype(np.int64) * width + places, "right") - 1
        inside: Bool = (stretch >= self.start[labels]) & (places < self.high[stretch])
        return inside


def coverage(
    x: pl.Series,
    y: pl.Series,
    known: Callable[[], Hierarchy] | None = None,
    counted: int | None = None,
    text: CodedPair | None = None,
) -> Coverage | None:
    """Read the labels of a released column y of an original column x; None if each may simply be what it is.

    Args:
        x: The original column.
        y: The released column.
        known: Reads the hierarchy of the column, if that was published; only called where labels stand for more.
        counted: Only so many of the first values of x were released; the others are values of other people, which get
            places but do not count.
        text: Both numbered together, if they are text and that was done before.
    """
    if text is not None and counted is None and len(x) >= len(y) and text.is_covered:
        return None
    values = _numbered(x, counted)
    shown = _as_many_as_known(_numbered(y), int(values.counts.sum()))
    same = _same(values, shown)
    surplus = (same < 0) | (shown.counts > values.counts[same])
    if not surplus.any():
        return None
    order: ValueOrder = (
        order_values(values.distinct, values.missing)
        if known is None
        else order_by_hierarchy(values.with_missing(), known())
    )
    return _assembled(order, values, shown, _read(order, values, shown, same, surplus), same)


def read_labels(x: pl.Series, y: pl.Series, counted: int | None = None) -> Coverage:
    """Read the labels of a released column; where each may simply be what it is, it is."""
    read = coverage(x, y, counted=counted)
    if read is not None:
        return read
    numbers, distinct = number(pl.concat([x, y]))
    codes, every = numbers.astype(np.int32), np.arange(len(distinct) + 1)
    return Coverage(codes[: len(x)], len(distinct), codes[len(x) :], every, every[:-1], every[1:])


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A column as numbers of its distinct values, missing ones last, and how often each occurs."""

    codes: Int32
    distinct: pl.Series
    counts: Int

    @property
    def missing(self) -> bool:
        return len(self.counts) > len(self.distinct)

    def with_missing(self) -> pl.Series:
        return pl.concat([self.distinct, self.distinct.clear(1)]) if self.missing else self.distinct


def _numbered(column: pl.Series, counted: int | None = None) -> _Numbered:
    codes, distinct = number(column)
    known = distinct.drop_nulls()
    return _Numbered(codes.astype(np.int32), known, np.bincount(codes[:counted], minlength=len(distinct)))


def _as_many_as_known(shown: _Numbered, people: int) -> _Numbered:
    """Return released labels with how often each must occur among the people known.

    Where fewer people are known than rows were released, it is the part that falls to them, less three standard
    deviations of a sample: who is known is chance.
    """
    rows = int(shown.counts.sum())
    if people >= rows:
        return shown
    expected = shown.counts * (people / rows)
    least = np.maximum(0, np.ceil(expected - 3 * np.sqrt(expected))).astype(np.int64)
    return replace(shown, counts=least)


def _same(values: _Numbered, shown: _Numbered) -> Int:
    """Return the number of the original value that each label is, -1 for one that is none."""
    listed = pl.DataFrame({"value": values.distinct, "number": np.arange(len(values.distinct))})
    matches = pl.DataFrame({"value": shown.distinct}).join(listed, on="value", how="left", maintain_order="left")
    same = matches["number"].fill_null(-1).to_numpy()
    if shown.missing:
        same = np.append(same, len(values.distinct) if values.missing else -1)
    return same.astype(np.int64)


def _read(order: ValueOrder, values: _Numbered, shown: _Numbered, same: Int, surplus: Bool) -> dict[int, Stretches]:
    """Return what the labels cover that stand for more than themselves."""
    everything = [(0, len(order.place))]
    if len(shown.counts) == 1:
        return {0: everything}
    read, left = (
        _read_numbers(order, values, shown) if isinstance(order, SortedOrder) and order.numeric else ({}, surplus)
    )
    before = np.zeros(len(order.place) + 1, np.int64)
    before[order.place + 1] = values.counts
    before = np.cumsum(before)
    for label in np.flatnonzero(left & surplus).tolist():
        text = shown.distinct[label] if label < len(shown.distinct) else None
        own = [(int(order.place[same[label]]), int(order.place[same[label]]) + 1)] if same[label] >= 0 else []
        covered = everything if text is None else order.stretches(str(text), bool(own))
        if covered and sum(before[last] - before[first] for first, last in covered) < shown.counts[label]:
            covered = None  # there are too few of them, so it must mean something else
        if covered is not None:
            read[label] = merge_stretches([*covered, *own])
        elif not own:
            read[label] = everything
    return read


def _read_numbers(order: SortedOrder, values: _Numbered, shown: _Numbered) -> tuple[dict[int, Stretches], Bool]:
    """Read the labels that are numbers, all at once; returns what some of them cover, and which labels are left."""
    numbers = shown.distinct.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    left = np.append(np.isnan(numbers), True)[: len(shown.counts)]
    plain = np.flatnonzero(~left)
    if len(plain) < 2 or not np.array_equal(order.low, order.high):
        return {}, left
    plain = plain[np.argsort(numbers[plain])]
    counts = np.empty(len(values.distinct), np.int64)
    counts[order.place[: len(counts)]] = values.counts[: len(counts)]
    low, high = widened(order.low, counts, numbers[plain], shown.counts[plain])
    wide = np.flatnonzero(low < high)
    return {int(plain[i]): order.between(low[i], high[i]) for i in wide}, left


def _assembled(
    order: ValueOrder, values: _Numbered, shown: _Numbered, read: dict[int, Stretches], same: Int
) -> Coverage:
    """Put together what was read and, for all other labels, the value they are."""
    plain = np.flatnonzero(same >= 0)
    plain = plain[~np.isin(plain, list(read))]
    more = [(label, *stretch) for label, stretches in read.items() for stretch in stretches]
    labels, low, high = np.concatenate(
        [
            np.stack([plain, order.place[same[plain]], order.place[same[plain]] + 1], axis=1),
            np.array(more, np.int64).reshape(-1, 3),
        ]
    ).T
    by_label = np.lexsort((low, labels))
    start = np.searchsorted(labels[by_label], np.arange(len(shown.counts) + 1))
    places = order.place.astype(np.int32)[values.codes]
    return Coverage(places, len(order.place), shown.codes, start, low[by_label], high[by_label])
