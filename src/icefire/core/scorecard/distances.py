"""How far the distributions of a release are from those of the original, part of the scorecard."""

from __future__ import annotations

from typing import Literal

import msgspec


class ColumnDistance(msgspec.Struct, frozen=True):
    """How far the distribution of one column moved; no row is compared with another."""

    column: str
    role: str
    kind: Literal["total_variation", "wasserstein", "lost"]
    """total_variation: share of the rows that would have to take another value. wasserstein: how far the rows would
    have to move on average, as a share of the column's range. lost: the release does not have the column."""
    distance: float
    labelled: int = 0
    """Released cells with a label for several values, which counts as each of them in equal parts."""


class DistributionDistances(msgspec.Struct, frozen=True):
    """The distances of the columns one by one and of two columns together."""

    columns: list[ColumnDistance]
    """In the order of the original."""
    mean: float
    largest: float
    worst: str
    """The column with the largest distance, the first of several."""
    pair_mean: float | None = None
    """Total variation of the joint table of two columns, numbers in tenths; None with fewer than two columns."""
    pair_largest: float | None = None
    worst_pair: list[str] = []
    pairs: int = 0
    """Pairs compared."""
    all_pairs: int = 0
    """Pairs there are; where these are more, a random draw of them was compared."""
