"""A column of both tables as numbers of its distinct values, released labels read as the values they stand for.

A released cell counts as

- the value it holds, if that is a value of the original, a number among numbers, or a word that cannot be read;
- several values of the original in equal parts, if it is a label that stands for them: 30-39, {a, b}, 13**, a month;
- missing, if it is empty, `*`, or a label that stands for every value of the original.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core import align, codes, whole_numbers
from icefire.core.coded_text import CodedPair
from icefire.core.release import Case
from icefire.hierarchy.fitting import number
from icefire.hierarchy.labels import Anything, Between, OneOf, read
from icefire.hierarchy.value_order import order_values
from icefire.kernels.common.value_counts import count_values, look_up
from icefire.kernels.types import Bool, Float, Int, Int32

MOST_LABELS = 2000
"""So many different labels are read at most; more are the values of a column that was changed at random."""


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """The values 0 … size - 1 of a column; `size` is missing, and size + 1 + b is label b, which stands for several."""

    name: str
    values: pl.Series
    """The distinct values in ascending order: those of the original, and those that only the release has."""
    is_number: bool
    known: Int32
    """The value of every original row."""
    shown: Int32
    """The value, or the label, of every released row."""
    start: Int
    """Label b stands for covered[start[b]:start[b + 1]]."""
    covered: Int
    words: Bool
    """Of every value, whether it is a released word that is no value of the original."""
    known_counts: Int
    """Original rows of every value; the last entry counts the missing ones."""
    shown_counts: Int
    """Released rows of every value, the missing ones, and those of every label."""
    weights: tuple[Float, Float] | None = None
    """How much every original and every released row counts; by default all the same."""

    @property
    def size(self) -> int:
        """Number of distinct values."""
        return len(self.values)

    @property
    def numbers(self) -> Float:
        """The distinct values as numbers."""
        return self.values.cast(pl.Float64).to_numpy()

    @property
    def labelled(self) -> int:
        """Released cells that hold a label for several values."""
        return int(self.shown_counts[self.size + 1 :].sum())

    def known_shares(self) -> Float:
        """Share of the original rows that have each value; the last is missing."""
        if self.weights is None:
            return self.known_counts / max(len(self.known), 1e-300)
        return _shares(self.known, self.weights[0], self.size + 1)

    def shown_shares(self) -> Float:
        """Share of the released rows that have each value; a label counts as its values in equal parts."""
        if self.weights is None:
            shares = self.shown_counts / max(len(self.shown), 1e-300)
        else:
            shares = _shares(self.shown, self.weights[1], self.size + len(self.start))
        widths = np.diff(self.start)
        parts = np.repeat(shares[self.size + 1 :] / np.maximum(widths, 1), widths)
        spread: Float = shares[: self.size + 1] + np.bincount(self.covered, parts, self.size + 1)
        return spread

    def drawn(self, rng: np.random.Generator) -> Int32:
        """The value of every released row; of a label, one of its values drawn at random."""
        rows = np.flatnonzero(self.shown > self.size)
        labels = self.shown[rows] - self.size - 1
        widths = np.diff(self.start)
        places = self.start[labels] + (rng.random(len(rows)) * widths[labels]).astype(np.int64)
        values = self.shown.copy()
        values[rows] = self.covered[places]
        return values


def _shares(places: Int32, weights: Float, size: int) -> Float:
    """Return the share of the weight of the rows at each place."""
    shares: Float = np.bincount(places, weights, size) / max(weights.sum(), 1e-300)
    return shares


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A column of both tables as numbers of its distinct values, and how many rows have each; missing is the last."""

    known: NDArray[np.integer[Any]]
    shown: NDArray[np.integer[Any]]
    lowest: int
    """What is to be taken from the numbers so that the lowest value has 0."""
    ranks: Int
    """The number of the distinct value that each number stands for."""
    values: pl.Series
    """The distinct values, missing left out."""
    known_counts: Int
    shown_counts: Int


def read_pair(case: Case, name: str) -> ReadColumn:
    """Read a column of both tables of a case; text is numbered once for all who read it."""
    return read_column(case.known.frame[name], case.released.frame[name], case.coded_text(name))


def read_column(x: pl.Series, y: pl.Series, text: CodedPair | None = None) -> ReadColumn:
    """Number the values of a column of the original and of the release, and read the labels of the release.

    Args:
        x: The column of the original.
        y: The column of the release.
        text: Both numbered together, if they are text and that was done before.

    Returns:
        The column as numbers of its values.
    """
    if text is not None:
        return _read(x.name, False, _of_text(text))
    dates = x.dtype.is_temporal() and y.dtype.is_temporal()
    x, y = _plain(x, dates), _plain(y, dates)
    if x.dtype != y.dtype and x.dtype.is_numeric() and y.dtype.is_numeric():
        x, y = x.cast(pl.Float64), y.cast(pl.Float64)
    elif x.dtype != y.dtype:
        x, y = align.comparable_text(x, y)
    return _read(x.name, x.dtype.is_numeric(), _of_whole_numbers(x, y) or _of_any(x, y))


def _of_text(text: CodedPair) -> _Numbered:
    ranks = np.arange(len(text.values) + 1)
    known, shown = text.known, text.shown
    return _Numbered(known.codes, shown.codes, 0, ranks, text.values, known.counts, shown.counts)


def _of_whole_numbers(x: pl.Series, y: pl.Series) -> _Numbered | None:
    """Count whole numbers of a small range without copying them; None where there are others."""
    spans = [whole_numbers.span_of(side) for side in (x, y)]
    if x.dtype != y.dtype or x.null_count() + y.null_count() or None in spans:
        return None
    lowest, highest = min(span[0] for span in spans if span), max(span[1] for span in spans if span)
    size = highest - lowest + 1
    if size > min(whole_numbers.WIDEST, max(whole_numbers.FEW, 4 * (len(x) + len(y)))):
        return None
    known, shown = (side.rechunk().to_numpy() for side in (x, y))
    before, after = (count_values(side, lowest, size) for side in (known, shown))
    there = (before + after) > 0
    values = pl.Series(x.name, np.flatnonzero(there) + lowest)
    counts = [np.append(side[there], 0) for side in (before, after)]
    return _Numbered(known, shown, lowest, np.cumsum(there) - 1, values, *counts)


def _of_any(x: pl.Series, y: pl.Series) -> _Numbered:
    numbers, distinct = number(pl.concat([x, y]))
    values = distinct.drop_nulls()
    known, shown = numbers[: len(x)], numbers[len(x) :]
    counts = [np.bincount(side, minlength=len(values) + 1) for side in (known, shown)]
    return _Numbered(known, shown, 0, np.arange(len(values) + 1), values, *counts)


def _read(name: str, is_number: bool, column: _Numbered) -> ReadColumn:
    values, in_original = column.values, column.known_counts[:-1] > 0
    new = np.flatnonzero(~in_original)
    if not len(new) or values.dtype != pl.String:
        return _assemble(name, is_number, column, {})
    as_numbers = _are_numbers(values, in_original)
    return _assemble(
        name, as_numbers, column, _meanings(values, in_original, as_numbers) if len(new) <= MOST_LABELS else {}
    )


def _plain(column: pl.Series, dates: bool) -> pl.Series:
    """Return dates as numbers where both tables hold some, else as text; and numbers that are not finite as missing."""
    if column.dtype.is_temporal():
        column = column.to_physical() if dates else column.cast(pl.String)
    if column.dtype in (pl.Boolean, pl.Null, pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    if not column.dtype.is_float():
        return column
    return column.to_frame().select(pl.when(pl.first().is_finite()).then(pl.first())).to_series()


def _are_numbers(values: pl.Series, in_original: Bool) -> bool:
    """Tell whether text is numbers that labels have turned to text: 30, 31, 30-39."""
    known, new = values.filter(pl.Series(in_original)), values.filter(pl.Series(~in_original))
    if align.as_numbers(known) is None or bool(known.str.contains(codes.CODE).any()) or not len(known):
        return False
    words = new.filter(new.cast(pl.Float64, strict=False).is_null()).head(MOST_LABELS)
    return any(isinstance(read(word), Between | Anything) for word in words)


def _meanings(values: pl.Series, in_original: Bool, as_numbers: bool) -> dict[int, Int]:
    """Return by its number what each label stands for: values of the original, or none for missing."""
    known = np.flatnonzero(in_original)
    order = order_values(values.gather(known), missing=False)
    at_place = known[np.argsort(order.place)]
    meanings: dict[int, Int] = {}
    for label in np.flatnonzero(~in_original).tolist():
        text = values[label]
        if as_numbers and align.as_numbers(pl.Series([text])) is not None:
            continue
        stretches = order.stretches(text) or []
        covered = np.concatenate([at_place[first:last] for first, last in stretches] or [at_place[:0]])
        if isinstance(read(text), Anything) or (len(covered) == len(known) > 1):
            meanings[label] = known[:0]
        elif len(covered):
            meanings[label] = covered
        elif as_numbers or isinstance(read(text), Between | OneOf):
            meanings[label] = known[:0]
    return meanings


def _assemble(name: str, is_number: bool, column: _Numbered, meanings: dict[int, Int]) -> ReadColumn:
    """Renumber the values without the labels, in ascending order."""
    values = column.values
    kept = np.setdiff1d(np.arange(len(values)), list(meanings)) if meanings else np.arange(len(values))
    left = values.gather(kept)
    if is_number and left.dtype == pl.String:
        left = left.str.strip_chars().cast(pl.Float64)
        order = left.arg_sort().to_numpy()
        kept, left = kept[order], left.gather(order)
    place = np.full(len(values) + 1, len(kept), np.int64)
    place[kept] = np.arange(len(kept))
    several = [label for label, covered in meanings.items() if len(covered)]
    place[several] = len(kept) + 1 + np.arange(len(several))
    covered = np.concatenate([place[meanings[label]] for label in several]) if several else np.zeros(0, np.int64)
    start = np.concatenate([[0], np.cumsum([len(meanings[label]) for label in several])]).astype(np.int64)
    table = place[column.ranks].astype(np.int32)
    words = column.known_counts[kept] == 0 if not is_number else np.zeros(len(kept), bool)
    return ReadColumn(
        name,
        left,
        is_number,
        look_up(column.known, column.lowest, table),
        look_up(column.shown, column.lowest, table),
        start,
        covered,
        words,
        _moved(column.known_counts, place, len(kept) + 1),
        _moved(column.shown_counts, place, len(kept) + 1 + len(several)),
    )


def _moved(counts: Int, place: Int, size: int) -> Int:
    """Return counts by the new number of each value."""
    moved = np.zeros(max(size, int(place.max()) + 1), np.int64)
    np.add.at(moved, place, counts)
    return moved[:size]
