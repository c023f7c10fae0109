"""What a release has lost, part of the scorecard."""

from __future__ import annotations

import msgspec

from icefire.core.scorecard.distances import DistributionDistances
from icefire.core.scorecard.distributions import Association, ColumnDistribution
from icefire.core.scorecard.weighted_usefulness import WeightedUsefulness


class ColumnChange(msgspec.Struct, frozen=True):
    """How one column of the original was changed, row by row against the claimed origin."""

    column: str
    role: str
    changed: int
    """Released rows with another value than their origin."""
    share: float
    unmarked: int
    """Those of them whose new value looks like an ordinary one: no label, no blank."""
    loss: float
    """Mean change as a share of the column's range, 0 to 1 for text: U5 of this column alone."""
    single: bool = False
    """The release holds one value where the original has several, or the column is missing."""


class Usefulness(msgspec.Struct, frozen=True):
    """What was lost."""

    text: str
    """In words."""
    rows_left_out: float = 0.0
    """Share of the original rows without a released one."""
    columns_lost: float = 0.0
    """Share of the columns that hold a single value."""
    cells_changed: float = 0.0
    """Share of the released cells that differ from their origin."""
    columns: list[ColumnChange] = []
    """Tables: the columns, in the order of the original."""
    distances: DistributionDistances | None = None
    """Tables: how far the distributions of the columns moved."""
    distributions: list[ColumnDistribution] = []
    """Distributions before and after."""
    associations: list[Association] = []
    """Tables: how strongly columns go together, before and after; columns of many values are left out."""
    weighted: WeightedUsefulness | None = None
    """Tables with a column of weights: what was lost in people of the population."""
