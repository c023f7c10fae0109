"""Shifted dates: within the days asked for, alike for one person, in the format they had."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.applied import applied, holding

from icefire.core.errors import ParameterError

DAY = timedelta(days=1)


def visits(n=3000):
    start = [date(2020, 1, 1) + DAY * (i % 300) for i in range(n)]
    return holding({"person": [i // 3 for i in range(n)], "start": start, "end": [d + 5 * DAY for d in start]})


def moves(data, made, column="start"):
    return (made.frame[column] - data.frame[column]).dt.total_days().to_numpy()


def test_every_shift_lies_within_the_days_and_all_are_equally_likely():
    data = visits(7000)
    seen = np.bincount(moves(data, applied("shift_dates", data, days=3)) + 3)
    assert len(seen) == 7
    # 7,000 rows over 7 shifts: mean 1,000, standard deviation √(7,000·6/49) = 29.3.
    assert np.abs(seen - 1000).max() < 4 * 29.3


def test_the_dates_of_a_row_move_alike_so_intervals_stay():
    data = visits()
    made = applied("shift_dates", data)
    assert (made.frame["end"] - made.frame["start"]).unique().to_list() == [5 * DAY]
    assert made.notes == {"shifted": ["start", "end"]}


def test_with_a_key_all_rows_of_a_person_move_alike_and_people_differ():
    data = visits()
    shifts = moves(data, applied("shift_dates", data, days=100, key="person")).reshape(-1, 3)
    assert (shifts == shifts[:, :1]).all()
    assert len(np.unique(shifts[:, 0])) > 150  # 1,000 people over 201 shifts
    alone = moves(data, applied("shift_dates", data, days=100)).reshape(-1, 3)
    assert (alone != alone[:, :1]).any()


def test_people_without_a_key_do_not_move_as_one():
    data = holding({"person": [None] * 500, "start": [date(2020, 1, 1)] * 500})
    assert len(np.unique(moves(data, applied("shift_dates", data, key="person")))) > 30


def test_iso_text_stays_iso_text_with_its_time():
    texts = ["2020-02-28", "2020-12-31T23:59:59+09:00", None, "1999-01-01 08:30"]
    data = holding({"seen": texts})
    made = applied("shift_dates", data, days=2).frame["seen"].to_list()
    assert made[2] is None
    for before, after in zip(texts, made, strict=True):
        if before:
            assert abs((date.fromisoformat(after[:10]) - date.fromisoformat(before[:10])).days) <= 2
            assert after[10:] == before[10:]


@pytest.mark.parametrize(
    "dtype", [pl.Date, pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ns"), pl.Datetime("us", "Asia/Tokyo")]
)
def test_dates_and_times_keep_their_type_and_their_time_of_day(dtype):
    column = pl.Series([datetime(2020, 3, 1, 13, 45), None]).cast(pl.Datetime("us"))
    data = holding({"seen": column.dt.date() if dtype == pl.Date else column.cast(dtype)})
    made = applied("shift_dates", data, days=400).frame["seen"]
    assert made.dtype == dtype
    assert made[1] is None
    assert abs((made[0] - data.frame["seen"][0]).days) <= 400
    if dtype != pl.Date:
        assert made[0].time() == data.frame["seen"][0].time()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.dates(date(1900, 1, 1), date(2100, 1, 1)) | st.none(), min_size=1, max_size=8), st.integers(1, 900))
def test_text_and_dates_move_the_same_way(dates, days):
    column = pl.Series(dates, dtype=pl.Date)
    if column.null_count() == len(column):
        return
    as_dates = applied("shift_dates", holding({"seen": column}), days=days).frame["seen"]
    as_text = applied("shift_dates", holding({"seen": column.cast(pl.String)}), days=days).frame["seen"]
    assert as_dates.cast(pl.String).equals(as_text)


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y", "%d-%b-%Y", "%Y年%m月%d日", "%Y/%m/%d"])
def test_dates_in_other_forms_move_as_the_same_dates_do(form):
    days = pl.Series([date(1980, 12, 31), date(1999, 2, 3), None, date(2020, 2, 29)])
    data, same = holding({"seen": days.dt.strftime(form)}), holding({"seen": days.dt.strftime("%Y-%m-%d")})
    moved = applied("shift_dates", data, days=40)
    assert moved.frame["seen"].equals(applied("shift_dates", same, days=40).frame["seen"])
    assert moved.notes == {"shifted": ["seen"]}


def test_a_table_without_dates_stays_as_it_is_and_says_so():
    data = holding({"q": ["a", "2020-13-45"], "s": [20200101, 3]})
    made = applied("shift_dates", data)
    assert made.frame.select("q", "s").equals(data.frame)
    assert made.notes == {"shifted": []}


@pytest.mark.parametrize(
    "values", [["a", "b"], [20200101, 20200102], ["2020-13-45", "2020-01-01"], ["05/06/1980", "1/2/1981"]]
)
def test_a_named_column_must_hold_dates(values):
    with pytest.raises(ParameterError, match="shift_dates: column 'seen' holds no dates, or dates that may begin"):
        applied("shift_dates", holding({"seen": values}), columns="seen")


@pytest.mark.parametrize("placeholder", ["9999-12-31", "0001-01-01"])
def test_a_placeholder_at_the_end_of_the_calendar_is_named(placeholder):
    data = holding({"seen": ["2020-01-01", placeholder]})
    with pytest.raises(ParameterError, match=f"holds {placeholder}, which 30 days may move out of the calendar; make"):
        applied("shift_dates", data)
