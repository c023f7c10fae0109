"""Curves of a history: rate against knowledge, cost and risk against the number of groups."""

from __future__ import annotations

from markupsafe import Markup

from icefire.core.formatting import percent
from icefire.core.scorecard.histories import HistoryFindings
from icefire.core.scorecard.points import PointsRisk
from icefire.report.html.curves import curves, labels
from icefire.report.sentences import histories
from icefire.words import said, said_text, t


def knowledge_curve(findings: HistoryFindings, kind: str) -> Markup:
    """Draw the rate against what is known; points stand at equal distances."""
    points = histories.points_of_kind(findings, kind)
    if len(points) < 2:
        return Markup("")
    places = [number / (len(points) - 1) for number in range(len(points))]
    line = [(x, point.rate) for x, point in zip(places, points, strict=True)]
    text = "; ".join(f"{said(histories.known_part(point))}: {percent(point.rate)}" for point in points)
    drawn = curves(t("pictures.knowledge"), text, [("fire", line)], [("fire", x, y) for x, y in line])
    names = [
        t("numbers.percent", value=f"{100 * p.amount:g}") if kind == "share" else f"{int(p.amount)}" for p in points
    ]
    return drawn + labels(list(zip(places, names, strict=True)))


def points_curve(points: list[PointsRisk]) -> Markup:
    """Draw, against the number of points known, the mean risk and the share of people who can be singled out."""
    places = [number / max(len(points) - 1, 1) for number in range(len(points))]
    mean = [(x, point.mean) for x, point in zip(places, points, strict=True)]
    single = [(x, point.singled_out) for x, point in zip(places, points, strict=True)]
    text = "; ".join(t("pictures.point", k=p.k, mean=percent(p.mean), single=percent(p.singled_out)) for p in points)
    dots = [("ice", x, y) for x, y in mean] + [("fire", x, y) for x, y in single]
    drawn = curves(t("pictures.points"), text, [("ice", mean), ("fire", single)], dots)
    return drawn + labels([(x, f"{point.k}") for x, point in zip(places, points, strict=True)])


def forecast_curve(findings: HistoryFindings) -> Markup:
    """Draw expected cost, expected risk, and where this release stands."""
    forecast = findings.forecast
    assert forecast is not None
    last = forecast.curve[-1][0]
    cost = [(clusters / last, share) for clusters, share, _ in forecast.curve]
    risk = [(clusters / last, reid) for clusters, _, reid in forecast.curve]
    here = min(1.0, forecast.measured_rows / forecast.most_rows)
    place = forecast.clusters / last
    dots = [("ice", place, here), ("fire", place, min(1.0, forecast.expected_reid))]
    words = said_text(histories.forecast(forecast))
    drawn = curves(t("pictures.forecast"), words, [("ice", cost), ("fire", risk)], dots)
    ends = (t("pictures.groups", n=1), t("pictures.groups", n=last))
    return drawn + labels([(0.0, ends[0]), (0.5, f"{last // 2:,}"), (1.0, ends[1])])
