"""Check limits and write the verdict."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import msgspec

from icefire.audit.limits import AYA, DANGER, REID, Gate
from icefire.core import formatting
from icefire.core.scorecard import AttackResult, Limit, Reason, Scorecard, Verdict


def judged(card: Scorecard, gates: Sequence[Gate], obstacles: Sequence[Reason] = (), policy: str = "") -> Scorecard:
    """Return the scorecard with its limits checked and the verdict written.

    Args:
        card: The scorecard of an audit.
        gates: The limits.
        obstacles: What stands in the way whatever the limits say.
        policy: Name of the policy that the limits come from.

    Returns:
        The scorecard; it passes only if every limit holds and there is no obstacle.
    """
    limits = [_checked(card, gate) for gate in gates]
    reasons = [_broken_limit(card, limit) for limit in limits if not limit.passed] + list(obstacles)
    return msgspec.structs.replace(card, limits=limits, verdict=_verdict(card, limits, reasons, policy))


def _checked(card: Scorecard, gate: Gate) -> Limit:
    value = _value(card, gate.name)
    if value is not None and not math.isfinite(value):
        value = None
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


def _verdict(card: Scorecard, limits: list[Limit], reasons: list[Reason], policy: str) -> Verdict:
    worst = worst_attack(card)
    attacked = "No attack ran." if worst is None else f"{_people(card.attacks[worst])} {_compared(card.attacks[worst])}"
    lost = card.usefulness.text if card.usefulness else ""
    passed = bool(limits) and not reasons
    return Verdict(
        passed=passed,
        headline=_headline(passed, reasons),
        text=" ".join(part for part in (attacked, lost, *(reason.text for reason in reasons)) if part),
        worst_attack=worst,
        state="passed" if passed else "not_passed",
        reasons=reasons,
        lost=lost,
        policy=policy,
    )


_HEADLINES = {
    "limit": "Over a limit: do not release",
    "identifier": "Identifiers in the release: do not release",
    "not_assessed": "Not everything was assessed: do not release",
    "verbatim": "Rows are published verbatim: do not release",
    "correspondence": "The correspondence cannot be right: the rates mean nothing",
}


def _headline(passed: bool, reasons: list[Reason]) -> str:
    if passed:
        return "Within the limits"
    codes = {reason.code for reason in reasons}
    first = next((code for code in ("correspondence", "identifier", "verbatim", "limit") if code in codes), None)
    return _HEADLINES[first or "not_assessed"]


def _people(attack: AttackResult) -> str:
    if attack.hits == 0:
        return f"Nobody of {attack.targets:,} people is identified, not even by an attacker who knows {attack.knows}."
    verb = "is" if attack.hits == 1 else "are"
    return (
        f"{attack.hits:,} of {attack.targets:,} people {verb} identified ({formatting.percent(attack.rate)}) "
        f"by an attacker who knows {attack.knows}."
    )


def _compared(attack: AttackResult) -> str:
    chance = attack.baseline * attack.targets
    expected = f"{chance:,.0f}" if chance >= 10 else f"{chance:.1f}"
    return f"Guessing at random would identify about {expected}."


_SAID = {
    REID: "The best attack's rate",
    AYA: "The rate by AYA",
    DANGER: "The danger of the best membership attack",
}


def _broken_limit(card: Scorecard, limit: Limit) -> Reason:
    evidence = {"name": limit.name, "value": limit.value, "limit": limit.limit, "kind": limit.kind}
    return Reason("limit", _broken(card, limit), evidence)


def _broken(card: Scorecard, limit: Limit) -> str:
    if limit.value is None:
        return f"{_SAID.get(limit.name, limit.name)} has a limit, but no value: it was not computed or is undefined."
    value, bound = formatting.beside(limit.value, limit.limit, is_share(card, limit.name))
    what = _SAID.get(limit.name, limit.name)
    return f"{what} is {value}; the limit is {'at most' if limit.kind == 'max' else 'at least'} {bound}."


def is_share(card: Scorecard, name: str) -> bool:
    """Tell whether a limit is on a rate: of the best attack, of AYA, or of one attack."""
    return name in (REID, AYA) or name in card.attacks


def joint_attack_missing(name: str, ran: Collection[str], left_out: Mapping[str, str]) -> list[Reason]:
    """Refuse to pass a release that the joint attack was not tried on.

    Args:
        name: The joint attack of this kind of data; empty where there is none.
        ran: The attacks that ran.
        left_out: Attacks that could not run, with the reason.
    """
    if not name or name in ran:
        return []
    why = f"it {left_out[name]}" if name in left_out else "it is not among the attacks chosen; add it to them"
    return [Reason("not_assessed", f"The attack {name} did not run: {why}.", {"attack": name})]
