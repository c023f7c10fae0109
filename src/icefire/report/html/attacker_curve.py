"""The curve of attackers: how many people each finds, from the one who knows least to the one who knows most."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from icefire.core.formatting import percent
from icefire.core.scorecard.attackers import AttackerResult
from icefire.report.html.curves import curves, labels
from icefire.report.sentences.attackers import AT_FPR, best_recognition
from icefire.words import t

LEAST = 3
"""Fewer attackers are no curve."""
MOST_NAMED = 6
LONGEST_NAME = 16


def attacker_curve(attackers: Sequence[AttackerResult]) -> Markup:
    """Draw the share identified (of a synthetic release: the members recognised) against what attackers know.

    Attackers stand at equal distances, by the number of values that they know; a blurred value counts half.

    Args:
        attackers: Those of the scorecard.

    Returns:
        The drawing with the names below it; nothing for fewer than three attackers.
    """
    rates = [(attacker.name, rate) for attacker in by_knowledge(attackers) if (rate := _rate(attacker)) is not None]
    if len(rates) < LEAST:
        return Markup("")
    places = [number / (len(rates) - 1) for number in range(len(rates))]
    line = [(x, rate) for x, (_, rate) in zip(places, rates, strict=True)]
    text = "; ".join(f"{name}: {percent(rate)}" for name, rate in rates)
    drawn = curves(t("pictures.knowledge"), text, [("fire", line)], [("fire", x, y) for x, y in line])
    named = [(x, _short(name)) for x, (name, _) in zip(places, rates, strict=True)]
    return drawn + labels(named if len(named) <= MOST_NAMED else [named[0], named[-1]])


def by_knowledge(attackers: Sequence[AttackerResult]) -> list[AttackerResult]:
    """Return attackers in the order of how many values of people in the original they know."""
    return sorted(
        attackers, key=lambda one: (len(one.columns) - len(one.blurred) / 2) * max(0, one.people - one.strangers)
    )


def _rate(attacker: AttackerResult) -> float | None:
    if attacker.rate is not None:
        return attacker.rate
    best = best_recognition(attacker)
    return None if best is None else best.tpr_at_fpr[AT_FPR]


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
