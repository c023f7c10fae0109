"""Risk models: what class sizes, few columns and column names make one expect. See docs/risk.md."""

from __future__ import annotations

from icefire.core.scorecard.risks import (
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
from icefire.risk.assessment import Options, assess

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
