"""The attacks on origin: their ranking, what they identified, the settings they ran with."""

from __future__ import annotations

from typing import Any

from icefire.audit.selection import reading_order
from icefire.core import registry
from icefire.core.errors import IcefireError
from icefire.core.registry import Sort
from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.types import DataKind
from icefire.words import said


def ranked(card: Scorecard) -> list[tuple[str, AttackResult]]:
    """Order the attacks: those that use everything first, then the one that identified most people."""
    return sorted(card.attacks.items(), key=lambda item: (reading_order(item[0]), -item[1].rate))


def unit(card: Scorecard, many: bool = True) -> str:
    """Name what an attack identifies: rows of a table, customers of a history."""
    word = "row" if card.history is None else "customer"
    return said(word + "s" if many else word)


def settings(card: Scorecard) -> dict[str, dict[str, Any]]:
    """Collect the parameters of attacks and measures that differ from the defaults."""
    data: DataKind = "table" if card.history is None else "history"
    every = {name: _not_default("attack", name, result.parameters, data) for name, result in card.attacks.items()}
    every |= {name: _not_default("measure", name, result.parameters, data) for name, result in card.measures.items()}
    return {name: parameters for name, parameters in every.items() if parameters}


def _not_default(sort: Sort, name: str, given: dict[str, Any], data: DataKind) -> dict[str, Any]:
    try:
        declared = registry.get(sort, name, data).parameters
    except IcefireError:
        return given
    usual = {parameter.name: _as_json(parameter.default) for parameter in declared.values()}
    return {key: value for key, value in given.items() if key not in usual or value != usual[key]}


def _as_json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
