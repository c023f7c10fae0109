"""Known points in audits: the curve on the release, samples with intervals, and the reports."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import icefire
from icefire.audit.findings import points
from icefire.core import seeds
from icefire.io import histories
from icefire.report import html
from icefire.report.text import scorecard
from icefire.risk.known_points import KnownPoints, PointsKnowledge, in_order_of_appearance


@pytest.fixture(scope="module")
def shop():
    return icefire.sample("shop", rows=30)


def test_the_curve_of_everybody_is_exact_and_rises_with_the_points(shop) -> None:
    findings = points.points_findings(shop, seeds.generator(1, "points"))
    assert (findings.people, findings.asked, findings.left_out) == (30, 30, {})
    assert [(point.kind, point.k) for point in findings.curve] == [
        (kind, k) for kind in ("items", "counts", "time", "order") for k in range(1, 6)
    ]
    for kind in ("items", "counts", "time", "order"):
        worst = [point.worst for point in findings.curve if point.kind == kind]
        assert worst == sorted(worst)
    third = findings.curve[2]
    exact = KnownPoints(shop, PointsKnowledge("items", 3)).risk_of_people(in_order_of_appearance(shop))
    assert third.worst == pytest.approx(exact.risk.mean())
    assert third.worst_ci == pytest.approx((third.worst, third.worst))
    assert third.singled_out == (exact.risk == 1).mean()
    assert third.mean_ci[0] <= third.mean <= third.mean_ci[1]
    assert third.mean <= third.worst


def test_of_many_people_a_sample_is_asked_and_its_interval_holds_the_value_of_all(monkeypatch) -> None:
    shop = icefire.sample("shop", rows=300)
    whole = points.points_findings(shop, seeds.generator(1, "points"))
    monkeypatch.setattr(points, "MOST_PEOPLE", 100)
    some = points.points_findings(shop, seeds.generator(1, "points"))
    assert (whole.asked, some.asked) == (300, 100)
    inside = [
        part.worst_ci[0] <= everybody.worst <= part.worst_ci[1]
        and part.singled_out_ci[0] <= everybody.singled_out <= part.singled_out_ci[1]
        for part, everybody in zip(some.curve, whole.curve, strict=True)
    ]
    assert np.mean(inside) >= 0.8
    assert some == points.points_findings(shop, seeds.generator(1, "points"))


def test_a_release_without_dates_has_no_times_and_no_order() -> None:
    frame = pl.DataFrame({"who": ["a", "a", "b", "c"], "what": ["x", "y", "x", "y"]})
    data = histories.read(frame, {"subject": "who", "item": "what"})
    findings = points.points_findings(data, seeds.generator(1, "points"))
    assert {point.kind for point in findings.curve} == {"items", "counts"}
    assert set(findings.left_out) == {"time", "order"}


def test_reports_show_the_curve_and_who_was_asked(shop) -> None:
    card = icefire.audit(shop, shop, key="customer", attacks=["jaccard"], measures=[]).scorecard
    page = html.render(card)
    assert "What do a few known points give away?" in page
    assert "3 goods with their time (day)" in page
    console = Console(width=120, record=True, file=None, quiet=False)
    with console.capture() as capture:
        scorecard.show(card, console)
    text = " ".join(capture.get().split())
    assert "Known points: 3 goods: the right history is picked in" in text
    assert "Computed for all 30 released subjects." in text
    assert '"points"' in card.to_json()
