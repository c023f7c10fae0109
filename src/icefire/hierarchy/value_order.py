"""The distinct values of a column put in an order in which the values a label covers stand together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import polars as pl

from icefire.core import date_texts
from icefire.hierarchy.core import TOP, Hierarchy
from icefire.hierarchy.fitting import as_text, fit
from icefire.hierarchy.labels import Anything, Begins, Between, LabelMeaning, Matches, OneOf, interval, read
from icefire.kernels.types import Bool, Float, Int, Int32

Stretches = list[tuple[int, int]]
"""Places from the first of each pair up to the second, which is not included; ascending."""

LIKE_NUMBERS = r"^[-–+\[\](){}<>≤≥…;,.\s\deEto]+$"
"""Text of these characters only may be an interval."""


class ValueOrder(Protocol):
    """Where each value stands, and what a label covers."""

    @property
    def place(self) -> Int:
        """The place of each value, by its number."""

    def stretches(self, label: str, is_value: bool = False) -> Stretches | None:
        """Return the places a label covers, None if it says nothing; it may be a value itself."""


@dataclass(frozen=True, slots=True)
class SortedOrder:
    """Values in ascending order: as numbers if every one is a number or an interval, else as text; missing last."""

    place: Int
    texts: pl.Series
    low: Float
    high: Float
    numeric: bool
    everything: Stretches
    ordered: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ordered", self.numeric and bool((np.diff(self.high) >= 0).all()))

    def stretches(self, label: str, is_value: bool = False) -> Stretches | None:
        """Return the places a label covers; a word says nothing if it is a value or no value begins with it."""
        reading = read(label)
        if isinstance(reading, Begins) and reading.word:
            return None if is_value else self._covered(reading) or None
        return self._covered(reading)

    def _covered(self, reading: LabelMeaning) -> Stretches:
        if isinstance(reading, Anything):
            return self.everything
        if isinstance(reading, Between):
            return self.between(reading.low, reading.high)
        if isinstance(reading, OneOf):
            return merge_stretches([stretch for part in reading.parts for stretch in self._covered(part)])
        return _runs(_matching(self.texts, reading))

    def between(self, low: float, high: float) -> Stretches:
        """Return the places of the numbers from low to high, and of the intervals inside."""
        if not self.ordered:
            return _runs((self.low >= low) & (self.high <= high))
        first, last = int(np.searchsorted(self.low, low)), int(np.searchsorted(self.high, high, "right"))
        return [(first, last)] if first < last else []


@dataclass(frozen=True, slots=True)
class HierarchyOrder:
    """Values in the order of a published hierarchy, from its top down."""

    place: Int
    covered: dict[str, tuple[int, int]]

    def stretches(self, label: str, is_value: bool = False) -> Stretches | None:
        """Return the places under a label, on the level where they are most."""
        stretch = self.covered.get(label)
        return None if stretch is None else [stretch] if stretch[0] < stretch[1] else []


def order_values(values: pl.Series, missing: bool) -> SortedOrder:
    """Put distinct values into ascending order."""
    texts = as_text(values)
    low, high = _spans(texts)
    numeric = bool(len(texts)) and not np.isnan(low).any()
    if not numeric:
        low = high = _years(texts)
    order = np.lexsort((high, low)) if numeric else np.arange(len(texts))
    place = np.empty(len(texts) + missing, np.int64)
    place[order], place[len(texts) :] = np.arange(len(texts)), len(texts)
    everything = [(0, len(place))]
    return SortedOrder(place, texts.gather(order), low[order], high[order], numeric, everything)


def _spans(texts: pl.Series) -> tuple[Float, Float]:
    """Return the least and the greatest number of each value; a number has one, other text none (NaN)."""
    low = texts.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy().copy()
    high = low.copy()
    for number in np.flatnonzero(np.isnan(low) & texts.str.contains(LIKE_NUMBERS).to_numpy()):
        between = interval(texts[int(number)].strip())
        if between is not None:
            low[number], high[number] = between.low, between.high
    return low, high


def _years(texts: pl.Series) -> Float:
    """Return the year of each date, none (NaN) of other text: a label such as 1980-1989 covers dates by their years."""
    years = pl.when(pl.first().str.contains(date_texts.ISO)).then(pl.first().str.slice(0, 4)).cast(pl.Float64)
    return texts.to_frame().select(years.fill_null(np.nan)).to_series().to_numpy()


def _matching(texts: pl.Series, reading: Begins | Matches) -> Bool:
    if isinstance(reading, Matches):
        return texts.str.contains(f"^(?s:{reading.pattern})$").to_numpy()
    matches = np.zeros(len(texts), bool)
    for text in reading.texts:
        begun = texts.str.starts_with(text)
        if reading.word:
            begun &= ~texts.str.slice(len(text), 1).str.contains(r"^[\p{L}\p{N}]")
        matches |= begun.to_numpy()
    return matches


def order_by_hierarchy(values: pl.Series, known: Hierarchy) -> HierarchyOrder:
    """Put distinct values, a missing one last if there is any, into the order of their hierarchy."""
    fitted = fit(known, values, unseen="top")
    codes = [level[fitted.places[fitted.numbers]] for level in fitted.hierarchy.codes]
    order = np.lexsort(codes)
    place = np.empty(len(values), np.int64)
    place[order] = np.arange(len(values))
    covered = {label: (0, 0) for labels in fitted.hierarchy.labels for label in labels if label is not None}
    for labels, level in zip(fitted.hierarchy.labels, codes, strict=True):
        for first, last in _equal_runs(level[order]):
            label = labels[int(level[order[first]])]
            if label is not None and last - first > covered[label][1] - covered[label][0]:
                covered[label] = (first, last)
    covered[TOP] = (0, len(values))
    return HierarchyOrder(place, covered)


def _equal_runs(codes: Int32) -> Stretches:
    edges = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1, [len(codes)]])
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _runs(mask: Bool) -> Stretches:
    """Return the stretches in which a mask is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def merge_stretches(stretches: Stretches) -> Stretches:
    """Join stretches that touch or overlap."""
    joined: Stretches = []
    for first, last in sorted(stretches):
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined
