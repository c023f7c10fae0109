"""The attacks on origin: their ranking, what they identified, the settings they ran with."""

from __future__ import annotations

from typing import Any

from icefire.audit.selection import reading_order
from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.attacks import AttackResult


def ranked(card: Scorecard) -> list[tuple[str, AttackResult]]:
    """Order the attacks: those that use everything first, then the one that identified most people."""
    return sorted(card.attacks.items(), key=lambda item: (reading_order(item[0]), -item[1].rate))


def unit(card: Scorecard, many: bool = True) -> str:
    """Name what an attack identifies: rows of a table, customers of a history."""
    word = "row" if card.history is None else "customer"
    return word + "s" if many else word


def settings(card: Scorecard) -> dict[str, dict[str, Any]]:
    """Collect the parameters of every attack and measure that takes some."""
    every = {name: result.parameters for name, result in card.attacks.items()}
    every |= {name: result.parameters for name, result in card.measures.items()}
    return {name: parameters for name, parameters in every.items() if parameters}
