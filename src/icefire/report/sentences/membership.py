"""Membership: how well attacks told who is in the release."""

from __future__ import annotations

from icefire.core.formatting import count, number, percent
from icefire.core.scorecard import MembershipFindings, MembershipResult

RankedResults = list[tuple[str, MembershipResult]]


def ranked(findings: MembershipFindings) -> RankedResults:
    """Order the attacks, the most dangerous first."""
    return sorted(findings.attacks.items(), key=lambda item: -item[1].score.danger_final)


def distinguishing(findings: MembershipFindings) -> RankedResults:
    """Return the attacks that tried to tell members from others, the one with the largest advantage first."""
    trying = [item for item in findings.attacks.items() if not _claims_everybody(item[1])]
    return sorted(trying, key=lambda item: -item[1].score.advantage)


def claiming_everybody(findings: MembershipFindings) -> list[str]:
    """Name the attacks that called everybody a member."""
    return [name for name, result in ranked(findings) if _claims_everybody(result)]


def _claims_everybody(result: MembershipResult) -> bool:
    """Tell whether an attack called everybody a member: all members, and all others as well."""
    score = result.score
    return score.recall == 1 and score.advantage == 0


def summary(findings: MembershipFindings) -> str:
    """Say in two sentences how well membership was told, how often a row was found, and what that makes together."""
    if not findings.attacks:
        return "No attack could run on these columns."
    sharpest = max(findings.attacks, key=lambda name: findings.attacks[name].score.advantage)
    finder = max(findings.attacks, key=lambda name: findings.attacks[name].score.top_k)
    accurate, named = findings.attacks[sharpest].score, findings.attacks[finder].score
    worst, result = ranked(findings)[0]
    return (
        f"At best, by {sharpest}, {percent(accurate.balanced_accuracy)} of the answers are right where a coin "
        f"would reach {percent(0.5)}; {finder} names the own row of "
        f"{percent(named.top_k)} of members. "
        f"The most dangerous attack is {worst}: {number(result.score.danger_final, 3)} of 1.03."
    )


def lines(findings: MembershipFindings) -> dict[str, str]:
    """Say it in a few lines by title, for the terminal."""
    asked = f"{count(findings.members)} members and {count(findings.outsiders)} others asked about"
    left_out = {f"Left out {name} (membership)": reason for name, reason in findings.left_out.items()}
    return {"Membership": f"{asked}. {summary(findings)}", **left_out}
