"""Why people at highest risk are recognised, distributions before and after, and what to do next: one small audit."""

from __future__ import annotations

import polars as pl
import pytest

import icefire
from icefire.audit.findings.distributions import distribution
from icefire.core.scorecard import Reason, Scorecard, Verdict
from icefire.core.scorecard.people import Person, PersonReason
from icefire.measures.compared_columns import shares_of
from icefire.measures.released_values import read_column
from icefire.report.sentences import next_steps, people

ROWS = 60


@pytest.fixture(scope="module")
def card() -> Scorecard:
    """People with an income that was moved by 1 %, a region of six, and a value that one of them has alone."""
    table = pl.DataFrame(
        {
            "income": [1000 + 137 * i for i in range(ROWS)],
            "region": [f"r{i % 6}" for i in range(ROWS)],
            "children": [9 if i == 7 else i % 3 for i in range(ROWS)],
        }
    )
    released = table.with_columns((pl.col("income") * 1.01).round().cast(pl.Int64))
    return icefire.audit(
        table, released, aligned=True, qi=["region", "children"], sa=["income"], attacks=["link"], measures=["k_min"]
    ).scorecard


def test_everybody_listed_has_reasons_with_released_values(card: Scorecard) -> None:
    assert card.at_risk
    assert all(person.reasons for person in card.at_risk)
    first = next(person for person in card.at_risk if person.original_row == 7)
    by_column = {reason.column: reason for reason in first.reasons}
    assert by_column["children"].agreement == "equal"
    assert by_column["children"].released == "9"
    assert by_column["children"].fits == pytest.approx(1 / ROWS)
    assert by_column["income"].agreement == "near"
    assert by_column["income"].difference == pytest.approx(0.01, abs=0.001)
    assert first.columns == [reason.column for reason in first.reasons]


def test_reasons_in_words() -> None:
    reasons = [
        PersonReason("income", "near", 5.0, "1979", 0.0149),
        PersonReason("region", "equal", 3.0, "north"),
        PersonReason("age", "covered", 2.0, "30-39"),
        PersonReason("date", "days", 2.0, "2020-01-05", 1.0),
    ]
    person = Person(1, 2, 0.9, (0.8, 1.0), "link", [], 1, reasons=reasons)
    assert people.by_what(person) == "income within 2 %, region north, age 30-39, date within 1 day (link)"
    good = PersonReason("goods", "good", 9.0, "tea", agrees=["date", "number"])
    assert people.reason(good) == "goods tea (same date, number)"


def test_goods_give_customers_away() -> None:
    shop = icefire.sample("shop", rows=30)
    card = icefire.audit(shop, shop.frame, aligned=True, attacks=["link"], measures=[]).scorecard
    person = card.at_risk[0]
    bought = set(shop.frame.filter(pl.col(shop.fields.subject).cast(pl.String) == person.subject)[shop.fields.item])
    goods = [reason.released for reason in person.reasons if reason.agreement == "good"]
    assert goods
    assert {str(good) for good in bought} >= set(goods)
    assert {column.column for column in card.usefulness.distributions} >= {shop.fields.item}


def test_distributions_add_up_and_show_the_change(card: Scorecard) -> None:
    columns = {column.column: column for column in card.usefulness.distributions}
    assert set(columns) == {"income", "region", "children"}
    for column in columns.values():
        assert sum(one.original for one in column.bins) == pytest.approx(1)
        assert sum(one.released for one in column.bins) == pytest.approx(1)
    assert [(one.label, one.original) for one in columns["children"].bins][-1] == ("9", pytest.approx(1 / ROWS))


def test_labels_count_as_the_values_they_stand_for() -> None:
    x, y = pl.Series("age", [30, 31, 40, 41]), pl.Series("age", ["30-31", "30-31", "40", None])
    bins = distribution(shares_of(read_column(x, y)), x.dtype).bins
    assert [(one.label, one.original, one.released) for one in bins] == [
        ("30", 0.25, 0.25),
        ("31", 0.25, 0.25),
        ("40", 0.25, 0.25),
        ("41", 0.25, 0.0),
        ("missing", 0.0, 0.25),
    ]


def test_an_unchanged_pair_keeps_its_association(card: Scorecard) -> None:
    pairs = {(pair.first, pair.second): pair for pair in card.usefulness.associations}
    assert pairs["region", "children"].original == pairs["region", "children"].released


def test_the_next_steps_name_columns_and_methods(card: Scorecard) -> None:
    steps = " ".join(next_steps.next_steps(card))
    assert "income" in steps
    assert "`" in steps
    assert "icefire compare" in steps


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        (Reason("identifier", "", {"column": "name"}), "Take name out"),
        (Reason("correspondence", ""), "--truth"),
        (Reason("verbatim", ""), "k_anonymize"),
        (Reason("not_assessed", ""), "not assessed"),
        (Reason("limit", "", {"name": "k_min", "limit": 11}), "at least 15 people"),
        (Reason("limit", "", {"name": "membership_tpr"}), "delete_by_candidates"),
        (Reason("limit", "", {"name": "linking_recall"}), "pseudonyms"),
        (Reason("limit", "", {"name": "information_loss"}), "information_loss"),
    ],
)
def test_every_reason_has_a_next_step(card: Scorecard, reason: Reason, word: str) -> None:
    import msgspec

    failed = msgspec.structs.replace(card, verdict=Verdict(False, "", "", reasons=[reason]))
    assert word in " ".join(next_steps.next_steps(failed))
