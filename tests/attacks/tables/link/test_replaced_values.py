"""Columns whose values were replaced by others: dates, similar texts, order, reversed order, frequency."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.gate_tables import NUMBER_COLUMNS, staff

import icefire
from icefire.attacks.tables.link.columns import encoded, readable
from icefire.attacks.tables.link.dates import as_days, days
from icefire.attacks.tables.link.ordering import levels_to_learn
from icefire.attacks.tables.link.similar_texts import as_similar_texts
from icefire.attacks.tables.link.starts import starts_of_replaced_values


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1970-01-02", None], [1.0, None]),
        (["02.01.1970", "03.01.1970"], [1.0, 2.0]),
        (["1/31/1970", "1/2/1970"], [30.0, 1.0]),
        (["1970-01-02T10:30:00", "1970-01-03 00:00"], [1.0, 2.0]),
        (["19700102", "20000101"], None),
        (["1970-01", "1970-02"], None),
        (["1970-13-45", "1970-01-01"], None),
        ([None, None], None),
    ],
)
def test_dates_are_days(texts, expected) -> None:
    got = days(pl.Series("day", texts, dtype=pl.String))
    if texts == ["19700102", "20000101"]:
        assert got is not None
        assert got.to_list() == [1.0, 10957.0]
    else:
        assert (None if got is None else got.to_list()) == expected


DATES = pl.Series("day", [f"19{year}-0{month}-1{month}" for year in range(50, 60) for month in (1, 5, 9)])


@pytest.mark.parametrize(
    ("released", "expected"),
    [
        (["*", "?", *DATES[2:]], [None, None, *days(DATES)[2:]]),
        (DATES.str.replace(r"(\d{4})-(\d\d)-\d\d", "$2.$1"), days(DATES.str.replace(r"\d\d$", "15"))),
        (days(DATES) + 700, days(DATES) + 700),
        ((days(DATES) + 700).cast(pl.String), days(DATES) + 700),
    ],
    ids=["suppressed cells", "months", "days since some date", "days since some date as text"],
)
def test_dates_in_other_forms_compare_with_days(released, expected) -> None:
    compared = as_days(DATES, pl.Series("day", released))
    assert compared is not None
    assert [side.to_list() for side in compared] == [days(DATES).to_list(), list(expected)]


@pytest.mark.parametrize(
    "released", [DATES.str.head(4).cast(pl.Int64), DATES.str.head(7), DATES.str.head(3) + "*", ["*"] * len(DATES)]
)
def test_years_and_labels_are_not_compared_with_days(released) -> None:
    assert as_days(DATES, pl.Series("day", released)) is None


def test_dates_of_both_tables_compare_however_they_are_written() -> None:
    x, y = readable(pl.Series("d", ["2020-01-31", "2021-05-01"]), pl.Series("d", ["31.01.2020", "01.05.2021"]))
    assert x.to_list() == y.to_list()


def test_changed_texts_are_read_as_the_texts_they_resemble() -> None:
    x = pl.Series("t", ["late invoice wrong box", "router broken again", "happy customer renewal", "slow parcel"])
    y = pl.Series("t", ["ROUTER BROKEN AGAIN", "late invoice wr", "customer renewal happy", None])
    assert as_similar_texts(x, y).to_list() == [x[1], x[0], x[2], None]


def test_labels_for_several_values_are_not_taken_for_one_of_them() -> None:
    x = pl.Series("t", [f"town {a} street {b}" for a in "abcd" for b in range(8)])
    y = pl.Series("t", [f"town {a}" for a in "abcd" for b in range(8)])
    assert as_similar_texts(x, y).to_list() == y.to_list()


@pytest.mark.parametrize("label", ["{}*", "[{}, {}]", "1{}"])
def test_masks_intervals_and_digits_are_no_free_text(label) -> None:
    x = pl.Series("t", [f"{number}7" for number in range(1000, 1020)])
    y = pl.Series("t", [label.format(number, number) for number in range(1000, 1020)])
    assert as_similar_texts(x, y).to_list() == y.to_list()


def test_codes_that_resemble_nothing_stay() -> None:
    x = pl.Series("t", [f"town {number}" for number in range(20)])
    y = pl.Series("t", [f"K{number * 7919}" for number in range(20)])
    assert as_similar_texts(x, y).to_list() == y.to_list()


def test_where_values_stayed_in_place_nothing_more_is_tried() -> None:
    table = staff()
    columns = encoded([(*readable(table[name], table[name]), 128) for name in sorted(table.columns)])
    assert starts_of_replaced_values(columns) == []


def test_columns_in_reversed_order_are_seen_before_any_row_is_matched() -> None:
    table = staff()
    released = table.with_columns(-pl.col("rent", "tax"))
    columns = encoded([(*readable(table[name], released[name]), 128) for name in sorted(table.columns)])
    last = starts_of_replaced_values(columns)[-1]
    names = {column.name for column, channel in zip(columns, last, strict=True) if channel.family == "reversed_rank"}
    assert names >= {"rent", "tax"}
    assert not names & (set(NUMBER_COLUMNS) - {"rent", "tax", "age"})


@pytest.mark.parametrize("change", [lambda c: c / 1000, lambda c: c * -2 + 9.0, lambda c: c.log()])
def test_link_finds_people_by_the_order_of_their_values(change) -> None:
    table = staff(rows=200)
    rng = np.random.default_rng(1)
    released = table.with_columns(change(pl.col(NUMBER_COLUMNS))).with_columns(
        table[name].gather(rng.permutation(200)) for name in ("sex", "job", "town")
    )
    card = icefire.audit(table, released, aligned=True, qi=("sex", "job"), sa=(), attacks=["link"]).scorecard
    assert card.attacks["link"].rate > 0.9


def test_link_recognises_categories_under_other_names_by_their_frequency() -> None:
    rng = np.random.default_rng(2)
    names = [f"question {number}" for number in range(14)]
    answers = {name: rng.choice(list("abcd"), 200, p=[0.5, 0.28, 0.15, 0.07]) for name in names}
    table = pl.DataFrame(answers)
    released = table.with_columns(pl.all().replace({"a": "z", "b": "y", "c": "x", "d": "w"}))
    card = icefire.audit(table, released, aligned=True, qi=tuple(names[:3]), sa=(), attacks=["link"]).scorecard
    assert card.attacks["link"].rate > 0.9


def test_the_more_columns_the_coarser_they_are_while_channels_are_learned() -> None:
    assert levels_to_learn(1) == levels_to_learn(50) == 128
    assert [levels_to_learn(columns) ** 2 * columns * 80 <= 1 << 26 for columns in (200, 500, 5000)] == [True] * 3


TIMES = pl.Series("at", [f"2024-03-0{day} {hour:02d}:30" for day in (1, 2) for hour in (0, 9, 18)])


@pytest.mark.parametrize(
    ("released", "seconds"),
    [
        (TIMES.str.replace(" ", "T"), [86_400 * day + 3600 * hour + 1800 for day in (0, 1) for hour in (0, 9, 18)]),
        (TIMES.str.tail(5), [3600 * hour + 1800 for _ in range(2) for hour in (0, 9, 18)]),
        (
            pl.Series(["12:30 am", "9:30 AM", "6:30:00 pm", "12:30 pm", "00:30", "18:30"]),
            [3600 * hour + 1800 for hour in (0, 9, 18, 12, 0, 18)],
        ),
    ],
    ids=["date and time", "time alone", "halves of the day"],
)
def test_times_of_day_are_compared_in_seconds(released, seconds) -> None:
    compared = as_days(TIMES, released.alias("at"))
    assert compared is not None
    first_day = days(TIMES)[0] * 86_400 if max(seconds) > 86_400 else 0.0
    assert (compared[1] - first_day).to_list() == seconds


def test_days_without_times_are_compared_as_days() -> None:
    compared = as_days(TIMES, TIMES.str.head(10))
    assert compared is not None
    assert compared[0].to_list() == compared[1].to_list()
