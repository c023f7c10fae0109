"""Membership: how well attacks told who is in the release."""

from __future__ import annotations

from icefire.core.formatting import counted, number, percent
from icefire.core.profiles import MAXIMUM
from icefire.core.scorecard.membership import MembershipFindings, MembershipResult, MembershipScores
from icefire.core.scorecard.scores import Membership

AT_FPR = "0.01"
FEW = 100
"""With fewer outsiders than this, the threshold that 1 % of them reach is not known."""
RankedResults = list[tuple[str, MembershipResult]]
RankedScores = list[tuple[str, Membership]]


def ranked(findings: MembershipFindings) -> RankedResults:
    """Order the attacks, the one that recognises most members first."""
    return sorted(findings.attacks.items(), key=lambda item: (-item[1].tpr_at_fpr[AT_FPR], -item[1].auc))


def naming_rows(findings: MembershipFindings) -> RankedScores:
    """Return what the attacks that named rows scored by the rules of the contest, the most dangerous first."""
    scored = [(name, result.score) for name, result in findings.attacks.items() if result.score is not None]
    return sorted(scored, key=lambda item: -item[1].danger_final)


def rare(findings: MembershipFindings) -> list[tuple[str, MembershipScores]]:
    """Return how the attacks did among rare people, the one that recognises most first."""
    judged = [(name, result.rare) for name, result in findings.attacks.items() if result.rare is not None]
    return sorted(judged, key=lambda item: (-item[1].tpr_at_fpr[AT_FPR], -item[1].auc))


def distinguishing(findings: MembershipFindings) -> RankedScores:
    """Return the attacks that tried to tell members from others, the one with the largest advantage first."""
    trying = [item for item in naming_rows(findings) if not _claims_everybody(item[1])]
    return sorted(trying, key=lambda item: -item[1].advantage)


def claiming_everybody(findings: MembershipFindings) -> list[str]:
    """Name the attacks that called everybody a member."""
    return [name for name, score in naming_rows(findings) if _claims_everybody(score)]


def _claims_everybody(score: Membership) -> bool:
    """Tell whether an attack called everybody a member: all members, and all others as well."""
    return score.recall == 1 and score.advantage == 0


def summary(findings: MembershipFindings) -> str:
    """Say how well membership was told and, where rows were named, how often the own row was among them."""
    if not findings.attacks:
        return "No attack could run on these columns."
    best, result = ranked(findings)[0]
    low, high = (percent(end) for end in result.tpr_at_fpr_ci[AT_FPR])
    by_scores = (
        f"At best, by {best}, {percent(result.tpr_at_fpr[AT_FPR])} of the members ({low} to {high}) are recognised "
        f"while at most 1 % of the others are taken for members; a member scores higher than another person in "
        f"{percent(result.auc)} of the pairs, where blind guessing gives {percent(0.5)}."
    )
    return " ".join([by_scores, *_rows_named(findings)])


def _rows_named(findings: MembershipFindings) -> list[str]:
    scored = naming_rows(findings)
    if not scored:
        return []
    finder, named = max(scored, key=lambda item: item[1].top_k)
    worst, score = scored[0]
    return [
        f"{finder} names the own row of {percent(named.top_k)} of members. "
        f"The most dangerous attack is {worst}: {number(score.danger_final, 3)} of 1.03."
    ]


def lines(findings: MembershipFindings) -> dict[str, str]:
    """Say it in a few lines by title, for the terminal."""
    whose = f"attacker {findings.attacker}, who knows {findings.words}: " if findings.attacker != MAXIMUM else ""
    asked = f"{whose}{counted(findings.members, 'member')} and {counted(findings.outsiders, 'other')} asked about"
    left_out = {f"Left out {name} (membership)": reason for name, reason in findings.left_out.items()}
    return {"Membership": f"{asked}. {summary(findings)}", **_rare_line(findings), **left_out}


def _rare_line(findings: MembershipFindings) -> dict[str, str]:
    judged = rare(findings)
    if not judged:
        return {}
    name, worst = judged[0]
    low, high = (percent(end) for end in worst.tpr_at_fpr_ci[AT_FPR])
    text = (
        f"the tenth that is farthest from others: {percent(worst.tpr_at_fpr[AT_FPR])} ({low} to {high}) of "
        f"{counted(worst.members, 'member is', 'members are')} recognised by {name}, beside "
        f"{counted(worst.outsiders, 'rare other')}"
        f"{'' if worst.outsiders >= FEW else ' (too few to tell what 1 % of them reach)'}; AUC {number(worst.auc, 3)}"
    )
    return {"Rare people": text}
