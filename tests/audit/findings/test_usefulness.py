"""What a release has lost, in numbers and words."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import icefire
from icefire.core.scorecard.usefulness import Usefulness

TABLE = pl.DataFrame({"age": list(range(20, 60)), "job": ["a", "b"] * 20, "pay": [100.0 * row for row in range(40)]})
ROLES: dict[str, Any] = {"qi": ("age", "job"), "sa": ("pay",)}


def lost(released: pl.DataFrame, **options: Any) -> Usefulness:
    if "truth" not in options:
        options["aligned"] = True
    found = icefire.audit(TABLE, released, measures=[], **ROLES, **options).scorecard
    assert found.usefulness is not None
    assert found.usefulness.text in found.verdict.text
    assert found.verdict.lost == found.usefulness.text
    return found.usefulness


def test_a_copy_has_lost_nothing() -> None:
    assert lost(TABLE).text == "Nothing was lost: every cell is as in the original."


def test_constants_have_lost_everything() -> None:
    found = lost(TABLE.with_columns(pl.lit(1).alias(name) for name in ("age", "pay")).with_columns(job=pl.lit("a")))
    assert found.text == "Everything was lost: every column holds a single value."
    assert found.columns_lost == 1.0


def test_changed_ages_are_counted_and_said_not_to_be_marked() -> None:
    found = lost(TABLE.with_columns(age=pl.when(pl.int_range(40) < 12).then(30).otherwise("age")))
    assert "age in 11 of 40 rows; none is marked" in found.text
    age = found.columns[0]
    assert (age.changed, age.unmarked, age.share) == (11, 11, 11 / 40)
    assert age.loss == pytest.approx(sum(abs(30 - (20 + row)) for row in range(12)) / 39 / 40)


def test_labels_and_blanks_are_marks() -> None:
    found = lost(TABLE.with_columns(age=pl.format("{}-{}", pl.col("age") // 10 * 10, pl.col("age") // 10 * 10 + 9)))
    assert "all by labels or blanks" in found.text
    assert found.columns[0].unmarked == 0


def test_people_left_out_are_counted() -> None:
    found = lost(TABLE[:30], truth=list(range(30)))
    assert "10 of 40 people (25.0 %) were left out" in found.text
    assert found.rows_left_out == 0.25


def test_u5_over_quasi_identifiers_and_k_map_are_defined_for_generalised_releases() -> None:
    table = icefire.sample("households", 300)
    release = icefire.anonymize(table, {"step": [{"method": "k_anonymize", "k": 5, "mode": "full_domain"}]})
    found = icefire.audit(table, release, attacks=[], measures=["k_map", "U5-QI", "U5"]).scorecard.measures
    assert found["k_map"].value >= 5
    assert found["qi_information_loss"].value > found["information_loss"].value == 0


def test_the_largest_change_of_a_distribution_is_named_in_words() -> None:
    found = lost(TABLE.with_columns(job=pl.when(pl.int_range(40) < 12).then(pl.lit("a")).otherwise("job")))
    assert "the largest change of a distribution is in job, where 15.0 % of the rows would have to take" in found.text
    assert "of two columns together the largest change is in age with job, where 15.0 % of the rows" in found.text
    assert found.distances is not None
    assert (found.distances.worst, found.distances.largest) == ("job", pytest.approx(0.15))
    assert [column.kind for column in found.distances.columns] == ["wasserstein", "total_variation", "wasserstein"]


def test_values_exchanged_between_rows_change_no_column_by_itself() -> None:
    text = lost(TABLE.with_columns(pl.col("pay").reverse())).text
    assert "no column by itself changed its distribution; of two together the largest change is in age with pay" in text


def test_columns_with_a_single_value_are_named_once() -> None:
    text = lost(TABLE.with_columns(age=pl.lit(30), pay=pl.col("pay") + 390)).text
    assert "1 of 3 columns holds a single value (age)" in text
    assert "among the others, the largest change of a distribution is in pay, where values would have to move" in text
    assert "10.0 % of the range on average" in text
    assert "of two columns together" not in text
