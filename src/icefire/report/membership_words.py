"""What a scorecard says about who is in the release; shared by terminal and page."""

from __future__ import annotations

from icefire import figures
from icefire.scorecard import MembershipFindings, MembershipResult


def ranked(found: MembershipFindings) -> list[tuple[str, MembershipResult]]:
    """Order the attacks, the most dangerous first."""
    return sorted(found.attacks.items(), key=lambda item: -item[1].score.danger_final)


def summary(found: MembershipFindings) -> str:
    """Say in two sentences how well membership was told, and how often a row was found."""
    if not found.attacks:
        return "No attack could run on these columns."
    sharpest = max(found.attacks, key=lambda name: found.attacks[name].score.advantage)
    finder = max(found.attacks, key=lambda name: found.attacks[name].score.top_k)
    told, hit = found.attacks[sharpest].score, found.attacks[finder].score
    return (
        f"At best, by {sharpest}, {figures.percent(told.balanced_accuracy)} of the answers are right where a coin "
        f"would reach {figures.percent(0.5)}; {finder} names the own row of {figures.percent(hit.top_k)} of members."
    )


def lines(found: MembershipFindings) -> dict[str, str]:
    """The one-liners of the terminal."""
    asked = f"{figures.count(found.members)} members and {figures.count(found.outsiders)} others asked about"
    return {"Membership": f"{asked}. {summary(found)}"}
