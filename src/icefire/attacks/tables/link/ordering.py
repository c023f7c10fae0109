"""Both tables in an order that depends on their values alone, so that the order of the files does not matter."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from icefire.attacks.tables.link.columns import LinkColumn, blanks, readable, shared_columns
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

    def columns(self, most: int) -> list[LinkColumn]:
        """Encode the columns, each with at most `most` levels per table; those that say nothing are left out."""
        return shared_columns(self.x, self.y, self.x.columns, most)

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
    return case.cached("ordered tables", lambda: _ordered(case, sorted(compared_names(case))))


def finest(columns: int) -> int:
    """Return how many levels a column may have while pairs are scored by so many columns."""
    return min(FINEST, int((TABLES / columns) ** 0.5))


def levels_to_learn(columns: int) -> int:
    """Return how many levels a column may have while channels are learned.

    The tables of all channels of all columns are kept, so the more columns there are, the coarser they are.
    """
    return min(COARSE, int((LEARNED / (CHANNELS * max(columns, 1))) ** 0.5))


def _ordered(case: Case, names: list[str]) -> OrderedTables:
    pairs = [readable(case.known.frame[name], case.released.frame[name]) for name in names]
    x, y = (pl.DataFrame(list(side)) for side in zip(*pairs, strict=True)) if pairs else (pl.DataFrame(),) * 2
    marks = blanks(x, y)
    x, y = x.with_columns(mark for mark, _ in marks), y.with_columns(mark for _, mark in marks)
    orders = [_order(table) if names else np.arange(0) for table in (x, y)]
    return OrderedTables(x[orders[0]], y[orders[1]], orders[0], orders[1])


def _order(table: pl.DataFrame) -> Int:
    order = table.select(pl.arg_sort_by(table.columns, nulls_last=True, maintain_order=True))
    return order.to_series().to_numpy().astype(np.int64)
