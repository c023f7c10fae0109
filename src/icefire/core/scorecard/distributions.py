"""Distributions of columns before and after, and how strongly columns go together, part of the scorecard."""

from __future__ import annotations

from typing import Literal

import msgspec


class DistributionBin(msgspec.Struct, frozen=True):
    """A value, a range of values, or all others: its share of the rows before and after."""

    label: str
    original: float
    released: float


class ColumnDistribution(msgspec.Struct, frozen=True):
    """The distribution of one column in both tables."""

    column: str
    kind: Literal["number", "category"]
    bins: list[DistributionBin]
    """Numbers from the lowest; categories from the most frequent, the others together at the end."""


class Association(msgspec.Struct, frozen=True):
    """How strongly two columns go together, in the original and in the release."""

    first: str
    second: str
    original: float
    """Cramér's V with its bias corrected, numbers in tenths: 0 for none, 1 where one column tells the other."""
    released: float
