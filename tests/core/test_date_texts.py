"""Dates in any common form: a month, a year or a decade in a release is read as what it says of the dates behind it."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

import icefire
from icefire import hierarchy
from icefire.core import date_texts
from icefire.core.errors import InputError
from icefire.hierarchy.coverage import coverage

FORMS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%Y年%m月%d日", "%d-%b-%Y", "%d%b%Y", "%Y%m%d")
ROWS = 120


def days(low: date, span: int, seed: int) -> list[date]:
    return [low + timedelta(days=int(days)) for days in np.random.default_rng(seed).integers(0, span, ROWS)]


BORN, ADMITTED = days(date(1931, 1, 1), 25_000, 1), days(date(2024, 1, 1), 365, 2)


def original(form: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "born": [day.strftime(form) for day in BORN],
            "admitted": [day.strftime(form) for day in ADMITTED],
            "pay": np.random.default_rng(3).integers(1, 3, ROWS),
        }
    )


def rate(known: pl.DataFrame, born: list[str], admitted: list[str], attack: str = "cover") -> float:
    """How many people an attack finds where dates were released as these labels."""
    released = known.with_columns(pl.Series("born", born), pl.Series("admitted", admitted))
    roles = {"qi": ["born", "admitted"], "sa": "pay"}
    audit = icefire.audit(known, released, aligned=True, attacks=attack, measures="k_min", **roles)
    return audit.scorecard.attacks[attack].rate


@pytest.mark.parametrize("form", FORMS[1:])
def test_years_and_months_tell_as_much_in_every_form_of_dates(form: str) -> None:
    labels = [str(day.year) for day in BORN], [day.strftime("%Y-%m") for day in ADMITTED]
    assert rate(original(form), *labels) == rate(original(FORMS[0]), *labels) > 0.8


@pytest.mark.parametrize("month", ["%m.%Y", "%m/%Y", "%Y/%m", "%Y年%m月", "%b %Y"])
def test_months_are_read_in_every_form(month: str) -> None:
    labels = [str(day.year) for day in BORN], [day.strftime(month) for day in ADMITTED]
    assert rate(original("%d.%m.%Y"), *labels) > 0.8


def test_several_years_weeks_and_quarters_cover_their_dates() -> None:
    decades = [f"{day.year // 10 * 10}-{day.year // 10 * 10 + 9}" for day in BORN]
    weeks = [f"{day.isocalendar().year}-W{day.isocalendar().week:02}" for day in ADMITTED]
    for form in ("%Y-%m-%d", "%d.%m.%Y"):
        assert rate(original(form), decades, weeks) > 0.8
        assert rate(original(form), decades, [f"Q{(day.month + 2) // 3} {day.year}" for day in ADMITTED]) > 0.1


def test_dates_that_were_moved_are_found_in_japanese_writing() -> None:
    known, form = original("%Y年%m月%d日"), "%Y年%m月%d日"
    moved = [(day + timedelta(days=2)).strftime(form) for day in BORN]
    assert rate(known, moved, [day.strftime(form) for day in ADMITTED], "link") > 0.8


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("昭和55年12月31日", "1980-12-31"),
        ("平成元年2月1日", "1989-02-01"),
        ("R2.1.15", "2020-01-15"),
        ("31-DEC-80", "1980-12-31"),
        ("December 31st, 1980", "1980-12-31"),
        ("31.12.1980 08:45", "1980-12-31 08:45"),
        ("１９８０／１２／３１", "1980-12-31"),
        ("19801231", "1980-12-31"),
    ],
)
def test_forms_of_dates(text: str, iso: str) -> None:
    read = date_texts.iso_dates(pl.Series([text]))
    assert read is not None
    assert read.to_list() == [iso]


@pytest.mark.parametrize("text", ["31.02.1980", "1980", "05/06/1980", "12.5", "A12", "1.2.3"])
def test_what_is_no_date_or_may_be_two(text: str) -> None:
    assert date_texts.iso_dates(pl.Series([text])) is None


def test_labels_that_are_no_dates_leave_both_columns_as_they_are() -> None:
    x, y = pl.Series(["31.12.1980", "01.02.1975"]), pl.Series(["3*", "0*"])
    assert [side.to_list() for side in date_texts.same_writing(x, y)] == [x.to_list(), y.to_list()]
    amounts = pl.Series([19_801_231, 45_000_000]), pl.Series([19_801_000, 45_000_000])
    assert all(side.dtype == pl.Int64 for side in date_texts.same_writing(*amounts))


def test_a_published_hierarchy_of_dates_in_another_form_is_understood() -> None:
    texts = pl.Series("born", ["31.12.1980", "01.02.1975", "13.05.1980"])
    known = hierarchy.dates(texts, units=["month", "year"])
    x, y = date_texts.same_writing(texts, pl.Series("born", ["1980", "1975", "1980"]))
    read = coverage(x, y, lambda: known)
    assert read is not None
    assert read.covers(read.labels[:2], read.places[:2]).all()
    assert not read.covers(read.labels[1:2], read.places[:1]).any()


@pytest.mark.parametrize("form", FORMS)
def test_generalize_keeps_parts_of_dates_in_every_form(form: str) -> None:
    recipe = {"step": [{"method": "generalize", "columns": ["born"], "unit": "decade"}]}
    data = original(form).with_columns(pl.col("born", "admitted").cast(pl.String))
    release = icefire.anonymize(data, recipe, seed=1, qi=["born", "admitted"], sa="pay")
    assert sorted(release.released.frame["born"]) == sorted(f"{day.year // 10 * 10}s" for day in BORN)


def test_dates_that_may_begin_with_the_day_or_the_month_are_not_generalised() -> None:
    with pytest.raises(InputError, match="may begin with the day"):
        hierarchy.dates(pl.Series("born", ["05/06/1980", "07/08/1981"]))


@pytest.mark.parametrize("form", ["%m/%d/%Y", "%m-%d-%y", "%d/%m/%Y", "%Y.%m.%d."])
def test_dates_of_a_release_say_themselves_what_comes_first_where_the_original_does_not(form: str) -> None:
    known = pl.Series("born", [day.isoformat() for day in ADMITTED])
    shown = pl.Series("born", [day.strftime(form) for day in ADMITTED])
    _, read = date_texts.same_writing(known, shown)
    assert read.to_list() == known.to_list()
