"""Columns of the original and the released table side by side, as codes and as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from icefire.attacks.tables.link.columns import comparable
from icefire.core.blocks import EncodedColumn, dense_ranks, pack_keys
from icefire.core.dataset import Dataset, numbers
from icefire.core.errors import InputError, listing
from icefire.core.schema import Role
from icefire.kernels.types import Float, Int

MISSING = -1


@dataclass(frozen=True)
class ColumnPair:
    """One column of both tables."""

    name: str
    is_qi: bool
    x: Int
    """Code of each original value: equal values have equal codes, larger values larger ones; -1 is missing."""
    y: Int
    x_numbers: Float | None
    """The values where both tables hold numbers."""
    y_numbers: Float | None

    @property
    def numeric(self) -> bool:
        """Whether both tables hold numbers."""
        return self.x_numbers is not None

    @cached_property
    def size(self) -> int:
        """Number of codes."""
        return int(max(self.x.max(initial=-1), self.y.max(initial=-1))) + 1

    @cached_property
    def x_counts(self) -> Int:
        """How often each code occurs in the original."""
        return np.bincount(self.x[self.x >= 0], minlength=self.size)

    @cached_property
    def y_counts(self) -> Int:
        """How often each code occurs in the release."""
        return np.bincount(self.y[self.y >= 0], minlength=self.size)


@dataclass(frozen=True)
class TablePair:
    """Both tables over the columns they share, identifiers left out."""

    columns: Sequence[ColumnPair]
    originals: int
    released: int
    left_out: tuple[str, ...]
    """Columns of the original that the release does not have, or that are empty there."""

    @cached_property
    def qi(self) -> list[ColumnPair]:
        """The quasi-identifiers."""
        return [column for column in self.columns if column.is_qi]

    @cached_property
    def keys(self) -> tuple[Int, Int]:
        """The combination of quasi-identifiers of each row of both tables, as one number."""
        return self.combined(self.qi)

    def combined(self, columns: Sequence[ColumnPair]) -> tuple[Int, Int]:
        """Number the combinations of values in these columns, over both tables."""
        encoded = [EncodedColumn(np.concatenate([c.x, c.y]), MISSING, c.size + 1) for c in columns]
        keys, _ = pack_keys(encoded, self.originals + self.released)
        labels = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return labels[: self.originals], labels[self.originals :]


def pair_tables(original: Dataset, released: pl.DataFrame, name: str = "released") -> TablePair:
    """Bring both tables to the same columns and codes.

    Raises:
        InputError: If a table has fewer than two rows, or if no column is in both.
    """
    for label, frame in ((original.name, original.frame), (name, released)):
        if frame.height < 2:
            raise InputError(
                f"{label!r} has {'one row' if frame.height else 'no rows'}; which methods made a release shows only "
                "in two rows or more: check the file and its header"
            )
    wanted = [c for c in original.schema.columns if c.role is not Role.ID and c.name in original.frame.columns]
    wanted = [c for c in wanted if original.frame[c.name].null_count() < original.height]
    shared = [c for c in wanted if c.name in released.columns and released[c.name].null_count() < released.height]
    if not shared:
        raise InputError(
            f"{original.name!r} and {name!r} share no column with values ({listing(released.columns[:5])} in the "
            "release): rename columns so that the same column has the same name in both"
        )
    columns = [_paired(original.frame[c.name], released[c.name], c.role is Role.QI) for c in shared]
    # A column that held one value before tells nothing, and would hide what the others tell.
    columns = [column for column in columns if (column.x_counts > 0).sum() > 1] or columns
    kept = {c.name for c in shared}
    left_out = tuple(c.name for c in wanted if c.name not in kept)
    return TablePair(columns, original.height, released.height, left_out)


def _paired(x: pl.Series, y: pl.Series, is_qi: bool) -> ColumnPair:
    x, y = comparable(x, y)
    if not x.dtype.is_numeric():
        codes = dense_ranks(pl.concat([x.cast(pl.String), y.cast(pl.String)])).cast(pl.Int64).fill_null(MISSING)
        joint = codes.to_numpy()
        return ColumnPair(x.name, is_qi, joint[: len(x)], joint[len(x) :], None, None)
    a, b = numbers(x), numbers(y)
    both = np.concatenate([a, b])
    values = np.unique(both[~np.isnan(both)])
    joint = np.where(np.isnan(both), MISSING, np.searchsorted(values, both))
    return ColumnPair(x.name, is_qi, joint[: len(a)], joint[len(a) :], a, b)
