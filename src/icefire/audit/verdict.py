"""Check limits and write the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from icefire.core import formatting, registry
from icefire.core.errors import ParameterError, UnknownNameError, did_you_mean
from icefire.core.scorecard import AttackResult, Limit, Scorecard, Verdict

REID = "reid"
AYA = "aya"
DANGER = "danger"
"""The worst danger over all membership attacks, by the formula of the contest's final."""
SPECIAL = (REID, AYA, DANGER)


@dataclass(frozen=True, slots=True)
class Gate:
    """A limit: the named value must not lie above (max) or below (min) it."""

    name: str
    limit: float
    kind: Literal["max", "min"] = "max"


def parse(text: str, kind: Literal["max", "min"]) -> Gate:
    """Read NAME=VALUE; the name is a measure, an attack, `reid` (the best attack) or `aya`."""
    name, sign, value = text.partition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = float("nan")
    if not sign or limit != limit:
        raise ParameterError(f"--{kind} got {text!r}; it takes NAME=NUMBER, for example --{kind} k_min=5")
    return Gate(canonical(name), limit, kind)


def canonical(name: str) -> str:
    """Return the plain name for a measure or attack given by name or code."""
    name = name.strip()
    if name in SPECIAL:
        return name
    for sort in ("measure", "attack"):
        try:
            return registry.get(sort, name).name
        except UnknownNameError:
            continue
    known = [*SPECIAL, *(e.name for sort in ("measure", "attack") for e in registry.entries(sort))]
    raise UnknownNameError(f"no measure or attack is called {name!r}; {did_you_mean(name, known)}")


def judged(card: Scorecard, gates: Sequence[Gate]) -> Scorecard:
    """Return the scorecard with its limits checked and the verdict written."""
    limits = [_checked(card, gate) for gate in gates]
    return msgspec.structs.replace(card, limits=limits, verdict=_verdict(card, limits))


def _checked(card: Scorecard, gate: Gate) -> Limit:
    value = _value(card, gate.name)
    passed = value is not None and (value <= gate.limit if gate.kind == "max" else value >= gate.limit)
    return Limit(gate.name, gate.kind, gate.limit, value, passed)


def _value(card: Scorecard, name: str) -> float | None:
    if name == REID:
        worst = worst_attack(card)
        return card.attacks[worst].rate if worst else None
    if name == AYA:
        return card.aya.rate if card.aya else None
    if name == DANGER:
        found = card.membership.attacks.values() if card.membership else ()
        return max((result.score.danger_final for result in found), default=None)
    if name in card.attacks:
        return card.attacks[name].rate
    return card.measures[name].value if name in card.measures else None


def worst_attack(card: Scorecard) -> str | None:
    """Name the attack that identified most people; the first of several."""
    return max(card.attacks, key=lambda name: card.attacks[name].rate, default=None)


def _verdict(card: Scorecard, limits: list[Limit]) -> Verdict:
    worst = worst_attack(card)
    if worst is None:
        return Verdict(None, "Not attacked", "No attack could run on these columns.")
    passed = all(limit.passed for limit in limits) if limits else None
    text = " ".join([_people(card.attacks[worst]), _compared(card.attacks[worst]), _limits(card, limits)])
    headline = {True: "Within the limits", False: "Over a limit: do not release", None: "No limit was set"}[passed]
    return Verdict(passed, headline, text.strip(), worst)


def _people(attack: AttackResult) -> str:
    if attack.hits == 0:
        return f"Nobody of {attack.targets:,} people is identified, not even by an attacker who knows {attack.knows}."
    verb = "person is" if attack.hits == 1 else "people are"
    return (
        f"{attack.hits:,} of {attack.targets:,} {verb} identified ({formatting.percent(attack.rate)}) "
        f"by an attacker who knows {attack.knows}."
    )


def _compared(attack: AttackResult) -> str:
    chance = attack.baseline * attack.targets
    expected = f"{chance:,.0f}" if chance >= 10 else f"{chance:.1f}"
    return f"Guessing at random would identify about {expected}."


def _limits(card: Scorecard, limits: list[Limit]) -> str:
    return " ".join(_broken(card, limit) for limit in limits if not limit.passed)


_SAID = {
    REID: "The best attack's rate",
    AYA: "The rate by AYA",
    DANGER: "The danger of the best membership attack",
}


def _broken(card: Scorecard, limit: Limit) -> str:
    value, bound = formatting.beside(limit.value, limit.limit, is_share(card, limit.name))
    what = _SAID.get(limit.name, limit.name)
    return f"{what} is {value}; the limit is {'at most' if limit.kind == 'max' else 'at least'} {bound}."


def is_share(card: Scorecard, name: str) -> bool:
    """Tell whether a limit is on a rate: of the best attack, of AYA, or of one attack."""
    return name in (REID, AYA) or name in card.attacks


def gates(max_reid: float | None, limits: Mapping[str, float] | Sequence[Gate]) -> list[Gate]:
    """Return all limits as gates: the one on re-identification first."""
    if max_reid is not None and not 0 <= max_reid <= 1:
        raise ParameterError(f"max_reid is {max_reid}; it is a share between 0 and 1, for example 0.05")
    first = [] if max_reid is None else [Gate(REID, max_reid)]
    if isinstance(limits, Mapping):
        return first + [Gate(canonical(name), value) for name, value in limits.items()]
    return first + list(limits)


def parameters_by_name(parameters: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Mapping[str, Any]]:
    """Key parameters by the plain name of what they are for."""
    return {canonical(name): given for name, given in (parameters or {}).items()}
