"""Loss of a record (`iloss`): how far a row moved, for measures, methods and attacks alike.

Numbers count by their difference in their own unit, categories by how many of them differ. The loss of a row is the
largest of these (or their sum). Differences are rounded to nine digits, so that 31.9 - 27.9 is 4 and a limit of 4
holds exactly where it should.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset, numbers
from icefire.core.schema import Column, Kind, Role
from icefire.kernels.types import Float, Int

Form = Literal["max", "sum"]

DIGITS = 9


@dataclass(frozen=True, slots=True)
class Parts:
    """What each pair of rows differs by: each number, and how many categories."""

    numbers: dict[str, Float]
    categories: Int

    def loss(self, form: Form = "max") -> Float:
        """Loss of every pair: the largest part, or the sum of all."""
        total = self.categories.astype(np.float64)
        for part in self.numbers.values():
            total = np.maximum(total, part) if form == "max" else total + part
        return total.round(DIGITS)


def columns(data: Dataset) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Numbers and categories among the quasi-identifiers and sensitive attributes: what counts by default."""
    used = [column for column in data.schema.columns if column.role in (Role.QI, Role.SA)]
    return _of_kind(used, Kind.NUMBER), _of_kind(used, Kind.CATEGORY)


def _of_kind(used: list[Column], kind: Kind) -> tuple[str, ...]:
    return tuple(column.name for column in used if column.kind is kind)


def parts(x: Dataset, y: Dataset, rows: Int, number_names: Sequence[str], category_names: Sequence[str]) -> Parts:
    """Compare row rows[j] of x with row j of y, for every j.

    Two missing values are equal; a missing number against a number differs by the range of the column in x.
    """
    x.check_numeric(number_names)
    y.check_numeric(number_names)
    moved = {name: difference(x.frame[name], y.frame[name], rows) for name in number_names}
    differing = np.zeros(len(rows), np.int64)
    for name in category_names:
        differing += x.frame[name].gather(rows).ne_missing(y.frame[name]).to_numpy()
    return Parts(moved, differing)


def difference(x: pl.Series, y: pl.Series, rows: Int) -> Float:
    """Return |x[rows[j]] - y[j]| of a column of numbers."""
    known, shown = numbers(x)[rows], numbers(y)
    change = np.abs(known - shown).round(DIGITS)
    gaps = np.isnan(change)
    if gaps.any():
        low, high = x.min(), x.max()
        spread = 0.0 if low is None or high is None else float(high) - float(low)  # type: ignore[arg-type]
        change[gaps] = np.where(np.isnan(known[gaps]) & np.isnan(shown[gaps]), 0.0, spread or 1.0)
    return change
