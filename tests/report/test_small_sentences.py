"""Short pieces of text of a report: ends of distributions, bands of risk, reasons, intervals; English and Japanese."""

from __future__ import annotations

from icefire import use_language
from icefire.core import formatting
from icefire.core.scorecard.distributions import ColumnDistribution, DistributionBin
from icefire.core.scorecard.people import PersonReason, RiskBand
from icefire.report.html import distributions
from icefire.report.sentences import people
from icefire.words import said

PAY = ColumnDistribution(
    "pay", "number", [DistributionBin("below 10", 0.5, 0.4), DistributionBin("90 and more", 0.5, 0.6)]
)


def test_the_ends_of_a_distribution_are_translated_one_by_one() -> None:
    assert distributions.ends(PAY) == "below 10 … 90 and more"
    with use_language("ja"):
        assert distributions.ends(PAY) == "10 未満 … 90 以上"
        assert distributions.in_words(PAY) == "10 未満: 50.0% → 40.0%; 90 以上: 50.0% → 60.0%"


def test_bands_of_risk_are_ranges_in_both_languages() -> None:
    band = RiskBand(0.09, 0.2, 3)
    assert people.band(band) == "9.0 % to 20.0 %"
    with use_language("ja"):
        assert people.band(band) == "9.0%～20.0%"


def test_what_else_agrees_is_said_in_both_languages() -> None:
    reason = PersonReason("goods", "good", 3.0, "20236", agrees=["number", "price"])
    assert people.reason(reason) == "goods 20236 (same number, price)"
    with use_language("ja"):
        assert said(people.reason(reason)) == "goods 20236（number, price も同じ）"


def test_negative_ends_of_an_interval_do_not_run_into_its_dash() -> None:
    assert formatting.short_interval((0.01, 0.2)) == "1.0–20.0 %"
    assert formatting.short_interval((-0.232, -0.016)) == "-23.2 % to -1.6 %"


def test_a_language_holds_from_its_call_on_or_inside_its_block() -> None:
    with use_language("en"):
        use_language("ja")
        assert formatting.percent(0.5) == "50.0%"
        with use_language("en"):
            assert formatting.percent(0.5) == "50.0 %"
        assert formatting.percent(0.5) == "50.0%"
    assert formatting.percent(0.5) == "50.0 %"
