"""The score of one guess."""

from __future__ import annotations

from rich.console import Console, Group

from icefire.core import formatting
from icefire.core.formatting import number, percent, short_interval
from icefire.core.scorecard.scores import MembershipScores, Score
from icefire.report.text.notes import notes
from icefire.words import t


def show(score: Score, console: Console) -> None:
    """Print how well one guess did."""
    names_rows = score.scores is None or score.membership is not None
    lines = (_rows(score) if names_rows else {}) | ({} if score.scores is None else _scores(score.scores))
    console.print(Group(*notes(lines)), highlight=False)


def _rows(score: Score) -> dict[str, str]:
    """How many of the rows named are right."""
    hits, targets, answered = (formatting.count(n) for n in (score.hits, score.targets, score.answered))
    lines = {
        "Rate": _with_interval(percent(score.rate), short_interval(score.ci)),
        "Hits": t("score.hits", hits=hits, targets=targets, answered=answered),
        "By chance": percent(score.baseline),
    }
    lines |= {title: percent(share) for title, share in _shares(score).items() if share is not None}
    if score.membership is not None:
        danger, final = number(score.membership.danger), number(score.membership.danger_final)
        lines["Danger"] = t("score.danger", danger=danger, final=final)
    return lines


def _scores(scores: MembershipScores) -> dict[str, str]:
    """How well scores tell members from outsiders."""
    members, outsiders = formatting.count(scores.members), formatting.count(scores.outsiders)
    low, high = (number(end) for end in scores.auc_ci)
    lines = {
        t("score.members.asked_title"): t("score.members.asked", members=members, outsiders=outsiders),
        t("score.members.auc"): _with_interval(number(scores.auc), t("numbers.range", low=low, high=high)),
    }
    for share, recognised in scores.tpr_at_fpr.items():
        title = t("score.members.recognised", share=t("numbers.percent", value=f"{float(share) * 100:g}"))
        lines[title] = _with_interval(percent(recognised), short_interval(scores.tpr_at_fpr_ci[share]))
    chance = percent(scores.advantage_by_chance)
    lines["Advantage"] = t("score.members.advantage", share=percent(scores.advantage), chance=chance)
    return lines


def _with_interval(share: str, interval: str) -> str:
    return t("score.with_interval", share=share, interval=interval)


def _shares(score: Score) -> dict[str, float | None]:
    shares = {
        "Expected": score.expected,
        "Recall": score.recall,
        "Precision": score.precision,
        "Top k": score.top_k,
    }
    if score.membership is not None:
        shares["Balanced accuracy"] = score.membership.balanced_accuracy
        shares["Advantage"] = score.membership.advantage
    return shares
