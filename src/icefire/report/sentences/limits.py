"""Limits and the verdict."""

from __future__ import annotations

from icefire.audit.limits import (
    ATTRIBUTE_ADVANTAGE,
    ATTRIBUTE_CERTAIN,
    AYA,
    DANGER,
    LINKABILITY,
    MEMBERSHIP_TPR,
    REID,
    SINGLING_OUT,
)
from icefire.audit.verdict import is_share
from icefire.core.formatting import beside, number, percent
from icefire.core.scorecard import Limit, Scorecard
from icefire.words import t

SUBJECTS = {
    ATTRIBUTE_ADVANTAGE: "What the best attack learns about the worst sensitive column, beyond the best guess.",
    ATTRIBUTE_CERTAIN: "People whose value of the worst sensitive column is certain.",
    SINGLING_OUT: "People whom at most three released values single out.",
    LINKABILITY: "People two halves of whose record the release brings together, beyond the control.",
}


def subject(card: Scorecard, limit: Limit) -> str:
    """Say what a limit is about; empty for a measure, which explains itself."""
    if limit.name == REID:
        return "Re-identification rate of the most successful attack."
    if limit.name == AYA:
        return "Rate that the AYA check credits."
    if limit.name == DANGER:
        return "Danger of the most dangerous membership attack; the upper end of its 95 % interval counts."
    if limit.name == MEMBERSHIP_TPR:
        counts = "everybody was asked about" if limit.interval is None else "the upper end of the 95 % interval counts"
        return (
            "Members recognised by the best membership attack where at most 1 % of the others are taken for members; "
            f"{counts}."
        )
    if limit.name in SUBJECTS:
        return SUBJECTS[limit.name]
    return "Re-identification rate of this attack." if limit.name in card.attacks else ""


def numbers(card: Scorecard, limit: Limit) -> tuple[str, str]:
    """Write the value found and the limit, rates in percent."""
    value, bound = beside(limit.value, limit.limit, is_share(card, limit.name))
    if limit.interval is not None:
        write = percent if is_share(card, limit.name) else number
        value = f"{value} ({t('numbers.range', low=write(limit.interval[0]), high=write(limit.interval[1]))})"
    return value, t(f"limits.{limit.kind}", bound=bound)


def result(limit: Limit) -> str:
    """Say whether a limit holds."""
    if limit.value is None:
        return t("limits.unknown")
    return t("limits.holds" if limit.passed else "limits.broken")


def status(passed: bool | None) -> str:
    """Name the outcome in one word or two."""
    return t({True: "verdict.status.passed", False: "verdict.status.not_passed", None: "verdict.status.open"}[passed])
