"""Risk models: what class sizes, few columns and column names make one expect. See docs/risk.md."""

from __future__ import annotations

from icefire.core.scorecard.class_risk import ClassRisk
from icefire.core.scorecard.risks import (
    Classes,
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
from icefire.risk.key_combinations import key_combinations, parse_keys
from icefire.risk.survey import weights_of

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
    "key_combinations",
    "parse_keys",
    "weights_of",
]
