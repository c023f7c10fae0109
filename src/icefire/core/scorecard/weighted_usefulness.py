"""What a weighted sample has lost, counted in people of the population; part of the scorecard."""

from __future__ import annotations

import msgspec

from icefire.core.scorecard.distances import ColumnDistance


class WeightedChange(msgspec.Struct, frozen=True):
    """A measure by weights beside the same measure by rows."""

    weighted: float
    by_rows: float


class WeightedUsefulness(msgspec.Struct, frozen=True):
    """Measures in which every row counts as often as its weight says."""

    column: str
    """The column of weights."""
    mean_error: WeightedChange | None = None
    """U1: mean change of the weighted averages of the sensitive numbers; None without such."""
    cross_count: WeightedChange | None = None
    """U3: mean change of a cell of the cross table of quasi-identifiers, in people; None without such."""
    columns: list[ColumnDistance] = []
    """Distances of the weighted distributions of the columns, without the weights themselves."""
