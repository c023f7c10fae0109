"""What a scorecard says of a history, in sentences and pictures; shared by terminal and page."""

from __future__ import annotations

from markupsafe import Markup

from icefire.core import formatting
from icefire.core.scorecard.histories import Forecast, HistoryFindings, Knowledge
from icefire.report import curves

MEANINGS = {
    "subject": "who",
    "item": "what",
    "receipt": "which receipt",
    "date": "which day",
    "time": "what time",
    "price": "price of one piece",
    "number": "how many pieces",
}


def alone(found: HistoryFindings) -> str:
    """Say how many released customers nobody else resembles."""
    single = sum(group.subjects for group in found.groups if group.low == group.high == 1)
    total = found.released.subjects
    if not single:
        return "Every released customer shares all goods with at least one other."
    share = formatting.percent(single / total)
    told = f"{formatting.count(single)} of {formatting.count(total)} released customers ({share})"
    return f"{told} have a set of goods of their own."


def known(point: Knowledge) -> str:
    """Name what the attacker knows at a point of the curve."""
    if point.kind == "share":
        return f"{100 * point.amount:g} % of each person's rows"
    goods = int(point.amount)
    return f"{goods} good{'s' if goods > 1 else ''} of each person"


def of_kind(found: HistoryFindings, kind: str) -> list[Knowledge]:
    """The points of one kind of knowledge, least first."""
    return sorted((point for point in found.knowledge if point.kind == kind), key=lambda point: point.amount)


def knowledge_curve(found: HistoryFindings, kind: str) -> Markup:
    """Draw the rate against what is known; points stand at equal distances."""
    points = of_kind(found, kind)
    if len(points) < 2:
        return Markup("")
    places = [number / (len(points) - 1) for number in range(len(points))]
    line = [(x, point.rate) for x, point in zip(places, points, strict=True)]
    told = "; ".join(f"{known(point)}: {formatting.percent(point.rate)}" for point in points)
    drawn = curves.curves("Rate against what is known", told, [("fire", line)], [("fire", x, y) for x, y in line])
    names = [f"{100 * p.amount:g} %" if kind == "share" else f"{int(p.amount)}" for p in points]
    return drawn + curves.labels(list(zip(places, names, strict=True)))


def first_known(found: HistoryFindings) -> str:
    """Say in one sentence how little knowledge is enough."""
    goods = of_kind(found, "goods")
    if not goods:
        return ""
    least, most = goods[0], goods[-1]
    return (
        f"Knowing {known(least)}, an attacker picks the right released history in {formatting.percent(least.rate)} of "
        f"cases; knowing {known(most)}, in {formatting.percent(most.rate)}."
    )


def forecast_text(forecast: Forecast) -> str:
    """Compare the theory with the release."""
    return (
        f"With {formatting.count(forecast.clusters)} groups chosen at random one would expect "
        f"{formatting.count(round(forecast.expected_rows))} added rows; "
        f"{formatting.count(forecast.measured_rows)} were "
        "added. "
        f"Whoever draws lots within a group is right for {formatting.percent(forecast.expected_reid)}. Cost and risk "
        f"together are expected to be least at {formatting.count(forecast.best)} groups."
    )


def forecast_curve(found: HistoryFindings) -> Markup:
    """Draw expected cost, expected risk, and where this release stands."""
    forecast = found.forecast
    assert forecast is not None
    last = forecast.curve[-1][0]
    cost = [(clusters / last, share) for clusters, share, _ in forecast.curve]
    risk = [(clusters / last, reid) for clusters, _, reid in forecast.curve]
    here = min(1.0, forecast.measured_rows / forecast.most_rows)
    place = forecast.clusters / last
    dots = [("ice", place, here), ("fire", place, min(1.0, forecast.expected_reid))]
    drawn = curves.curves(
        "Cost and risk by the number of groups", forecast_text(forecast), [("ice", cost), ("fire", risk)], dots
    )
    return drawn + curves.labels([(0.0, "1 group"), (0.5, f"{last // 2:,}"), (1.0, f"{last:,} groups")])


def lines(found: HistoryFindings) -> dict[str, str]:
    """The one-liners of the terminal."""
    told = {"Looking alike": alone(found), "Partial knowledge": first_known(found)}
    if found.forecast:
        told["Theory"] = forecast_text(found.forecast)
    return {title: text for title, text in told.items() if text}
