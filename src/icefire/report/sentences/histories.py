"""Histories: who looks like whom, how much an attacker must know, what theory expects."""

from __future__ import annotations

from icefire.core.formatting import count, counted, percent
from icefire.core.scorecard.histories import Forecast, HistoryFindings, KnownPart

MEANINGS = {
    "subject": "who",
    "item": "what",
    "receipt": "which receipt",
    "date": "which day",
    "time": "what time",
    "price": "price of one piece",
    "number": "how many pieces",
}


def alone(findings: HistoryFindings) -> str:
    """Say how many released customers nobody else resembles."""
    single = sum(group.subjects for group in findings.groups if group.low == group.high == 1)
    total = findings.released.subjects
    if not single:
        return "Every released customer shares all goods with at least one other."
    share = percent(single / total)
    return f"{count(single)} of {count(total)} released customers ({share}) have a set of goods of their own."


def known_part(point: KnownPart) -> str:
    """Name what the attacker knows at a point of the curve."""
    if point.kind == "share":
        return f"{100 * point.amount:g} % of each person's rows"
    goods = int(point.amount)
    return f"{goods} good{'s' if goods > 1 else ''} of each person"


def points_of_kind(findings: HistoryFindings, kind: str) -> list[KnownPart]:
    """The points of one kind of knowledge, least first."""
    return sorted((point for point in findings.knowledge if point.kind == kind), key=lambda point: point.amount)


def knowledge_needed(findings: HistoryFindings) -> str:
    """Say in one sentence how little knowledge is enough."""
    goods = points_of_kind(findings, "goods")
    if not goods:
        return ""
    least, most = goods[0], goods[-1]
    return (
        f"Knowing {known_part(least)}, an attacker picks the right released history in {percent(least.rate)} of "
        f"cases; knowing {known_part(most)}, in {percent(most.rate)}."
    )


def forecast(expected: Forecast) -> str:
    """Compare the theory with the release."""
    return (
        f"With {counted(expected.clusters, 'group')} chosen at random one would expect "
        f"{count(round(expected.expected_rows))} added rows; "
        f"{count(expected.measured_rows)} were added. "
        f"Whoever draws lots within a group is right for {percent(expected.expected_reid)}. Cost and risk "
        f"together are expected to be least at {counted(expected.best, 'group')}."
    )


def lines(findings: HistoryFindings) -> dict[str, str]:
    """Say it in a few lines by title, for the terminal."""
    sentences = {"Looking alike": alone(findings), "Partial knowledge": knowledge_needed(findings)}
    if findings.forecast:
        sentences["Theory"] = forecast(findings.forecast)
    return {title: text for title, text in sentences.items() if text}
