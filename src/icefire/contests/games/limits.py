"""Compare measures with the contest's own limits and the organiser's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from icefire.audit.limits import Gate
from icefire.contests.common.game import AYA, SECURITY
from icefire.contests.games import result_names
from icefire.core import formatting, registry
from icefire.core.scorecard import MeasureResult


def gates(own: Sequence[Gate], organisers: Mapping[str, float]) -> tuple[Gate, ...]:
    """Return all limits by key; the organiser's replaces the contest's on the same measure.

    A limit is the largest value allowed or, for a measure that is better when higher, the smallest.
    """
    gates_by_key = {}
    for gate in own:
        name = result_names.key(registry.get("measure", gate.name))
        gates_by_key[name] = Gate(name, gate.limit, gate.kind)
    for given_name, limit in organisers.items():
        entry = registry.get("measure", given_name)
        name = result_names.key(entry)
        gates_by_key[name] = Gate(name, limit, "max" if entry.better == "lower" else "min")
    return tuple(gates_by_key.values())


def of_measures(organisers: Mapping[str, float]) -> dict[str, float]:
    """Return the limits that are on measures; those on security and AYA are the arena's."""
    return {name: limit for name, limit in organisers.items() if name not in (SECURITY, AYA)}


def broken(measured: Mapping[str, MeasureResult], bounds: Sequence[Gate], needed: Sequence[str]) -> list[str]:
    """Say which limits a release breaks; what is limited or needed for the ranking must have a value at all."""
    names = dict.fromkeys([*needed, *(gate.name for gate in bounds)])
    without = [name for name in names if not finite(measured[name].value)]
    return [
        *(_absent(name, measured[name].note) for name in without),
        *(_sentence(gate) for gate in bounds if _over(gate, measured[gate.name].value)),
    ]


def finite(value: float | None) -> bool:
    """Tell whether there is a number to compare."""
    return value is not None and math.isfinite(value)


def _over(gate: Gate, value: float | None) -> bool:
    if value is None or not math.isfinite(value):
        return False
    return value > gate.limit if gate.kind == "max" else value < gate.limit


def _absent(name: str, note: str) -> str:
    return f"{name} has no value on this release ({note or 'the numbers are too large'}), and a release must have one"


def _sentence(gate: Gate) -> str:
    """Say that a limit is broken; the value is told where scores are, rounded as they are."""
    bound = formatting.number(gate.limit)
    if gate.kind == "max":
        return f"{gate.name} is above {bound}, the largest value that is allowed"
    return f"{gate.name} is below {bound}, the smallest value that is allowed"
