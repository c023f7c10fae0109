"""Data of an organiser's own: one file for all rounds, or one for each."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime

import pytest

import icefire
from icefire import contests
from icefire.arena import setup
from icefire.arena.setup import SetupPlan
from icefire.core.errors import IcefireError, ParameterError

BEGIN = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def tables(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("first", "second", "third")]
    for seed, path in enumerate(paths):
        icefire.sample("households", 40, seed=seed).frame.write_csv(path)
    return paths


def test_every_round_has_its_own_file(tables, tmp_path):
    definition = setup.create(tmp_path / "cup", SetupPlan(data=tuple(tables[:2])), BEGIN)
    assert [one.data for one in definition.rounds] == ["original_1.csv", "original_2.csv"]
    for one, path in zip(definition.rounds, tables, strict=False):
        assert (tmp_path / "cup" / one.data).read_bytes() == path.read_bytes()


def test_one_file_serves_all_rounds(tables, tmp_path):
    definition = setup.create(tmp_path / "cup", SetupPlan(data=(tables[0],)), BEGIN)
    assert [one.data for one in definition.rounds] == ["original.csv", "original.csv"]


def test_an_own_contest_ranks_by_what_has_a_value_on_the_data(tmp_path):
    path = tmp_path / "own.csv"
    rows = [f"{20 + n},{'xy'[n % 2]},{1000 + 7 * n},{('no', 'yes', 'no')[n % 3]}" for n in range(60)]
    path.write_text("\n".join(["age,job,pay,sick", *rows]))
    plan = SetupPlan(rules="custom", data=(path,), qi=("age", "job"), sa=("pay", "sick"))
    made = setup.create(tmp_path / "cup", plan, BEGIN)
    assert made.custom is not None
    assert made.custom["utilities"] == ["U1", "U2", "U3", "U5", "U6"]


@pytest.mark.parametrize(("count", "minutes", "message"), [(3, None, "give 1 or 2"), (2, 20, "give 1: one for all")])
def test_another_number_of_files_is_refused(tables, tmp_path, count, minutes, message):
    with pytest.raises(ParameterError, match=message):
        setup.create(tmp_path / "cup", SetupPlan(data=tuple(tables[:count]), minutes=minutes), BEGIN)
    assert not (tmp_path / "cup").exists()


def test_customers_come_with_each_file(tables, tmp_path):
    plan = SetupPlan(rules="pwscup2016", data=tuple(tables[:2]), customers=(tables[0],))
    with pytest.raises(ParameterError, match="give as many of both"):
        setup.create(tmp_path / "cup", plan, BEGIN)


@pytest.fixture
def shop_files(tmp_path):
    shop = icefire.sample("shop", 30)
    paths = [tmp_path / "T.csv", tmp_path / "M.csv"]
    shop.frame.write_csv(paths[0])
    shop.customers.write_csv(paths[1])
    return paths


COLUMNS = {"subject": "customer", "item": "goods", "date": "date", "price": "price", "number": "number"}


def test_a_history_of_one_s_own_loses_its_header_and_can_be_judged(shop_files, tmp_path):
    rows, people = shop_files
    plan = SetupPlan(rules="custom", data=(rows,), customers=(people,), fields=COLUMNS)
    definition = setup.create(tmp_path / "cup", plan, BEGIN)
    assert definition.custom["asks"] == "customers"
    assert definition.custom["columns"] == rows.read_text().splitlines()[0].split(",")
    assert definition.custom["utilities"] == ["u1_cmae", "u2_cmae", "u3_rfm"]
    one = definition.rounds[0]
    assert (tmp_path / "cup" / one.data).read_text().splitlines() == rows.read_text().splitlines()[1:]
    given = tmp_path / "given"
    given.mkdir()
    shutil.copyfile(tmp_path / "cup" / one.data, given / "original.csv")
    shutil.copyfile(tmp_path / "cup" / one.customers, given / "people.csv")
    game = contests.get_or_build("custom", definition.custom).play(joint_attacks=False)
    measures = game.judge_original(given, 1)["measures"]
    assert [measures[name]["value"] for name in game.utilities] == pytest.approx([0, 0, 0])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "a history of your own takes"),
        ({"subject": "customer"}, "a history of your own takes"),
        ({"subject": "custmer", "item": "goods"}, "did you mean 'customer'"),
        ({"subject": "customer", "item": "goods", "price": "date"}, "column date: '20.*' is not allowed"),
    ],
)
def test_a_history_that_cannot_be_told_is_refused(shop_files, tmp_path, fields, message):
    rows, people = shop_files
    plan = SetupPlan(rules="custom", data=(rows,), customers=(people,), fields=fields)
    with pytest.raises(IcefireError, match=message):
        setup.create(tmp_path / "cup", plan, BEGIN)
    assert not (tmp_path / "cup").exists()


def test_a_table_has_no_columns_of_a_history(tables, tmp_path):
    with pytest.raises(ParameterError, match="history of your own"):
        setup.create(tmp_path / "cup", SetupPlan(data=(tables[0],), fields=COLUMNS), BEGIN)
