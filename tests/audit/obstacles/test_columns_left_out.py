"""A release that lacks columns is audited over those it has; what is missing counts as lost. New columns block."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.audit.findings.usefulness import history_usefulness
from icefire.core.errors import SchemaError, UndefinedError
from icefire.core.history import HistoryCase, HistoryComparison
from icefire.core.release import Truth

TABLE = pl.DataFrame(
    {
        "age": [20 + row % 4 for row in range(40)],
        "job": ["a", "b"] * 20,
        "pay": [100.0 * row for row in range(40)],
        "rent": [7.0 * (row % 5) for row in range(40)],
    }
)
ROLES: dict[str, Any] = {"qi": ("age", "job"), "sa": ("pay", "rent")}


def audit(released: pl.DataFrame, **options: Any) -> icefire.Scorecard:
    return icefire.audit(TABLE, released, aligned=True, **ROLES, **options).scorecard


@pytest.fixture(scope="module")
def without_age_and_rent() -> icefire.Scorecard:
    return audit(TABLE.drop("age", "rent"))


def test_the_verdict_and_the_roles_name_the_columns_left_out(without_age_and_rent: icefire.Scorecard) -> None:
    card = without_age_and_rent
    assert "2 columns are not in the release (age, rent)" in card.verdict.lost
    assert card.verdict.lost in card.verdict.text
    assert card.roles.not_released == ["age", "rent"]
    assert card.roles.qi == ["age", "job"]
    assert card.roles.sa == ["pay", "rent"]


def test_classes_are_those_of_the_quasi_identifiers_released(without_age_and_rent: icefire.Scorecard) -> None:
    assert without_age_and_rent.measures["k_min"].value == 20


def test_columns_left_out_count_as_lost(without_age_and_rent: icefire.Scorecard) -> None:
    measures, usefulness = without_age_and_rent.measures, without_age_and_rent.usefulness
    assert measures["information_loss"].value == 0.5
    assert measures["qi_information_loss"].value == 0.5
    assert measures["granularity"].value == 0.5
    assert measures["marginal_distance"].value == 0.5
    assert measures["pair_distance"].value == pytest.approx(5 / 6)
    assert usefulness is not None
    assert usefulness.columns_lost == 0.5
    assert {one.column: (one.role, one.loss) for one in usefulness.columns}["rent"] == ("sa", 1.0)


@pytest.mark.parametrize("name", ["mean_error", "cross_mean", "correlation_error"])
def test_measures_without_a_scale_say_what_was_not_released(name: str, without_age_and_rent: icefire.Scorecard) -> None:
    result = without_age_and_rent.measures[name]
    assert result.value is None
    assert "not released: " in result.note


def test_models_say_which_columns_they_are_without(without_age_and_rent: icefire.Scorecard) -> None:
    assert "without age, rent, not released" in without_age_and_rent.measures["pmse"].note


def test_attacks_use_the_common_columns(without_age_and_rent: icefire.Scorecard) -> None:
    card = without_age_and_rent
    assert card.attacks["link"].rate == 1.0
    assert card.attacks["id_sa"].rate == 1.0
    assert "verbatim" in [reason.code for reason in card.verdict.reasons]
    assert {one.column: one.change for one in card.learned_columns}["rent"] == "not released"


def test_what_needs_a_quasi_identifier_is_left_out_where_none_was_released() -> None:
    card = audit(TABLE.drop("age", "job"), attacks=["link"], limits={"k_min": 2})
    assert "k_min" in card.left_out
    assert "not released: age, job" in card.left_out["k_min"]
    assert not card.verdict.passed


def test_a_parameter_cannot_name_a_column_that_was_not_released() -> None:
    with pytest.raises(UndefinedError, match="not released: age"):
        audit(TABLE.drop("age"), attacks=["id_rand"], parameters={"id_rand": {"qi": ["age"]}})


def test_a_release_without_any_column_of_the_original_is_refused() -> None:
    with pytest.raises(SchemaError, match="no column of"):
        audit(TABLE.rename(lambda name: f"x{name}9"))


def test_a_renamed_column_blocks() -> None:
    card = audit(TABLE.rename({"age": "years"}), attacks=["link"], measures=[])
    assert "one column is not in the release (age)" in card.verdict.lost
    assert [reason.evidence for reason in card.verdict.reasons if reason.code == "not_assessed"] == [
        {"columns": ["years"]}
    ]


def test_a_new_column_blocks() -> None:
    secret = TABLE.with_columns(age=pl.lit(20), job=pl.lit("a"), pay=pl.lit(1.0), rent=pl.lit(1.0))
    card = audit(secret.with_columns(code=pl.int_range(40) * 7919 % 1000), attacks=["link"], measures=[])
    assert not card.verdict.passed
    assert ["code"] in [reason.evidence.get("columns") for reason in card.verdict.reasons]


@pytest.mark.parametrize("column", ["price", "receipt", "time", "number", "date"])
def test_columns_that_a_history_lacks_are_named(column: str) -> None:
    history = icefire.sample("shop", 5)
    released = icefire.read(history.frame.drop(column), subject="customer", item="goods")
    comparison = HistoryComparison(HistoryCase(history, released), Truth(np.arange(5)))
    assert history_usefulness(comparison).text == f"What was lost: no {column}s."
