"""Limits: the largest or smallest value that a measure, an attack or a summary may have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from icefire.core import registry
from icefire.core.errors import ParameterError, UnknownNameError, did_you_mean

REID = "reid"
AYA = "aya"
DANGER = "danger"
"""The worst danger over all membership attacks, by the formula of the contest's final."""
MEMBERSHIP_TPR = "membership_tpr"
"""Members recognised by the best membership attack where 1 % of the outsiders are taken for members."""
MEMBERSHIP = (DANGER, MEMBERSHIP_TPR)
ATTRIBUTE_ADVANTAGE = "attribute_advantage"
"""What the best attack learns about a sensitive column beyond the best guess, or beyond people outside; the worst."""
ATTRIBUTE_CERTAIN = "attribute_certain"
"""Share of the people whose value of a sensitive column is certain, for the worst column."""
ATTRIBUTE = (ATTRIBUTE_ADVANTAGE, ATTRIBUTE_CERTAIN)
SINGLING_OUT = "singling_out"
"""Share of the people whom a few released values single out."""
LINKABILITY = "linkability"
"""Share of the people two halves of whose record the release shows, beyond the control, to belong together."""
CRITERIA = (SINGLING_OUT, LINKABILITY)
LINKING_RECALL = "linking_recall"
"""Share of the people in two neighbouring periods whose pseudonyms the best attack links."""
SPECIAL = (REID, AYA, *MEMBERSHIP, *ATTRIBUTE, *CRITERIA, LINKING_RECALL)


@dataclass(frozen=True, slots=True)
class Gate:
    """A limit: the named value must not lie above (max) or below (min) it."""

    name: str
    limit: float
    kind: Literal["max", "min"] = "max"

    def __post_init__(self) -> None:
        if not math.isfinite(self.limit):
            raise ParameterError(f"the limit on {self.name!r} is {self.limit}; it must be a finite number")


def parse(text: str, kind: Literal["max", "min"]) -> Gate:
    """Read NAME=VALUE; the name is a measure, an attack or a summary such as `reid` or `attribute_certain`."""
    name, sign, value = text.partition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = float("nan")
    if not sign or not math.isfinite(limit):
        raise ParameterError(f"--{kind} got {text!r}; it takes NAME=NUMBER, for example --{kind} k_min=5")
    return Gate(canonical(name), limit, kind)


def canonical(name: str) -> str:
    """Return the plain name for a measure or attack given by name or code; a summary may also be called max_NAME."""
    name = name.strip()
    if name.removeprefix("max_") in SPECIAL:
        return name.removeprefix("max_")
    for sort in ("measure", "attack"):
        try:
            return registry.get(sort, name).name
        except UnknownNameError:
            continue
    known = [*SPECIAL, *(e.name for sort in ("measure", "attack") for e in registry.entries(sort))]
    raise UnknownNameError(f"no measure or attack is called {name!r}; {did_you_mean(name, known)}")


def gates(max_reid: float | None, limits: Mapping[str, float] | Sequence[Gate]) -> list[Gate]:
    """Return all limits as gates: the one on re-identification first."""
    if max_reid is not None and not 0 <= max_reid <= 1:
        raise ParameterError(f"--max-reid is {max_reid:g}; it is a share between 0 and 1, for example 0.05")
    first = [] if max_reid is None else [Gate(REID, max_reid)]
    if isinstance(limits, Mapping):
        return first + [Gate(canonical(name), value) for name, value in limits.items()]
    return first + list(limits)


def limits_identification(gates: Sequence[Gate]) -> bool:
    """Tell whether one of the limits is on the share of people that any attack identifies."""
    return any(gate.name in (REID, AYA) and gate.kind == "max" for gate in gates)


def parameters_by_name(parameters: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Mapping[str, Any]]:
    """Key parameters by the plain name of what they are for."""
    return {canonical(name): given for name, given in (parameters or {}).items()}
