"""Pick columns by name, role and kind; convert them to codes or numbers and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, listing
from icefire.core.parameters import Columns
from icefire.core.registry import EarlyCheck
from icefire.core.schema import Kind, Role
from icefire.kernels.types import Float, Int

LARGEST_WHOLE = float(2**63 - 1024)
"""The largest float that still fits a 64-bit integer."""
NUMBERS_BY_ROLE = "the numeric sensitive attributes, or else the numeric quasi-identifiers"
CATEGORIES_BY_ROLE = "the quasi-identifiers that are categories, or to all of them if none is"
"""What `numeric` and `categories` pick where no column is asked for, in words."""


def picked(data: Dataset, owner: str, asked: Columns, default: Sequence[str]) -> tuple[str, ...]:
    """Return the columns asked for, each once, or the default; without either, say what to do."""
    names = tuple(dict.fromkeys(data.schema.pick(asked, default, f"{owner}: columns")))
    if asked is None and not names:
        raise ParameterError(f"{owner}: no column to work on; name some in columns, from: {listing(data.schema.names)}")
    return names


def numeric(data: Dataset, owner: str, asked: Columns) -> tuple[str, ...]:
    """Pick columns of numbers: as asked, else the sensitive ones, else the quasi-identifiers."""
    names = picked(data, owner, asked, data.numeric_sa or data.schema.named(Role.QI, Kind.NUMBER))
    for name in names:
        if not data.frame[name].dtype.is_numeric():
            fit = listing(n for n in data.schema.names if data.frame[n].dtype.is_numeric()) or "none here"
            raise ParameterError(f"{owner}: column {name!r} holds no numbers; name columns that do: {fit}")
    return names


def numeric_check(owner: str) -> EarlyCheck:
    """Return a check, for the decorator of a method, that its columns hold numbers: no method makes numbers of text."""

    def check(data: Dataset, parameters: Mapping[str, Any], known: Collection[str] | None) -> None:
        if known is not None:
            numeric(data, owner, parameters["columns"])

    return check


def categories(data: Dataset, owner: str, asked: Columns) -> tuple[str, ...]:
    """Pick columns of categories: as asked, else the quasi-identifiers that are, else all quasi-identifiers."""
    return picked(data, owner, asked, data.schema.named(Role.QI, Kind.CATEGORY) or data.qi)


def restored(column: pl.Series, values: Float) -> pl.Series:
    """Write floats back over a column: whole numbers stay whole, NaN is missing."""
    if not column.dtype.is_integer():
        return pl.Series(column.name, values).fill_nan(None)
    whole = np.clip(np.rint(values), -LARGEST_WHOLE, LARGEST_WHOLE)
    return pl.Series(column.name, whole).fill_nan(None).cast(pl.Int64)


@dataclass(frozen=True, slots=True)
class Coded:
    """A column as numbers of its distinct values, which are in ascending order; missing is -1."""

    codes: Int
    values: pl.Series

    @property
    def size(self) -> int:
        """How many distinct values there are."""
        return len(self.values)

    @property
    def counts(self) -> Int:
        """How often each value occurs."""
        return np.bincount(self.codes[self.codes >= 0], minlength=self.size)

    def column(self, codes: Int) -> pl.Series:
        """Write other codes as a column of the same values."""
        nothing = pl.Series(self.values.name, [None], dtype=self.values.dtype)
        return pl.concat([self.values, nothing])[np.where(codes < 0, self.size, codes)]


def coded(column: pl.Series) -> Coded:
    """Number the distinct values of a column in ascending order."""
    codes = blocks.dense_ranks(column).cast(pl.Int64).fill_null(-1).to_numpy()
    return Coded(codes, column.drop_nulls().unique().sort())
