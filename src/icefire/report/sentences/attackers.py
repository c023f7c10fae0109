"""Attackers by what they know: whether they are worth a part of the report, and what each holds, in words."""

from __future__ import annotations

from icefire.core import formatting
from icefire.core.errors import listing
from icefire.core.profiles import MAXIMUM
from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.attackers import AttackerResult
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.membership import MembershipResult
from icefire.report.sentences.hidden_values import worst
from icefire.words import said

TITLE = "What an attacker must know"
AT_FPR = "0.01"
"""Share of outsiders taken for members at which recognised members are counted."""


def shown(card: Scorecard) -> list[AttackerResult]:
    """Return the attackers if others than the one who knows everything were tried."""
    return [] if [attacker.name for attacker in card.attackers] in ([], [MAXIMUM]) else card.attackers


def main(card: Scorecard) -> str:
    """Name the attacker whose attacks are listed: who knows everything, otherwise the first."""
    names = [attacker.name for attacker in card.attackers]
    return MAXIMUM if MAXIMUM in names else names[0]


def worst_result(card: Scorecard) -> AttackResult | None:
    """Return the result of the attack that the verdict names."""
    name = card.verdict.worst_attack
    if name is None:
        return None
    attacker = next((one for one in card.attackers if one.name == card.verdict.worst_attacker), None)
    return (card.attacks if attacker is None else attacker.attacks).get(name)


def best_recognition(attacker: AttackerResult) -> MembershipResult | None:
    """Return the result of the attack that recognises most members; None where membership was not asked."""
    results = attacker.membership.attacks.values() if attacker.membership else ()
    return max(results, key=lambda result: result.tpr_at_fpr[AT_FPR], default=None)


def members_recognised(attacker: AttackerResult) -> str:
    """Say how many members the best attack of this attacker recognises; empty where membership was not asked."""
    best = best_recognition(attacker)
    return "" if best is None else formatting.percent(best.tpr_at_fpr[AT_FPR])


def learned(attacker: AttackerResult) -> str:
    """Say about which hidden column this attacker learns most, and how much; empty where that was not asked."""
    columns = attacker.attributes.columns if attacker.attributes else {}
    results = {name: worst(column) for name, column in columns.items()}
    asked = {name: result.advantage_over_best_guess for name, result in results.items() if result is not None}
    if not asked:
        return ""
    name = max(asked, key=lambda column: asked[column])
    return f"{name}: {formatting.percent(asked[name])}"


def columns(attacker: AttackerResult) -> str:
    """Name the columns known, and how well those that are not known exactly."""
    blurred = attacker.blurred
    return listing(f"{name} ({said(blurred[name])})" if name in blurred else name for name in attacker.columns)


def people(attacker: AttackerResult) -> str:
    """Say how many people are known, and how many of them are strangers or in the release."""
    text = formatting.count(attacker.people)
    if attacker.strangers:
        text += f", {formatting.count(attacker.strangers)} of them strangers"
    return text


def scope(card: Scorecard) -> str:
    """Say for whom the verdict holds."""
    if MAXIMUM in [attacker.name for attacker in card.attackers]:
        return "The verdict reads the worst of them."
    return (
        "The verdict reads the worst of them, and nothing else: somebody who knows more was not tried. "
        "Add --knows maximum for the attacker who knows everything."
    )
