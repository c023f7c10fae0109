"""Chances of released rows to be found, summed up; part of the scorecard."""

from __future__ import annotations

import msgspec


class ClassRisk(msgspec.Struct, frozen=True):
    """Chances of being found, over the released rows: of a draw at random in a class 1 / size."""

    highest: float
    mean: float
    rows_above: int
    """Rows whose chance is above the threshold."""
