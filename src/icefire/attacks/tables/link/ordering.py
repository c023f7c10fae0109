"""Both tables in an order that depends on their values alone, so that the order of the files does not matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from icefire.attacks.tables.link.channel_tables import SHARED, shared_store
from icefire.attacks.tables.link.columns import LinkColumn, blanks, encoded, readable
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.core.schema import Role
from icefire.kernels.types import Int

TABLES = 1 << 24
"""Entries of all tables for scoring: the fewer columns, the finer their levels."""
FINEST = 4096
LEARNED, CHANNELS = 1 << 26, 80
"""Entries of all tables while channels are learned, and channels of a column of numbers."""
COARSE = 128
"""CodedLevels per column while learning, at most."""


@dataclass(frozen=True)
class OrderedTables:
    """The columns that both tables have, rows in the order of their values."""

    x: pl.DataFrame
    y: pl.DataFrame
    x_order: Int
    y_order: Int
    _columns: dict[int, list[LinkColumn]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Columns encoded so far, by the most levels they may have."""

    def columns(self, most: int) -> list[LinkColumn]:
        """Encode the columns, each with at most `most` levels per table; those that say nothing are left out."""
        if most in self._columns:
            return list(self._columns[most])
        columns = encoded([(self.x[name], self.y[name], most) for name in sorted(self.x.columns)])
        if self.x.height <= SHARED:
            self._columns[most] = columns
        return list(columns)

    def with_columns(self, pairs: Mapping[str, tuple[pl.Series, pl.Series]]) -> OrderedTables:
        """Return the tables with other columns, made readable, under the names of columns they have."""
        read = {name: readable(x.alias(name), y.alias(name)) for name, (x, y) in pairs.items()}
        x, y = (
            table.with_columns(pair[side].alias(name) for name, pair in read.items())
            for side, table in enumerate((self.x, self.y))
        )
        return replace(self, x=x, y=y)

    def placed(self, guess: Guess) -> Guess:
        """Return answers about these tables as answers about the tables as they came."""
        rows, probability = np.empty_like(guess.rows), np.empty(len(guess.rows))
        rows[self.y_order] = np.append(self.x_order, NO_ANSWER)[guess.rows]
        assert guess.probability is not None
        probability[self.y_order] = guess.probability
        evidence = None if guess.evidence is None else guess.evidence.placed(self.y_order)
        return replace(guess, rows=rows, probability=probability, evidence=evidence)


def compared_names(case: Case) -> list[str]:
    """Name the columns that both tables have, identifiers excepted."""
    names = [column.name for column in case.known.schema.columns if column.role is not Role.ID]
    return [name for name in names if name in case.known.frame.columns and name in case.released.frame.columns]


def unreleased_columns(case: Case, tables: OrderedTables) -> pl.DataFrame:
    """Return the columns that only the original has, identifiers excepted, rows in the order of `tables`."""
    hidden = case.known.schema.named(Role.ID)
    names = [n for n in sorted(case.known.frame.columns) if n not in tables.x.columns and n not in hidden]
    return pl.DataFrame([case.known.frame[name].gather(tables.x_order) for name in names])


def ordered_tables(case: Case) -> OrderedTables:
    """Order the tables of a case, once for all attacks."""
    return case.cached("ordered tables", lambda: _ordered(case))


def readable_columns(case: Case) -> dict[str, tuple[pl.Series, pl.Series]]:
    """Read the columns that both tables have, identifiers excepted, once for all attacks."""
    tables, store = (case.known.frame, case.released.frame), shared_store(case)
    return case.cached(
        "readable columns",
        lambda: {
            name: store.read((tables[0][name], tables[1][name]), readable) for name in sorted(compared_names(case))
        },
    )


def columns_as_they_came(case: Case, most: int) -> list[LinkColumn]:
    """Encode the columns of both tables, rows in the order of the tables."""
    return encoded([(*pair, most) for pair in readable_columns(case).values()])


def finest(columns: int) -> int:
    """Return how many levels a column may have while pairs are scored by so many columns."""
    return min(FINEST, int((TABLES / columns) ** 0.5))


def levels_to_learn(columns: int) -> int:
    """Return how many levels a column may have while channels are learned.

    The tables of all channels of all columns are kept, so the more columns there are, the coarser they are.
    """
    return min(COARSE, int((LEARNED / (CHANNELS * max(columns, 1))) ** 0.5))


def _ordered(case: Case) -> OrderedTables:
    pairs = readable_columns(case).values()
    x, y = (pl.DataFrame(list(side)) for side in zip(*pairs, strict=True)) if pairs else (pl.DataFrame(),) * 2
    marks = blanks(x, y)
    x, y = x.with_columns(mark for mark, _ in marks), y.with_columns(mark for _, mark in marks)
    orders = [_order(table) if pairs else np.arange(0) for table in (x, y)]
    return OrderedTables(x[orders[0]], y[orders[1]], orders[0], orders[1])


def _order(table: pl.DataFrame) -> Int:
    order = table.select(pl.arg_sort_by(table.columns, nulls_last=True, maintain_order=True))
    return order.to_series().to_numpy().astype(np.int64)
