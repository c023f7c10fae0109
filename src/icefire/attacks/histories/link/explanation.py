"""What was learned about each column: how it was changed, and what it gives away."""

from __future__ import annotations

from typing import Any

from icefire.attacks.histories.link.structure import Structure
from icefire.core.history import HistoryCase

REPEATED = "repeated purchases"


def explain(case: HistoryCase, best: Structure) -> dict[str, dict[str, Any]]:
    """Return for every column that says something its change in words and the bits it gives away on average.

    Args:
        case: What the attacker holds.
        best: The structure and what was learned by it.
    """
    prepared, learned = best.prepared, best.learned
    changes = dict(prepared.changes)
    if prepared.units.words:
        changes[case.known.fields.subject] = f"a new name for every {prepared.units.words}"
    columns: dict[str, dict[str, Any]] = {}
    survival = learned.rates.survival
    for place, name in enumerate(learned.layers.names):
        column = name.partition(": ")[0]
        entry = columns.setdefault(
            column, {"change": changes.get(column, "compared as it is"), "bits": 0.0, "kept": 1.0}
        )
        entry["bits"] = round(entry["bits"] + float(learned.bits[place]), 3)
        entry["kept"] = round(min(entry["kept"], float(survival[place])), 3)
    for column, change in changes.items():
        columns.setdefault(column, {"change": change, "bits": 0.0, "kept": 0.0})
    goods = columns[case.known.fields.item]
    layer = dict(zip(learned.layers.names, learned.rates.added, strict=True))
    goods["added"] = round(float(layer.get(case.known.fields.item, learned.rates.added[0])), 3)
    return columns
