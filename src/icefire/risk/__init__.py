"""Risk models: what class sizes, few columns and column names alone would make one expect. See docs/risk.md."""

from __future__ import annotations

from icefire.risk.assessing import Options, assess
from icefire.risk.results import (
    Classes,
    ClassRisk,
    Identifier,
    Population,
    Reached,
    Risks,
    SafeHarbour,
    SpecialColumn,
    SpecialRow,
    SpecialUniques,
)

__all__ = [
    "ClassRisk",
    "Classes",
    "Identifier",
    "Options",
    "Population",
    "Reached",
    "Risks",
    "SafeHarbour",
    "SpecialColumn",
    "SpecialRow",
    "SpecialUniques",
    "assess",
]
