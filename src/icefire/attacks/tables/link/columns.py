"""Columns of both tables as levels: few enough for tables of level by level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.attacks.tables.link import numbers_in_text
from icefire.attacks.tables.link.dates import as_days
from icefire.attacks.tables.link.known_encodings import decoded
from icefire.attacks.tables.link.similar_texts import as_similar_texts
from icefire.core import align
from icefire.core.blocks import dense_ranks
from icefire.core.dataset import numbers
from icefire.core.schema import Column, Kind, Role
from icefire.hierarchy.coverage import Coverage, coverage
from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import is_little
from icefire.kernels.types import Bool, Float, Int, Int32

NUMBER_LEVELS = 12
"""A column of numbers with more values than this has places and distances worth comparing."""
BLANK = "(missing)"
"""Stands for a missing value where that is a value like others, and after the name of a column for its blanks."""
READ = 512
"""Labels are read (30-39, *) in columns of at most so many values."""
READ_TEXT = 20_000
"""In columns of text, where levels may stand for several values, up to so many."""
SMALL = 12_000
"""Pairs of original and released rows of tables that nothing need be compiled for."""


@dataclass(frozen=True)
class CodedLevels:
    """One side of a column: the level of every row, and what each level stands for."""

    codes: Int32
    count: int
    share: Float
    """Frequency of each level; 0 for missing values, which say nothing."""
    value: Float
    """Mean value of each level; NaN for text and missing."""
    width: Float
    """Range of the values of each level."""
    rank: Float
    """Middle rank of each level in the original, from 0 to 1."""
    rank_width: Float
    own_rank: Float
    """Middle rank of each level in its own table."""
    own_width: Float


@dataclass(frozen=True)
class LinkColumn:
    """A column of both tables."""

    name: str
    numeric: bool
    x: CodedLevels
    y: CodedLevels
    same: Bool
    """Which levels are equal: released × original."""
    covers: Bool | None
    """Which original levels a released label covers; None where labels need no reading."""
    kept: float
    """Share of the released values that are values of the original."""
    spread: float
    """Standard deviation of the original values; 1 for text."""

    @property
    def is_of_small_tables(self) -> bool:
        """Whether the tables are so small that numpy learns channels as fast as compiled functions do."""
        return is_little(len(self.x.codes) * len(self.y.codes), SMALL)

    @property
    def source(self) -> str:
        """Name of the column of the table: that of the values, also where this tells which cells are blank."""
        return self.name.removesuffix(f" {BLANK}")


def encoded(columns: list[tuple[pl.Series, pl.Series, int]]) -> list[LinkColumn]:
    """Encode columns, given in both tables, each with so many levels at most; those that say nothing are left out."""
    return [column for column in threads.starmap(encode, columns) if column is not None]


def encode(x: pl.Series, y: pl.Series, most: int) -> LinkColumn | None:
    """Encode a column of both tables, made `readable`; None where one of them holds a single value or none."""
    known, shown = x.drop_nulls().n_unique(), y.drop_nulls().n_unique()
    if known > 1 and shown == 1 and y.null_count():
        # All other values were blanked: there a blank says as much as a value.
        return _texts(align.as_text(x), align.as_text(y).fill_null(BLANK), most)
    if min(known, shown) < 2:
        return None
    if x.dtype.is_numeric():
        return _numbers(x, y, most)
    return _texts(x.cast(pl.String), y.cast(pl.String), most)


def readable(x: pl.Series, y: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return a column of both tables with dates as days, and released texts as the original ones they stand for."""
    y = decoded(x, y)
    dates = as_days(x, y)
    if dates is not None:
        return dates
    x, y = comparable(x, y)
    return (x, as_similar_texts(x, y)) if x.dtype == y.dtype == pl.String else (x, y)


def comparable(x: pl.Series, y: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Bring a column of any role to one type in both tables: numbers that are not finite are missing."""
    x, y = align.harmonise(x, y, Column(x.name, Role.OTHER, Kind.CATEGORY))
    if x.dtype.is_numeric() != y.dtype.is_numeric():
        x, y = align.as_text(x), align.as_text(y)
    if x.dtype == y.dtype == pl.String:
        x, y = numbers_in_text.as_numbers(x, y) or (x, y)
    if x.dtype.is_float():
        x, y = (s.to_frame().select(pl.when(pl.first().is_finite()).then(pl.first())).to_series() for s in (x, y))
    return x, y


def blanks(x: pl.DataFrame, y: pl.DataFrame) -> list[tuple[pl.Series, pl.Series]]:
    """Return for columns with blanks in both tables which cells are blank: who left out what tells people apart."""
    names = [name for name in x.columns if x[name].null_count() > 0 and y[name].null_count() > 0]
    sides = [[table[name].is_null().cast(pl.String).alias(f"{name} {BLANK}") for name in names] for table in (x, y)]
    return list(zip(*sides, strict=True))


def _numbers(x: pl.Series, y: pl.Series, most: int) -> LinkColumn:
    a, b = numbers(x), numbers(y)
    known = np.sort(a[~np.isnan(a)])
    shown = np.sort(b[~np.isnan(b)])
    distinct_x, distinct_y = _distinct(known), _distinct(shown)
    kept = float((known[np.minimum(np.searchsorted(known, shown), len(known) - 1)] == shown).mean())
    edges_x = _edges(known, distinct_x, most)
    edges_y = edges_x if kept > 0.5 and len(distinct_y) > most else _edges(shown, distinct_y, most)
    left, right = _levels(a, edges_x, known), _levels(b, edges_y, known)
    same = _same_values(left, right)
    read = coverage(x, y) if max(len(distinct_x), len(distinct_y)) <= min(READ, most) else None
    return LinkColumn(x.name, True, left, right, same, _covers(read, left, right), kept, float(known.std()))


def _distinct(values: Float) -> Float:
    """Return the different ones of ascending values."""
    different: Float = values[np.append(True, values[1:] != values[:-1])]
    return different


def _edges(values: Float, distinct: Float, most: int) -> Float:
    """Return the lowest value of each level: every value its own, or as many rows in each as possible.

    Args:
        values: The values, ascending.
        distinct: The different ones of them.
        most: Most levels.
    """
    if len(distinct) <= most:
        return distinct
    return np.unique(values[(np.arange(most) * len(values)) // most])


def _levels(values: Float, edges: Float, known: Float) -> CodedLevels:
    gaps = np.isnan(values)
    codes: Int32 = np.maximum(np.searchsorted(edges, values, "right") - 1, 0).astype(np.int32)
    codes[gaps] = len(edges)
    count = len(edges) + 1
    sizes = np.bincount(codes, minlength=count).astype(float)
    filled = np.where(gaps, 0.0, values)
    value = np.bincount(codes, filled, count) / np.maximum(sizes, 1)
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, codes, filled)
    np.maximum.at(high, codes, filled)
    value[sizes == 0] = np.nan
    value[-1] = np.nan
    present = np.where(sizes > 0, 1.0, 0.0)
    low, high = np.where(present > 0, low, 0.0), np.where(present > 0, high, 0.0)
    first, last = np.searchsorted(known, low, "left"), np.searchsorted(known, high, "right")
    own = np.cumsum(sizes[:-1])
    total = max(1.0, float(own[-1]))
    own_rank = np.append((own - 0.5 * sizes[:-1]) / total, np.nan)
    rank = (first + last) / (2.0 * len(known))
    rank[-1] = np.nan
    share = sizes / max(1.0, sizes[:-1].sum())
    share[-1] = 0.0
    return CodedLevels(codes, count, share, value, high - low, rank, (last - first) / len(known), own_rank, share)


def _same_values(x: CodedLevels, y: CodedLevels) -> Bool:
    """CodedLevels are the same if they hold the same value, or their ranges overlap."""
    half_x, half_y = x.width / 2, y.width / 2
    far = np.abs(y.value[:, None] - x.value[None, :])
    same: Bool = far <= half_y[:, None] + half_x[None, :]
    return same


def _texts(x: pl.Series, y: pl.Series, most: int) -> LinkColumn:
    ranks = dense_ranks(pl.concat([x, y]))
    codes = ranks.fill_null(-1).to_numpy().astype(np.int64)
    a, b = codes[: len(x)], codes[len(x) :]
    distinct = _present(codes)
    few = max(len(_present(a)), len(_present(b))) <= most
    if len(distinct) <= READ_TEXT and not (few and len(distinct) <= READ):
        read = coverage(x, y)
        if read is not None and len(read.low):
            return _read_texts(x.name, read, most)
    if not few:
        # Too many values: equal ones still get equal levels, and others may too.
        a, b = (np.where(side < 0, side, side % most) for side in (a, b))
    left, right = _text_levels(a), _text_levels(b)
    same = right.value[:, None] == left.value[None, :]
    read = coverage(x, y) if few and len(distinct) <= READ else None
    return LinkColumn(x.name, False, left, right, same, _covers(read, left, right), 1.0, 1.0)


def _read_texts(name: str, read: Coverage, most: int) -> LinkColumn:
    """Encode text with labels for many values (0123* for postcodes): neighbouring values share a level."""
    values = _bins(read.places, read.size, most)
    order = np.argsort(np.argsort(read.hulls()[0], kind="stable"), kind="stable")
    labels = _bins(order[read.labels], len(order), most)
    left, right = _text_levels(values[read.places]), _text_levels(labels[order][read.labels])
    of_stretch = labels[order][np.repeat(np.arange(len(order)), np.diff(read.start))]
    ends = np.zeros((int(labels.max()) + 1, int(values.max()) + 2))
    np.add.at(ends, (of_stretch, values[read.low]), 1)
    np.add.at(ends, (of_stretch, values[read.high - 1] + 1), -1)
    covered = np.cumsum(ends, axis=1) > 0
    covers = np.zeros((right.count, left.count), bool)
    shown, known = (np.unique(codes) for codes in (labels[order][read.labels], values[read.places]))
    covers[:-1, :-1] = covered[np.ix_(shown, known)]
    return LinkColumn(name, False, left, right, np.zeros_like(covers), covers, 1.0, 1.0)


def _bins(places: Int32 | Int, size: int, most: int) -> Int:
    """Return the level of every place: neighbouring places together, with about as many rows in each level."""
    before = np.cumsum(np.bincount(places, minlength=size)) - np.bincount(places, minlength=size)
    levels: Int = (before * min(most, size)) // max(len(places), 1)
    return np.unique(levels, return_inverse=True)[1].astype(np.int64)


def _present(codes: Int) -> Int:
    """Return the different codes from 0 on, ascending. They are numbers of values: not much larger than the table."""
    return np.flatnonzero(np.bincount(codes[codes >= 0]))


def _text_levels(codes: Int) -> CodedLevels:
    distinct = _present(codes)
    count, value = len(distinct), distinct.astype(float)
    # Codes below 0, missing values, take the last entry.
    level_of = np.full(int(distinct.max(initial=0)) + 2, count, np.int32)
    level_of[distinct] = np.arange(count, dtype=np.int32)
    places: Int32 = level_of[np.maximum(codes, -1)]
    sizes = np.bincount(places, minlength=count + 1).astype(float)
    share = sizes / max(1.0, sizes[:-1].sum())
    share[-1] = 0.0
    nothing = np.full(count + 1, np.nan)
    zero = np.zeros(count + 1)
    return CodedLevels(places, count + 1, share, np.append(value, np.nan), zero, nothing, zero, nothing, zero)


def _covers(read: Coverage | None, x: CodedLevels, y: CodedLevels) -> Bool | None:
    """Return which original levels each label covers; rows of one level hold one value here."""
    if read is None or not len(read.low):
        return None
    place, label = np.zeros(x.count, np.int64), np.zeros(y.count, np.int64)
    place[x.codes], label[y.codes] = read.places, read.labels
    pairs = read.covers(np.repeat(label, x.count), np.tile(place, y.count))
    return pairs.reshape(y.count, x.count)
