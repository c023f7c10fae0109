"""The synthetic shop: its shape, its resemblance to the contest's data, its reproducibility, its files."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from support.commands import run_icefire

from icefire import samples
from icefire.audit.inspection import history_statistics
from icefire.core.errors import ParameterError
from icefire.core.history import History
from icefire.io.histories import read
from icefire.samples import shop
from icefire.samples.shop.goods import DEPARTMENTS, FIRST_CODE, POSTAGE, catalogue

COLUMNS = ["customer", "receipt", "date", "time", "goods", "price", "number"]


@pytest.fixture(scope="module")
def data() -> History:
    return shop.history()


@pytest.fixture(scope="module")
def found(data: History) -> history_statistics.Statistics:
    return history_statistics.describe_history(data)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(shop, "CHUNK_CUSTOMERS", 16)
    return 16


def department(goods: pl.Series) -> pl.Series:
    """The department of each good."""
    ends = np.cumsum([kind.goods for kind in DEPARTMENTS.values()])
    number = goods.replace(POSTAGE, None).cast(pl.Int64).fill_null(FIRST_CODE + int(ends[-1])) - FIRST_CODE
    return pl.Series([*DEPARTMENTS, POSTAGE]).gather(np.searchsorted(ends, number.to_numpy(), side="right"))


# --- Shape ---


def test_the_columns_of_both_tables(data: History) -> None:
    assert data.frame.columns == COLUMNS
    assert data.customers is not None
    assert data.customers.columns == ["customer", "sex", "birthday", "country"]
    assert sum(data.frame.null_count().row(0)) == sum(data.customers.null_count().row(0)) == 0


def test_everybody_buys_and_nobody_is_unknown(data: History) -> None:
    assert data.subjects == 400
    assert (data.baskets.sizes > 0).all()
    assert (data.codes >= 0).all()


def test_a_receipt_has_one_customer_and_one_moment(data: History) -> None:
    per = data.frame.group_by("receipt").agg(pl.col("customer", "date", "time").n_unique())
    assert per.select(pl.all().exclude("receipt").max()).row(0) == (1, 1, 1)


def test_prices_and_numbers_are_above_zero(data: History) -> None:
    assert data.prices.min() >= 0.01
    assert data.numbers.min() >= 1
    assert np.allclose(100 * data.prices, np.rint(100 * data.prices))


def test_it_reads_like_any_other_history(data: History) -> None:
    again = read(data.frame, {"subject": "customer", "item": "goods"}, customers=data.customers)
    assert again.fields == shop.FIELDS
    assert again.frame.equals(data.frame)


# --- Resemblance to the data of PWS Cup 2016 ---


def test_it_has_the_size_of_the_contest_s_data(found: history_statistics.Statistics) -> None:
    assert found.rows == pytest.approx(38_087, rel=0.05)
    assert found.receipts == pytest.approx(1_763, rel=0.03)
    assert found.goods == pytest.approx(2_781, rel=0.03)
    assert found.goods_per_customer.mean == pytest.approx(65.7, rel=0.03)


def test_its_customers_are_as_unlike_as_the_contest_s(found: history_statistics.Statistics) -> None:
    assert found.jaccard.mean == pytest.approx(0.03, abs=0.002)
    assert 0.2 < found.jaccard.max < 0.6


@pytest.mark.parametrize("seed", [1, 2, 3, 2015])
def test_other_seeds_come_near(seed: int) -> None:
    other = history_statistics.describe_history(shop.history(seed=seed))
    assert other.rows == pytest.approx(38_087, rel=0.15)
    assert other.goods == pytest.approx(2_781, rel=0.04)
    assert other.jaccard.mean == pytest.approx(0.03, abs=0.004)


def test_customers_and_goods_are_long_tailed(data: History, found: history_statistics.Statistics) -> None:
    assert found.rows_per_customer.mean > 1.8 * found.rows_per_customer.median
    buyers = np.sort(data.baskets.buyers)[::-1]
    assert buyers[0] > 200  # postage
    assert 70 < buyers[1] < 160
    assert np.median(buyers) <= 6


def test_everybody_is_alone_with_his_goods(data: History) -> None:
    sets = data.frame.group_by("customer").agg(pl.col("goods").unique().sort().str.join(" "))
    assert sets["goods"].n_unique() > 395


# --- Habits ---


def test_people_come_back_for_what_they_bought_before(data: History) -> None:
    # Of the goods on later receipts far more than chance were on an earlier one.
    lines = data.frame.unique(["customer", "receipt", "goods"])
    first = lines.group_by("customer", "goods").agg(pl.col("receipt").min())
    known = lines.join(first, on=["customer", "goods"], suffix="_first")
    later = known.filter(pl.col("receipt") > pl.col("receipt").min().over("customer"))
    again = (later["receipt"] > later["receipt_first"]).mean()
    assert 0.25 < again < 0.6  # type: ignore[operator]


def test_christmas_is_sold_in_autumn_and_the_garden_in_spring(data: History) -> None:
    month = data.frame["date"].str.slice(5, 2).cast(pl.Int64)
    sold = pl.DataFrame({"department": department(data.frame["goods"]), "month": month})

    def share(name: str, months: list[int]) -> float:
        return float((sold.filter(pl.col("month").is_in(months))["department"] == name).mean())  # type: ignore[arg-type]

    assert share("christmas", [9, 10, 11]) > 1.5 * share("christmas", [3, 4, 5])
    assert share("garden", [4, 5, 6]) > 1.5 * share("garden", [10, 11, 12])
    assert (month == 11).mean() > 1.5 * (month == 2).mean()  # type: ignore[operator]


def test_nobody_buys_on_a_saturday(data: History) -> None:
    days = data.frame["date"].str.to_date()
    assert 6 not in days.dt.weekday()
    assert str(days.dt.year().unique().to_list()) == "[2024]"


def test_postage_is_for_those_abroad(data: History) -> None:
    assert data.customers is not None
    rows = data.frame.join(data.customers, on="customer")
    posted = rows.filter(pl.col("goods") == POSTAGE)
    assert "United Kingdom" not in posted["country"]
    assert posted["country"].n_unique() > 15


def test_dear_goods_are_bought_in_smaller_numbers(data: History) -> None:
    assert np.corrcoef(np.log(data.prices), np.log(data.numbers))[0, 1] < -0.25


# --- Reproducibility ---


def test_the_first_rows_never_change() -> None:
    # Printed once. If this fails, every figure made from the sample changes: say so in the changelog.
    text = shop.frame(50).write_csv() + pl.concat(shop.customers(50)).write_csv()
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest == "974f37699762a342f4b47d36b2ca280729f2b2881d12266009a5640e311156ce"


def test_the_same_seed_gives_the_same_bytes(data: History) -> None:
    assert shop.history().frame.equals(data.frame)
    assert not shop.history(seed=1).frame.head(100).equals(data.frame.head(100))


@pytest.mark.parametrize("n", [2, 15, 16, 17, 40])
def test_fewer_customers_are_a_prefix_of_more(small_chunks: int, n: int) -> None:
    longer, shorter = shop.frame(50), shop.frame(n)
    assert shorter.equals(longer.head(shorter.height))
    assert shorter["customer"].n_unique() == n
    people = pl.concat(shop.customers(50))
    assert pl.concat(shop.customers(n)).equals(people.head(n))


def test_chunks_hold_whole_customers_and_receipts_go_on_counting(small_chunks: int) -> None:
    pieces = list(shop.chunks(40))
    assert [piece["customer"].n_unique() for piece in pieces] == [16, 16, 8]
    every = pl.concat(pieces)
    numbers = every["receipt"].unique(maintain_order=True)
    assert numbers.to_list() == list(range(numbers[0], numbers[0] + len(numbers)))
    assert every.equals(shop.frame(40))


def test_the_catalogue_is_the_same_for_every_seed() -> None:
    assert catalogue() is catalogue()
    assert len(catalogue().codes) == 1 + sum(kind.goods for kind in DEPARTMENTS.values())
    prices = [
        frame.filter(pl.col("goods") == "20002")["price"].max() for frame in (shop.frame(seed=1), shop.frame(seed=2))
    ]
    assert prices[0] == prices[1]


# --- Files and wrong use ---


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_command_writes_purchases_customers_and_what_they_mean(kind, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_icefire(capsys, "sample", "shop", "-n", 30, "-o", "data", "--format", kind, "--seed", 7)
    assert done.code == 0, done.err
    assert sorted(path.name for path in Path("data").iterdir()) == [
        ".icefire.json",
        f"customers.{kind}",
        "schema.toml",
        f"shop.{kind}",
    ]
    meaning = tomllib.loads(Path("data/schema.toml").read_text())
    customers = meaning.pop("customers")
    again = read(f"data/shop.{kind}", meaning, customers=f"data/{customers}")
    made = shop.history(30, 7)
    assert again.fields == made.fields
    assert again.frame.equals(made.frame)
    assert again.customers is not None
    assert again.customers.equals(made.customers)


def test_it_is_found_by_name() -> None:
    assert "shop" in samples.available()
    assert samples.load("shop") is shop


def test_too_few_customers_are_refused(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match="a shop with 1 customer"):
        shop.chunks(1)
    with pytest.raises(ParameterError, match="the seed is -1"):
        shop.customers(10, -1)
    done = run_icefire(capsys, "sample", "shop", "-n", 0, "-o", "data")
    assert done.code == 2
    assert "a sample of 0 customers cannot be made" in done.err
    assert not Path("data").exists()
