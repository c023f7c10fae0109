"""Columns that look like HIPAA identifiers, and columns that do not."""

from __future__ import annotations

from datetime import date, datetime

import polars as pl
import pytest

import icefire
from icefire.risk import identifiers, safe_harbour

ROWS = 60


def looks(name, values, dtype=None):
    """The paragraph a column is put under, or None."""
    found = safe_harbour.check(pl.DataFrame({name: pl.Series(name, values, dtype=dtype)})).found
    return found[0].paragraph if found else None


NUMBERS = [7_000_003 * i + 11 for i in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "values", "paragraph"),
    [
        ("first_name", ["Ann", "Bob", "Cy"], "A"),
        ("Surname", ["Ay", "Bee", "Cee"], "A"),
        ("zip", [12345, 12346, 12345], "B"),
        ("HomeCity", ["Aix", "Bath", None], "B"),
        ("birth_date", [date(1980, 5, 17), date(1981, 1, 1)], "C"),
        ("seen", [datetime(2020, 1, 1, 12), datetime(2021, 1, 1)], "C"),
        ("when", ["2020-05-17", "17.05.2020", "2021/12"], "C"),
        ("dob", [19800517, 19810203], "C"),
        ("birth_month", [1, 12, 3], "C"),
        ("age", [34, 90, 12], "C"),
        ("age", ["30-39", "90-99"], "C"),
        ("phone", NUMBERS, "D"),
        ("x", ["+1 212 555 0100", "(212) 555-0101", "03-1234-5678"], "D"),
        ("fax", ["1", "2"], "E"),
        ("note", ["call me", "write to a.b@example.org please"], "F"),
        ("EMail", [None, "none"], "F"),
        ("x", ["no", "123-45-6789"], "G"),
        ("ssn", NUMBERS, "G"),
        ("patientID", NUMBERS, "H"),
        ("member_no", NUMBERS, "I"),
        ("account_number", NUMBERS, "J"),
        ("driver_licence", NUMBERS, "K"),
        ("licence_plate", ["A 1", "B 2"], "L"),
        ("device_id", NUMBERS, "M"),
        ("x", ["see https://example.org/me", "-"], "N"),
        ("x", ["192.168.0.17", "10.0.0.1"], "O"),
        ("ip_address", NUMBERS, "O"),
        ("fingerprint", ["ab", "cd"], "P"),
        ("photo", ["1.jpg", "2.jpg"], "Q"),
        ("respondent_id", NUMBERS, "R"),
        ("CustomerID", [*range(0, 999, 9)] * 5, "R"),  # several rows each
        ("x", [f"{i:x}-{i * i:x}" for i in range(ROWS)], "R"),
        ("x", list(range(1000, 1000 + ROWS)), "R"),
        ("x", [f"{i} said that it had been a long, long day with nothing whatever to report" for i in range(5)], "A–R"),
    ],
)
def test_identifiers_are_noticed_by_name_or_by_value(name, values, paragraph):
    assert looks(name, values) == paragraph


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("region", ["north", "south"]),
        ("members", [1, 2, 3]),
        ("country", ["FR", "JP"]),
        ("product_name", ["soap", "tea", "rice"]),
        ("visit_date", [date(2020, 1, 1), date(2021, 1, 1)]),  # no more than the year
        ("birth_date", [1980, 1981]),
        ("year", ["1980", "1981"]),
        ("age", [0, 89]),
        ("age", ["80-89", "90+", "over 90"]),
        ("age_months", [100, 12]),
        ("age_group", [1, 2, 95]),
        ("language", [95, 96]),
        ("range", ["30-39", "40-49"]),
        ("has_phone", [True, False, True, True, False]),
        ("account_type", ["a", "b", "a", "a", "a"]),
        ("product_id", [*range(0, 999, 9)] * 5),
        ("income", NUMBERS),
        ("weight", [61.5 + i for i in range(ROWS)]),
        ("empty", [None, None]),
        ("x", ["1", "2", "3"]),  # too few rows to tell
    ],
)
def test_ordinary_columns_are_left_alone(name, values):
    assert looks(name, values) is None


def test_a_finding_says_what_why_and_what_to_do_and_shows_no_value():
    table = pl.DataFrame({"contact": ["a.b@example.org", "none", None], "age": [95, 20, 91]})
    mail, age = safe_harbour.check(table).found
    assert (mail.what, mail.why) == ("an e-mail address", "1 of 2 distinct values look like one")
    assert age.why == "the name says age, and 2 rows lie over 89"
    assert "90 or older" in age.advice
    assert "example" not in str(mail)
    assert "95" not in str(age)


def test_every_letter_of_the_rule_has_its_kind():
    rules = [*identifiers.BY_NAME, identifiers.AGE]
    assert {rule.paragraph for rule in rules} == set("ABCDEFGHIJKLMNOPQR")


@pytest.mark.parametrize("name", ["patientID", "patient_id", "Patient-Id", "PATIENT ID", "patient.id"])
def test_names_are_read_as_words_however_they_are_written(name):
    assert identifiers.plain(name) == "patient id"


def test_the_sample_has_no_identifiers(households):
    assert safe_harbour.check(households.frame).found == []


def test_an_audit_looks_at_every_released_column_even_one_the_original_lacks(households):
    released = households.frame.with_columns(email=pl.Series([f"p{i}@example.org" for i in range(households.height)]))
    found = icefire.audit(households, released, aligned=True).scorecard.risks.safe_harbour
    assert found.columns == released.width
    assert [column.column for column in found.found] == ["email"]
