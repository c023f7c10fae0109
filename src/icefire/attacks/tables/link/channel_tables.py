"""What attacks on a case share: tables of all channels of a column, what was learned by them, columns made readable."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
import polars as pl

from icefire.attacks.tables.link.channels import NOTHING, Channel, kernel_of, kernels_for, noise_of, options, ratios
from icefire.attacks.tables.link.columns import CodedLevels, LinkColumn
from icefire.core.dataset import Dataset
from icefire.core.release import Case
from icefire.kernels.common import threads
from icefire.kernels.linkage import ascent
from icefire.kernels.types import Float, Int

REMEMBERED = 1 << 26
"""Entries of tables kept in memory: half a gigabyte."""
SHARED = 100_000
"""Tables are kept for other attacks where at most so many people are known: in larger ones learning costs little."""
CHANNELS = 100
"""Channels of a column of numbers, about."""
KEY = "channel tables"

Pair = tuple[pl.Series, pl.Series]
"""A column of the original and of the release."""


@dataclass(frozen=True)
class Learned:
    """The channel of every column, and how well they explain the sample."""

    channels: list[Channel]
    gain: float
    """Log-likelihood per sampled row, above chance."""
    error: float
    """Standard error of the gain."""
    dealt: bool = False
    """Values were dealt among the rows of a class."""
    nearest: Int | None = None
    """The likeliest original row of each sampled row."""
    sample: Int | None = None
    """The released rows that were sampled."""
    supposed: bool = False
    """Nothing was learned about any column: the channels suppose that values are those of the original."""

    def used(self, columns: Sequence[LinkColumn]) -> int:
        """Return how many columns of the tables say something."""
        pairs = zip(columns, self.channels, strict=True)
        return len({column.source for column, channel in pairs if channel != NOTHING})


class ColumnTables:
    """The tables of the channels of one column."""

    def __init__(self, column: LinkColumn, kept: bool) -> None:
        self.column = column
        self.kept = kept
        """Whether tables are kept in memory, or made anew each time."""
        self.options = list(options(column))
        self._places = {channel: place for place, channel in enumerate(self.options)}
        self._stack: Float | None = None
        self._logs: Float | None = None
        self._single: dict[Channel, Float] = {}

    @property
    def stack(self) -> Float:
        """Tables of all options: options × released × original levels."""
        if self._stack is not None:
            return self._stack
        tables = np.empty((len(self.options), self.column.y.count, self.column.x.count))
        alike: dict[tuple[str, float], list[int]] = {}
        for place, channel in enumerate(self.options):
            # These differ only in the share of values drawn anew: they are balanced once.
            scale = 0.0 if channel.family == "same" else channel.scale
            alike.setdefault((channel.family, scale), []).append(place)
        threads.starmap(self._fill, [(tables, places) for places in alike.values()])
        if self.kept:
            self._stack = tables
            self._single = {channel: table for channel, table in self._single.items() if channel not in self._places}
        return tables

    def _fill(self, tables: Float, places: list[int]) -> None:
        kernel, noises = kernel_of(self.column, self.options[places[0]]), [noise_of(self.options[k]) for k in places]
        if kernel is None:
            tables[places] = 1.0
        else:
            shares = self.column.y.share, self.column.x.share
            tables[places] = kernels_for(self.column).balanced_tables(kernel, *shares, np.array(noises))

    def expected_log_likelihoods(self, seen: Float) -> Float:
        """Return the expected log-likelihood of every option.

        Args:
            seen: Posterior weight of every pair of levels: released × original.
        """
        if not (self.kept and self.column.is_of_small_tables):
            return ascent.expected_log_likelihoods(seen, self.stack)
        if self._logs is None:
            # Of small tables the logarithms are kept, too.
            self._logs = np.log(self.stack).reshape(len(self.options), -1)
        values: Float = np.einsum("kp,p->k", self._logs, seen.ravel())
        return values

    def place(self, channel: Channel) -> int | None:
        """Return the place of a channel among the options; None for another one."""
        return self._places.get(channel)

    def make_all(self) -> None:
        """Make the tables of all options now, if they are kept."""
        if self.kept:
            _ = self.stack

    def table(self, channel: Channel) -> Float:
        """Return the table of one channel, which need not be an option."""
        if self._stack is not None and channel in self._places:
            of_option: Float = self._stack[self._places[channel]]
            return of_option
        if channel in self._single:
            return self._single[channel]
        table = ratios(self.column, channel)
        if self.kept:
            self._single[channel] = table
        return table


class TableStore:
    """The tables of columns, by all that they depend on: the same column read for another attack has them already.

    So are columns that were made readable, and what was learned about the columns of small tables.
    """

    def __init__(self, channels: int = CHANNELS) -> None:
        """Keep the tables of so many channels of each column, where memory allows."""
        self.channels = channels
        self._tables: dict[bytes, ColumnTables] = {}
        self._learned: dict[bytes, Learned] = {}
        self._read: dict[str, list[tuple[Pair, Pair]]] = {}

    def read(self, pair: Pair, readable: Callable[[pl.Series, pl.Series], Pair]) -> Pair:
        """Return a column of both tables made readable, once for all cases that have the same column."""
        before = self._read.setdefault(pair[0].name, [])
        for values, result in before:
            if all(one.dtype == other.dtype and one.equals(other) for one, other in zip(values, pair, strict=True)):
                return result
        before.append((pair, readable(*pair)))
        return before[-1][1]

    def tables(self, columns: Sequence[LinkColumn]) -> list[ColumnTables]:
        """Return the tables of columns. They are kept for the next time, and those of other columns while they fit."""
        keys, room = [_key(column) for column in columns], REMEMBERED
        used: dict[bytes, ColumnTables] = {}
        for key, column in zip(keys, columns, strict=True):
            if key not in used:
                size = self._size(column)
                kept = self._tables.pop(key) if key in self._tables else None
                used[key] = kept or ColumnTables(column, size <= room)
                room -= size if used[key].kept else 0
        for key, tables in reversed(self._tables.items()):
            size = self._size(tables.column)
            if size <= room:
                used[key] = tables
                room -= size
        # The last ones were used last.
        self._tables = {key: tables for key, tables in reversed(used.items()) if tables.kept}
        return [used[key] for key in keys]

    def _size(self, column: LinkColumn) -> int:
        """Return how many entries the tables of a column have, about."""
        return self.channels * column.y.count * column.x.count

    def learned(self, columns: Sequence[LinkColumn], rows: Int, unknown: int, learn: Callable[[], Learned]) -> Learned:
        """Return what was learned about columns from some released rows; it is kept where the tables are small.

        Args:
            columns: The columns.
            rows: The released rows.
            unknown: People in the release who are not known.
            learn: Learns it if no attack has done so before.
        """
        if not columns[0].is_of_small_tables:
            return learn()
        digest = hashlib.blake2b(repr((unknown, len(rows))).encode() + rows.tobytes(), digest_size=16)
        for column in columns:
            digest.update(_key(column) + column.x.codes.tobytes() + column.y.codes.tobytes())
        key = digest.digest()
        if key not in self._learned:
            self._learned[key] = learn()
        return self._learned[key]


def _key(column: LinkColumn) -> bytes:
    """Return a digest of what the tables depend on: everything but the level of each row."""
    digest = hashlib.blake2b(repr((column.numeric, column.spread)).encode(), digest_size=16)
    levels = (getattr(side, field.name) for side in (column.x, column.y) for field in fields(CodedLevels))
    for part in (*levels, column.same, column.covers):
        if isinstance(part, np.ndarray) and part.dtype != np.int32:
            digest.update(repr(part.shape).encode() + np.ascontiguousarray(part).tobytes())
        elif not isinstance(part, np.ndarray):
            digest.update(repr(part).encode())
    return digest.digest()


def shared_store(case: Case) -> TableStore:
    """Return the tables that all attacks on a case share; of its own for one attack where many people are known."""
    return case.cached(KEY, TableStore) if case.choices <= SHARED else TableStore()


def related_case(case: Case, known: Dataset, released: Dataset) -> Case:
    """Return a case of other tables, such as some columns, that shares what was learned about equal columns."""
    return Case(known, released, {KEY: shared_store(case)} if case.choices <= SHARED else {})
