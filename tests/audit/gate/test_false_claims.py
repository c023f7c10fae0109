"""The gate for rows that are hardly changed, and claimed to come from somebody who resembles their person."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed, codes
from support.gate_tables import EVERY, NUMBER_COLUMNS, QI, SA, STAFF, judge, moved_together, noisy, shuffled, staff

PEOPLE = 160
LINK_ONLY: dict[str, Any] = {"attacks": ["link", "link_rest"], "measures": ["U6"]}


def people() -> pl.DataFrame:
    return staff(rows=PEOPLE)


def neighbours(names: tuple[str, ...]) -> Any:
    """For everybody one who comes next in the order of these columns: the next one has much the same values."""
    order = people().with_row_index("row").sort(*names, "row")["row"].to_numpy().astype(np.int64)
    claimed = np.empty(PEOPLE, np.int64)
    claimed[order] = np.roll(order, 1)
    return claimed


def in_towns(table: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    """Each of these columns shuffled by itself among the people of a town."""
    parts = [shuffled(part, names, seed=place) for place, part in enumerate(_towns(table))]
    return pl.concat(parts).sort("row").drop("row")


def together_in_towns(table: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    """All of these columns moved together to other people of the town."""
    parts = [moved_together(part, names, seed=place) for place, part in enumerate(_towns(table))]
    return pl.concat(parts).sort("row").drop("row")


def _towns(table: pl.DataFrame) -> list[pl.DataFrame]:
    return table.with_row_index("row").partition_by("town", maintain_order=True)


MUST_NOT_PASS: dict[str, Any] = {
    "the next person of the same town, sex and job": lambda: judge(
        people(), noisy(people(), 0.05), truth=neighbours(("town", "sex", "job")), **LINK_ONLY, **STAFF
    ),
    "the person with the next income of the same sex": lambda: judge(
        people(), noisy(people(), 0.02), truth=neighbours(("sex", "income")), **LINK_ONLY, **STAFF
    ),
    "another person of the town whose amounts were exchanged as a whole": lambda: judge(
        people().drop("age", "job"),
        noisy(together_in_towns(people(), SA), 0.02).drop("age", "job"),
        **LINK_ONLY,
        **{**STAFF, "qi": ("sex", "town")},
    ),
}


@pytest.mark.parametrize("claim", MUST_NOT_PASS)
def test_rows_that_are_plainly_somebody_elses_do_not_pass(claim: str) -> None:
    verdict = MUST_NOT_PASS[claim]()
    assert_not_passed(verdict)
    assert codes(verdict) & {"verbatim", "correspondence"}


def test_the_reason_says_that_rows_hold_the_values_of_others() -> None:
    verdict = MUST_NOT_PASS["the next person of the same town, sex and job"]()
    (reason,) = (reason for reason in verdict.reasons if reason.code == "verbatim")
    assert reason.evidence["share"] > 0.9
    assert "the values of another person" in reason.text


def test_amounts_exchanged_one_by_one_in_towns_are_nobodys() -> None:
    table = people().select("town", *SA)
    verdict = judge(table, in_towns(table, SA), qi=("town",), sa=SA, max_reid=0.12, **LINK_ONLY)
    assert_passed(verdict)


def test_what_is_claimed_falsely_for_a_few_rows_is_what_the_others_show() -> None:
    truth = np.arange(PEOPLE)
    truth[:20] = np.roll(truth[:20], 1)
    verdict = judge(people(), noisy(people(), 0.2, NUMBER_COLUMNS), truth=truth, **LINK_ONLY, **STAFF)
    assert_not_passed(verdict, "limit")
    assert not codes(verdict) & {"verbatim", "correspondence"}


def test_the_tables_have_the_columns_that_are_named() -> None:
    assert set(people().columns) == {*EVERY} == {*QI, *SA}
