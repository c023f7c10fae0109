"""Known points of a history: what is known, and how many people it gives away."""

from __future__ import annotations

from collections.abc import Sequence

from icefire.audit.inspection.histories import PointsInspection
from icefire.core.formatting import count, counted, number, percent
from icefire.core.scorecard.points import PointsFindings, PointsRisk
from icefire.words import said

NAMES = {
    "items": "goods",
    "counts": "goods, each as often as known",
    "time": "goods with their time",
    "order": "goods in their order",
    "frequency": "goods with how often they were bought",
    "share": "goods with their share of all rows",
    "ratio": "goods with their count over the largest count",
    "top2": "the two most frequent goods",
}
"""What is known, in words."""
MAIN_K = 3


def what_is_known(kind: str, k: int, setting: str) -> str:
    """Name the knowledge: "3 goods with their time (day)"."""
    if kind == "top2":
        return NAMES[kind]
    words = NAMES[kind] if k > 1 else NAMES[kind].replace("goods", "good", 1)
    how = "" if not setting else f" ({setting})" if kind == "time" else f" (tolerance {setting})"
    return f"{k} {words}{how}"


def inspected(points: PointsInspection, risk: Sequence[float]) -> dict[str, str]:
    """Sum up the risks of an inspected history, by title."""
    singled_out = sum(value == 1 for value in risk)
    lines = {
        "Known points": (
            f"of each person {what_is_known(points.kind, points.k, points.setting)}. "
            f"The points that tell most single out {count(singled_out)} of {count(points.people)} people "
            f"({percent(singled_out / max(points.people, 1))}); the mean risk by them is "
            f"{number(sum(risk) / max(len(risk), 1), 3)}, by random points "
            f"{number(sum(points.mean_risk) / max(len(points.mean_risk), 1), 3)}."
        )
    }
    if points.short:
        lines["Short histories"] = (
            f"{counted(points.short, 'person has', 'people have')} fewer than {points.k} points; all are taken."
        )
    if points.bounds:
        lines["Searches ended early"] = (
            f"{counted(len(points.bounds), 'person', 'people')}; their risk is at least the one "
            "listed; bounds are in the JSON file."
        )
    return lines


def kinds(findings: PointsFindings) -> list[tuple[str, list[PointsRisk]]]:
    """The curves of the findings: each kind with its points, by the number known."""
    names = list(dict.fromkeys(point.kind for point in findings.curve))
    return [
        (kind, sorted((point for point in findings.curve if point.kind == kind), key=lambda point: point.k))
        for kind in names
    ]


def summary(findings: PointsFindings) -> str:
    """Say for each kind what a few known points give away."""
    parts = []
    for _, points in kinds(findings):
        point = next((point for point in points if point.k == MAIN_K), points[-1])
        part = (
            f"{what_is_known(point.kind, point.k, point.setting)}: the right history is picked in "
            f"{percent(point.mean)} of cases, and {percent(point.singled_out)} of the people can be singled out by them"
        )
        parts.append(said(part))
    return "; ".join(parts) + "." if parts else ""


def sample(findings: PointsFindings) -> str:
    """Say whom the figures come from."""
    if findings.asked == findings.people:
        return f"Computed for all {count(findings.people)} released subjects."
    return (
        f"Computed for {count(findings.asked)} of {count(findings.people)} released subjects, drawn at random; "
        "intervals cover 95 %."
    )


def lines(findings: PointsFindings) -> dict[str, str]:
    """Say it in a few lines by title, for the terminal."""
    left_out = {f"Left out points {kind}": reason for kind, reason in findings.left_out.items()}
    text = summary(findings)
    return {**({"Known points": f"{text} {sample(findings)}"} if text else {}), **left_out}
