"""Blocks: the rows of one or two tables that agree on a list of columns.

The columns of both tables are encoded jointly to digits of one mixed-radix key; equal keys, equal rows.
Where the key would outgrow 63 bits, the part made so far is replaced by its rank, which is exact (a hash
would be so only with luck). A missing value is a value of its own, so that two missing values are equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.kernels.common import sorted_arrays, threads
from icefire.kernels.grouping import packed_keys
from icefire.kernels.types import Bool, Int

KEY_LIMIT = 1 << 62
NARROW_LIMIT = 1 << 32
"""Keys below this are half as long."""
DIRECT_LIMIT = 1 << 20
"""Whole numbers that span less than this are their own digits; others are ranked first."""


@dataclass(frozen=True, slots=True)
class EncodedColumn:
    """A column as whole numbers from `lowest` to `lowest` + `size` - 1, one per row."""

    values: NDArray[np.integer]
    lowest: int
    size: int

    @property
    def digit(self) -> packed_keys.Digit:
        """The column as a digit of keys."""
        return packed_keys.Digit(self.values, self.lowest, self.size)


EncodedPair = tuple[EncodedColumn, EncodedColumn]
"""A column of X and the same of Y, encoded together."""


@dataclass(frozen=True)
class Candidates:
    """For every target, the rows it may come from: rows[start[j]:stop[j]], ascending."""

    rows: Int
    start: Int
    stop: Int
    once: bool = False
    """Every row stands in `rows` exactly once, as in blocks: whether one is among them is then looked up at once."""

    @property
    def sizes(self) -> Int:
        """Number of candidates of each target."""
        return self.stop - self.start

    def placed(self, order: Int) -> Candidates:
        """Return the same candidates for targets moved so that target j stands at order[j]."""
        start, stop = np.empty_like(self.start), np.empty_like(self.stop)
        start[order], stop[order] = self.start, self.stop
        return Candidates(self.rows, start, stop, self.once)

    def include(self, wanted: Int) -> Bool:
        """Tell for each target whether the row wanted is among its candidates."""
        if not self.once:
            return sorted_arrays.contains(self.rows, self.start, self.stop, wanted)
        place = np.empty(len(self.rows), np.int64)
        place[self.rows] = np.arange(len(self.rows))
        places = place[wanted]
        inside: Bool = (places >= self.start) & (places < self.stop) & (wanted >= 0)
        return inside


@dataclass(frozen=True)
class Blocks:
    """Rows of X and of Y by block: block b holds x_rows[x_start[b]:x_start[b + 1]], and Y likewise."""

    x_rows: Int
    x_start: Int
    y_rows: Int
    y_start: Int

    @property
    def count(self) -> int:
        """Number of blocks, those with rows on one side only included."""
        return len(self.x_start) - 1

    @property
    def x_sizes(self) -> Int:
        """Rows of X in each block."""
        return np.diff(self.x_start)

    @property
    def y_sizes(self) -> Int:
        """Rows of Y in each block."""
        return np.diff(self.y_start)

    @cached_property
    def candidates(self) -> Candidates:
        """The rows of X in the block of each row of Y."""
        start, stop = np.empty(len(self.y_rows), np.int64), np.empty(len(self.y_rows), np.int64)
        start[self.y_rows] = np.repeat(self.x_start[:-1], self.y_sizes)
        stop[self.y_rows] = np.repeat(self.x_start[1:], self.y_sizes)
        return Candidates(self.x_rows, start, stop, once=True)

    @cached_property
    def x_labels(self) -> Int:
        """The block of each row of X."""
        labels = np.empty(len(self.x_rows), np.int64)
        labels[self.x_rows] = np.repeat(np.arange(self.count), self.x_sizes)
        return labels


def blocks_of_tables(x: pl.DataFrame, y: pl.DataFrame, columns: Sequence[str]) -> Blocks:
    """Return the blocks of two tables, in no particular order; without columns all rows are in one."""
    return blocks_of_pairs([encode_apart(x[name], y[name], ordered=False) for name in columns], x.height, y.height)


def blocks_of_pairs(pairs: Sequence[EncodedPair], n: int, m: int) -> Blocks:
    """Return the blocks of n rows of X and m rows of Y, from columns of both that were encoded together."""
    keys, size = _pack_pairs(pairs, n, m)
    return Blocks(*packed_keys.group_rows(keys, size, n))


def encode_jointly(x: pl.Series, y: pl.Series) -> EncodedColumn:
    """Encode a column of two tables together (x first); equal values get equal numbers, in no particular order."""
    return encode(_unordered(pl.concat([x, y])))


def blocks_of_columns(encoded: Sequence[EncodedColumn], n: int, m: int) -> Blocks:
    """Return the blocks of n rows of X followed by m rows of Y, from columns encoded over both."""
    keys, size = pack_keys(encoded, n + m)
    return Blocks(*packed_keys.group_rows(keys, size, n))


def blocks_of_table(table: pl.DataFrame, columns: Sequence[str]) -> Blocks:
    """Return the blocks of one table (as X), in ascending order of the columns' values."""
    return blocks_of_columns([encode(table[name]) for name in columns], table.height, 0)


def class_sizes(table: pl.DataFrame, columns: Sequence[str]) -> Int:
    """Return the size of every class of rows that agree on the columns, in no particular order."""
    return sizes_of_columns(threads.starmap(_encode_unordered, [(table[name],) for name in columns]), table.height)


def sizes_of_columns(encoded: Sequence[EncodedColumn], rows: int) -> Int:
    """Return the size of every class of rows that agree on encoded columns, in no particular order."""
    size = math.prod(column.size for column in encoded)
    if size >= NARROW_LIMIT:
        return packed_keys.group_sizes(*pack_keys(encoded, rows), overwrite=True)
    return packed_keys.class_sizes([column.digit for column in encoded], rows, size)


def _encode_unordered(column: pl.Series) -> EncodedColumn:
    return encode(_unordered(column))


def _unordered(column: pl.Series) -> pl.Series:
    """Number text by hash: where the order of classes does not matter, ranking would cost most of the time."""
    return column.cast(pl.Categorical).to_physical() if column.dtype == pl.String else column


def pack_keys(columns: Sequence[EncodedColumn], rows: int) -> tuple[Int, int]:
    """Pack encoded columns into one key per row; returns the keys and a bound that all of them lie below."""
    keys, bound, digits = np.zeros(rows, np.int64), 1, list[packed_keys.Digit]()
    for column in columns:
        if bound * column.size > KEY_LIMIT:
            packed_keys.append_digits(keys, digits)
            distinct, inverse = np.unique(keys, return_inverse=True)
            keys, bound, digits = inverse.reshape(-1).astype(np.int64), len(distinct), []
        digits.append(column.digit)
        bound *= column.size
    packed_keys.append_digits(keys, digits)
    return keys, bound


def pack_keys_of_tables(x: pl.DataFrame, y: pl.DataFrame, columns: Sequence[str]) -> tuple[Int, int]:
    """Pack columns of two tables into keys that keep the order of their values, rows of x first; see `pack_keys`."""
    return _pack_pairs([encode_apart(x[name], y[name]) for name in columns], x.height, y.height)


def _pack_pairs(pairs: Sequence[EncodedPair], n: int, m: int) -> tuple[Int, int]:
    """Pack columns of n rows of X and m of Y into keys, rows of X first; see `pack_keys`."""
    bound = math.prod(column.size for column, _ in pairs)
    if bound > KEY_LIMIT:
        joint = [replace(a, values=np.concatenate([a.values, b.values])) for a, b in pairs]
        return pack_keys(joint, n + m)
    keys = np.zeros(n + m, np.int64)
    packed_keys.append_digits(keys[:n], [column.digit for column, _ in pairs])
    packed_keys.append_digits(keys[n:], [column.digit for _, column in pairs])
    return keys, bound


def encode_apart(x: pl.Series, y: pl.Series, ordered: bool = True) -> EncodedPair:
    """Encode a column of two tables together; whole numbers of a small range are not copied.

    Args:
        x: The column of one table.
        y: The column of the other.
        ordered: Whether numbers keep the order of the values; without it text is encoded faster.
    """
    if x.dtype == y.dtype and x.dtype.is_integer() and len(x) and len(y) and not x.null_count() + y.null_count():
        ends = (*_extremes(x), *_extremes(y))
        lowest, size = min(ends), max(ends) - min(ends) + 1
        if size <= DIRECT_LIMIT:
            a, b = (EncodedColumn(side.rechunk().to_numpy(), lowest, size) for side in (x, y))
            return a, b
    both = encode(pl.concat([x, y])) if ordered else encode_jointly(x, y)
    return replace(both, values=both.values[: len(x)]), replace(both, values=both.values[len(x) :])


def encode(column: pl.Series) -> EncodedColumn:
    """Encode a column as whole numbers that keep the order of the values; missing comes first."""
    if column.dtype == pl.Boolean:
        column = column.cast(pl.Int8)
    lowest, highest = _extremes(column) if column.dtype.is_integer() else (0, 0)
    if not column.dtype.is_integer() or highest - lowest >= max(DIRECT_LIMIT, 4 * len(column)):
        column = dense_ranks(column)
        lowest, highest = _extremes(column)
    if column.null_count():
        column = column.cast(pl.Int64).fill_null(lowest - 1)
        lowest -= 1
    return EncodedColumn(column.rechunk().to_numpy(), lowest, highest - lowest + 1)


def dense_ranks(column: pl.Series) -> pl.Series:
    """Number the distinct values in ascending order, from 0; missing stays missing."""
    if column.dtype != pl.String:
        return column.rank("dense").cast(pl.Int64) - 1
    # Hashing to category codes and ranking the few distinct values is faster than sorting all of them.
    coded = column.cast(pl.Categorical)
    distinct = coded.unique().drop_nulls()
    if not len(distinct):
        return pl.Series(column.name, [None] * len(column), dtype=pl.Int64)
    numbers = distinct.to_physical().to_numpy()
    table = np.zeros(int(numbers.max()) + 1, np.int64)
    table[numbers] = distinct.cast(pl.String).rank("dense").to_numpy().astype(np.int64) - 1
    ranks = pl.Series(column.name, table[coded.to_physical().fill_null(0).to_numpy()])
    return ranks.to_frame().select(pl.when(coded.is_not_null()).then(pl.first())).to_series()


def _extremes(column: pl.Series) -> tuple[int, int]:
    """Return the smallest and the largest value, 0 where all are missing."""
    low, high = column.min(), column.max()
    return (0, 0) if low is None else (int(low), int(high))  # type: ignore[arg-type]
