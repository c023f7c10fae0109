"""What a scorecard says about who is in the release; shared by terminal and page."""

from __future__ import annotations

from icefire.core import formatting
from icefire.core.scorecard import MembershipFindings, MembershipResult

Results = list[tuple[str, MembershipResult]]


def ranked(found: MembershipFindings) -> Results:
    """Order the attacks, the most dangerous first."""
    return sorted(found.attacks.items(), key=lambda item: -item[1].score.danger_final)


def telling(found: MembershipFindings) -> Results:
    """Return the attacks that tried to tell members from others, the one with the largest advantage first."""
    trying = [item for item in found.attacks.items() if not claims_all(item[1])]
    return sorted(trying, key=lambda item: -item[1].score.advantage)


def claiming(found: MembershipFindings) -> list[str]:
    """Name the attacks that called everybody a member."""
    return [name for name, result in ranked(found) if claims_all(result)]


def claims_all(result: MembershipResult) -> bool:
    """Tell whether an attack called everybody a member: all members, and all others as well."""
    score = result.score
    return score.recall == 1 and score.advantage == 0


def summary(found: MembershipFindings) -> str:
    """Say in two sentences how well membership was told, how often a row was found, and what that makes together."""
    if not found.attacks:
        return "No attack could run on these columns."
    sharpest = max(found.attacks, key=lambda name: found.attacks[name].score.advantage)
    finder = max(found.attacks, key=lambda name: found.attacks[name].score.top_k)
    told, hit = found.attacks[sharpest].score, found.attacks[finder].score
    worst, result = ranked(found)[0]
    return (
        f"At best, by {sharpest}, {formatting.percent(told.balanced_accuracy)} of the answers are right where a coin "
        f"would reach {formatting.percent(0.5)}; {finder} names the own row of "
        f"{formatting.percent(hit.top_k)} of members. "
        f"The most dangerous attack is {worst}: {formatting.number(result.score.danger_final, 3)} of 1.03."
    )


def lines(found: MembershipFindings) -> dict[str, str]:
    """The one-liners of the terminal."""
    asked = f"{formatting.count(found.members)} members and {formatting.count(found.outsiders)} others asked about"
    return {"Membership": f"{asked}. {summary(found)}"}
