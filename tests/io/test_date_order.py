"""Dates of histories that end with the year: the column decides the order, or an option does, or it is an error."""

from __future__ import annotations

import polars as pl
import pytest
from support.commands import run_icefire

import icefire
from icefire.core.errors import InputError, ParameterError
from icefire.core.history.date_order import year_first


def history(dates: list[str], **options):
    rows = {"who": ["a", "b"] * (len(dates) // 2), "what": ["x", "y"] * (len(dates) // 2), "date": dates}
    return icefire.read(pl.DataFrame(rows), subject="who", item="what", **options)


@pytest.mark.parametrize(
    ("dates", "expected", "order"),
    [
        (["31/12/2020", "01/02/2020"], ["2020-12-31", "2020-02-01"], "day"),
        (["12/31/2020", "1/2/2020"], ["2020-12-31", "2020-01-02"], "month"),
        (["31.12.2020", "1.2.2020"], ["2020-12-31", "2020-02-01"], "day"),
        (["13-5-2020 8:05", "01-02-2020 23:59:01"], ["2020-05-13 08:05", "2020-02-01 23:59:01"], "day"),
        (["12/31/2020 12:05 AM", "1/2/2020 8:45 PM"], ["2020-12-31 00:05", "2020-01-02 20:45"], "month"),
    ],
)
def test_a_number_above_twelve_decides(dates, expected, order):
    read = history(dates)
    assert (read.frame["date"].to_list(), read.date_order) == (expected, order)
    assert read.reading is None or any(f"{order} first" in note for note in read.reading.notes())


def test_dates_that_start_with_the_year_stay_as_they_are():
    assert history(["2020/1/2", "2020-12-31"]).frame["date"].to_list() == ["2020/1/2", "2020-12-31"]


def test_dates_that_could_be_both_are_refused_until_the_order_is_named():
    with pytest.raises(InputError, match=r"'01/02/2020' can be read day first or month first.*date_order"):
        history(["01/02/2020", "03/04/2020"])
    assert history(["01/02/2020", "03/04/2020"], date_order="day").frame["date"][0] == "2020-02-01"
    assert history(["01/02/2020", "03/04/2020"], date_order="month").frame["date"][0] == "2020-01-02"


def test_a_column_that_contradicts_itself_or_the_option_is_refused():
    with pytest.raises(InputError, match=r"'12/31/2020' is no date with the day first"):
        history(["31/12/2020", "12/31/2020"])
    with pytest.raises(InputError, match=r"'31/12/2020' is no date with the month first"):
        history(["31/12/2020", "01/02/2020"], date_order="month")
    with pytest.raises(ParameterError, match="allowed are day"):
        history(["31/12/2020", "01/02/2020"], date_order="year")


def test_impossible_days_are_refused_later():
    with pytest.raises(InputError, match="row 1 holds '2020-02-31'"):
        history(["13/12/2020", "31/02/2020"])


def test_numbers_and_missing_dates_are_no_matter_of_order():
    column = pl.Series("date", ["31/12/2020", None])
    assert year_first(column, None)[0].to_list() == ["2020-12-31", None]


def test_the_release_is_read_in_the_order_of_the_original(tmp_path, capsys, monkeypatch):
    """Days cut to the first of the month decide nothing by themselves: 01/03/2020 is in March, as in the original."""
    monkeypatch.chdir(tmp_path)
    days = [(13 + i, 1 + i % 4) for i in range(12)]
    names = ["abcd"[i % 4] for i in range(12)]
    rows = pl.DataFrame({"who": names, "what": [f"g{i % 5}" for i in range(12)]})
    rows.with_columns(date=pl.Series([f"{d}/{m:02}/2020" for d, m in days])).write_csv("known.csv")
    rows.with_columns(date=pl.Series([f"01/{m:02}/2020" for _, m in days])).write_csv("shown.csv")
    common = ("known.csv", "shown.csv", "--subject", "who", "--item", "what", "--aligned")
    done = run_icefire(capsys, "audit", *common, "--json", "card.json")
    assert done.code in (0, 1), done.err
    assert "day first" in run_icefire(capsys, "inspect", "known.csv", *common[2:6], "--verbose").err
    done = run_icefire(capsys, "inspect", "shown.csv", *common[2:6])
    assert (done.code, "--date-order day" in done.err) == (2, True)
    assert run_icefire(capsys, "inspect", "shown.csv", *common[2:6], "--date-order", "day").code == 0


def test_dates_with_points_beside_decimal_commas_are_no_numbers(tmp_path):
    """A German till: 31.12.2025;3,50."""
    rows = "".join(f"K{i % 4};{1 + i}.{1 + i % 12}.2025;Brot{i % 3};{i},50\n" for i in range(1, 25))
    (tmp_path / "till.csv").write_text("Kunde;Datum;Artikel;Preis\n" + rows)
    names = {"subject": "Kunde", "item": "Artikel", "date": "Datum", "price": "Preis"}
    read = icefire.read(tmp_path / "till.csv", **names)
    assert (read.frame["Datum"][0], read.frame["Preis"][0], read.date_order) == ("2025-02-02", 1.5, "day")


def test_the_next_command_after_recipe_init_names_the_roles(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": [20 + i % 9 for i in range(40)], "pay": [1000 + i for i in range(40)]}).write_csv("p.csv")
    done = run_icefire(capsys, "recipe", "init", "p.csv", "--qi", "age", "--sa", "pay", "-o", "r.toml")
    assert "icefire recipe check r.toml p.csv --qi age --sa pay" in done.out
    assert run_icefire(capsys, "recipe", "check", "r.toml", "p.csv", "--qi", "age", "--sa", "pay").code == 0


def test_recipe_init_answers_for_three_hundred_columns(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kinds = (
        lambda i, r: (i * r) % 90,
        lambda i, r: f"v{(i + r) % 5}",
        lambda i, r: f"2020-{1 + r % 12:02}-{1 + i % 28:02}",
    )
    table = {f"c{i}": [kinds[i % 3](i, row) for row in range(200)] for i in range(300)}
    pl.DataFrame(table).write_csv("wide.csv")
    done = run_icefire(capsys, "recipe", "init", "wide.csv", "--infer-roles", "-o", "r.toml")
    assert done.code == 0, done.err
    assert "k_anonymize" in (tmp_path / "r.toml").read_text()
