"""Check limits and write the verdict."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from icefire.audit.limits import AYA, DANGER, REID, Gate
from icefire.core import formatting
from icefire.core.scorecard import AttackResult, Limit, Scorecard, Verdict


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
        results = card.membership.attacks.values() if card.membership else ()
        return max((result.score.danger_final for result in results), default=None)
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
