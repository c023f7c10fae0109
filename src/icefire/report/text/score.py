"""The score of one guess."""

from __future__ import annotations

from rich.console import Console, Group

from icefire.core.formatting import number, percent, short_interval
from icefire.core.scorecard.scores import Score
from icefire.report.text.notes import notes


def show(score: Score, console: Console) -> None:
    """Print how well one guess did."""
    lines = {
        "Rate": f"{percent(score.rate)}, 95 % interval {short_interval(score.ci)}",
        "Hits": f"{score.hits:,} of {score.targets:,} targets, {score.answered:,} answered",
        "By chance": percent(score.baseline),
    }
    lines |= {title: percent(share) for title, share in _shares(score).items() if share is not None}
    if score.membership is not None:
        final = number(score.membership.danger_final)
        lines["Danger"] = f"{number(score.membership.danger)}, by the final round's formula {final}"
    console.print(Group(*notes(lines)), highlight=False)


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
