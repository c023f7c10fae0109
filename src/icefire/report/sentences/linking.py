"""Linking: how many people's pseudonyms of neighbouring periods were brought together."""

from __future__ import annotations

from icefire.core.formatting import count, counted, percent
from icefire.core.scorecard.linking import LinkingFindings


def asked(findings: LinkingFindings) -> str:
    """Say what was asked."""
    changing = f"{counted(findings.people, 'person has', 'people have')} {counted(findings.pseudonyms, 'pseudonym')}"
    if findings.reason:
        return f"{changing}. Whether they can be linked was not measured: {findings.reason}."
    pairs = "pair" if findings.pairs == 1 else "pairs"
    some = count(findings.asked) if findings.asked == findings.pairs else f"{count(findings.asked)} of"
    which = f"{some} {count(findings.pairs)} {pairs}" if findings.asked < findings.pairs else f"{some} {pairs}"
    return f"{changing}, a new one every {findings.period}. Asked about {which} of neighbouring periods."


def summary(findings: LinkingFindings) -> str:
    """Say how many people the best attack linked; empty if none ran."""
    if not findings.attacks:
        return ""
    best = max(findings.attacks, key=lambda name: findings.attacks[name].score.recall)
    score = findings.attacks[best].score
    return (
        f"Of {counted(score.present, 'person', 'people')} present in both periods, {count(score.linked)} "
        f"({percent(score.recall)}) are linked by {best}; drawing at random would link {percent(score.chance)}. "
        f"{percent(score.precision)} of its answers are right."
    )


def lines(findings: LinkingFindings) -> dict[str, str]:
    """Say it in a few lines by title, for the terminal."""
    left_out = {f"Left out {name} (linking)": reason for name, reason in findings.left_out.items()}
    return {"Linking": f"{asked(findings)} {summary(findings)}".strip(), **left_out}
