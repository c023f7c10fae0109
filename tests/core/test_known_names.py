"""Roles of small tables: what names people, what others know of them, and dates."""

from __future__ import annotations

import polars as pl
import pytest

from icefire.core import roles
from icefire.core.schema import Role


def role_of(name: str, values: list[object]) -> Role:
    schema = roles.infer(pl.DataFrame({name: values, "other": ["a", "b"] * (len(values) // 2)}))
    return next(column.role for column in schema.columns if column.name == name)


@pytest.mark.parametrize("name", ["person", "resp_id", "PatientID", "氏名", "患者番号", "email"])
def test_different_values_under_a_name_of_people_are_identifiers_in_small_tables_too(name):
    assert role_of(name, [f"p{i}" for i in range(40)]) is Role.ID
    assert role_of(name, [f"p{i % 5}" for i in range(40)]) is Role.QI, "the same in many rows: no identifier"


@pytest.mark.parametrize("name", ["postcode", "zip_code", "郵便番号", "PLZ"])
def test_postcodes_are_known_even_where_all_differ(name):
    assert role_of(name, [f"{100 + i}-{i:04}" for i in range(200)]) is Role.QI


@pytest.mark.parametrize("form", ["19{:02}/{}/{}", "{2}.{1}.19{0:02}", "19{:02}-{}-{} 08:15", "19{:02}年{}月{}日"])
def test_dates_are_known_even_where_all_differ(form):
    days = [form.format(i % 100, 1 + i % 12, 1 + i % 28) for i in range(200)]
    assert role_of("c", days) is Role.QI


@pytest.mark.parametrize("form", ["19{:02}{:02}{:02}", "19{:02}{:02}"])
def test_days_and_months_written_as_one_number_are_dates_and_no_amounts(form):
    assert role_of("c", [int(form.format(i % 100, 1 + i % 12, 1 + i % 28)) for i in range(200)]) is Role.QI
    assert role_of("c", [int(form.format(i % 100, 1 + i % 31, 1 + i % 28)) for i in range(200)]) is Role.SA


def test_other_text_that_differs_in_every_row_stays_an_identifier():
    assert role_of("c", [f"x{i}" for i in range(200)]) is Role.ID


@pytest.mark.parametrize(
    "name",
    ["hba1c", "HbA1c_mmol", "has_dementia", "systolic_bp", "CharlsonIndex", "drug", "既往歴", "diagnosi"],
)
def test_flags_and_measurements_of_health_are_sensitive(name):
    assert role_of(name, [i % 2 for i in range(40)]) is Role.SA


@pytest.mark.parametrize("name", ["drugstore", "race", "h1", "ward", "城市"])
def test_other_names_of_few_values_are_known(name):
    assert role_of(name, [i % 2 for i in range(40)]) is Role.QI


@pytest.mark.parametrize(
    "name", ["name", "Last Name", "patient_name", "surname", "e_mail_email", "氏名", "フリガナ", "Nachname"]
)
def test_names_of_people_are_identifiers_though_many_share_them(name: str) -> None:
    """Surnames repeat in every file of some length; they were taken for quasi-identifiers, and released."""
    assert role_of(name, [f"Sato {i % 40}" for i in range(200)]) is Role.ID


@pytest.mark.parametrize(("name", "values"), [("town_name", 40), ("product_name", 40), ("phone", 2), ("members", 5)])
def test_names_of_other_things_are_none(name: str, values: int) -> None:
    assert role_of(name, [f"v{i % values}" for i in range(200)]) is Role.QI


def test_addresses_of_mail_are_identifiers_though_people_have_several_rows() -> None:
    assert role_of("contact", [f"p{i % 50}@example.org" for i in range(200)]) is Role.ID


@pytest.mark.parametrize("name", ["ill", "sick_leave", "covid19", "cause_of_death", "処方", "ｱﾚﾙｷﾞｰ", "injury_type"])
def test_more_words_of_health_are_sensitive(name: str) -> None:
    assert role_of(name, ["y", "n"] * 20) is Role.SA
