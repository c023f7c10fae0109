"""Columns of digits that are names stay text: from the file to the release, in both tables alike."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.core.errors import SchemaError
from icefire.io.format import Format
from icefire.io.tables import read_frame

ROWS = 400


def _people(zeros: bool = True) -> pl.DataFrame:
    """Return people in so many postcodes that the postcode and the age tell most of them apart."""
    rng = np.random.default_rng(3)
    postcodes = [f"{number:05d}" for number in rng.choice(9_999, 150, replace=False)]
    return pl.DataFrame(
        {
            "postcode": rng.choice(postcodes, ROWS) if zeros else rng.integers(10_000, 99_999, ROWS),
            "age": rng.integers(18, 90, ROWS),
            "income": np.round(rng.gamma(2, 15_000, ROWS), 2),
        }
    )


def _without_incomes(people: pl.DataFrame) -> pl.DataFrame:
    """Shuffle the incomes: only postcode and age tell who is who."""
    return people.with_columns(pl.Series("income", np.random.default_rng(4).permutation(people["income"].to_numpy())))


def _write(folder: Path, **tables: pl.DataFrame) -> list[Path]:
    for name, table in tables.items():
        table.write_csv(folder / f"{name}.csv")
    return [folder / f"{name}.csv" for name in tables]


def _cover_rate(x: Any, y: Any, **roles: Any) -> float:
    roles = roles or {"qi": ["postcode", "age"], "sa": ["income"]}
    result = icefire.audit(x, y, aligned=True, attacks=["cover"], measures=[], **roles)
    return result.scorecard.attacks["cover"].rate


def test_types_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "postcode,quoted,hour,card,tiny,amount,code,day\n"
        '01234,"007",00,4000123412341234,0,0.5,01.11,2020-01-02\n'
        '45678,"010",13,5000123412341234,7,-0.1,10.71,2020-02-01\n',
        encoding="utf-8",
    )
    frame = read_frame(path)
    assert frame["postcode"].to_list() == ["01234", "45678"]
    assert frame["quoted"].to_list() == ["007", "010"]
    assert frame["hour"].to_list() == ["00", "13"]
    assert frame["card"].to_list() == ["4000123412341234", "5000123412341234"]
    assert frame["tiny"].to_list() == [0, 7]
    assert frame["amount"].to_list() == [0.5, -0.1]
    assert frame["code"].to_list() == ["01.11", "10.71"]
    assert frame["day"].to_list() == ["2020-01-02", "2020-02-01"]


def test_one_zero_late_in_a_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "1,2\n" * 20_000 + "01,2\n", encoding="utf-8")
    assert read_frame(path).dtypes == [pl.String, pl.Int64]


def test_gzip_header_and_names_are_respected(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("01;1\n02;NA\n")
    frame = read_frame(path, Format(header=False, columns=("p", "q"), missing=("NA",)))
    assert frame.to_dict(as_series=False) == {"p": ["01", "02"], "q": [1, None]}


def test_digits_longer_than_any_number_are_text(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"a,b,c\n{'9' * 45},1,0.5\n7,2,1\n", encoding="utf-8")
    assert read_frame(path).dtypes == [pl.String, pl.Int64, pl.Float64]


def test_long_digits_of_any_source_are_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"card": [4_000_123_412_341_234, 5_000_123_412_341_234], "age": [1, 2]})
    frame.write_parquet(tmp_path / "x.parquet")
    for source in (frame, frame.to_pandas(), tmp_path / "x.parquet"):
        assert read_frame(source)["card"].to_list() == ["4000123412341234", "5000123412341234"]


def test_masked_postcodes_are_linked(tmp_path: Path) -> None:
    people = _people()
    masked = _without_incomes(people).with_columns(pl.col("postcode").str.slice(0, 4) + "*")
    assert _cover_rate(*_write(tmp_path, x=people, y=masked)) > 0.8


@pytest.mark.parametrize("swapped", [False, True])
def test_postcodes_that_lost_their_zeros_are_linked(tmp_path: Path, swapped: bool) -> None:
    people = _people()
    lost = _without_incomes(people).with_columns(pl.col("postcode").cast(pl.Int64))
    paths = _write(tmp_path, x=people, y=lost)
    assert _cover_rate(*(reversed(paths) if swapped else paths)) > 0.8
    assert _cover_rate(*((lost, people) if swapped else (people, lost))) > 0.8


def test_lost_zeros_in_a_column_without_role_are_seen(tmp_path: Path) -> None:
    people = _people()
    lost = people.with_columns(pl.col("postcode").cast(pl.Int64))
    x, y = _write(tmp_path, x=people, y=lost)
    card = icefire.audit(x, y, aligned=True, attacks=["id_rand"], measures=[], qi=["age"], sa=["income"]).scorecard
    assert "verbatim" in {reason.code for reason in card.verdict.reasons}


def test_an_identifier_that_lost_its_zeros_stands_in_the_way(tmp_path: Path) -> None:
    people = _people().with_columns(pl.Series("number", [f"{row:06d}" for row in range(ROWS)]))
    noisy = _without_incomes(people).with_columns(pl.col("number").cast(pl.Int64))
    x, y = _write(tmp_path, x=people, y=noisy)
    roles: Any = {"qi": ["age"], "sa": ["income"], "ids": ["number"]}
    card = icefire.audit(x, y, aligned=True, attacks=["id_rand"], measures=[], **roles).scorecard
    assert "identifier" in {reason.code for reason in card.verdict.reasons}
    by_key = icefire.audit(x, y, key="number", attacks=["id_rand"], measures=[], qi=["age"], sa=["income"])
    assert by_key.records.height == ROWS


def test_a_release_keeps_its_zeros(tmp_path: Path) -> None:
    (path,) = _write(tmp_path, x=_people())
    roles: Any = {"qi": ["postcode", "age"], "sa": ["income"]}
    recipe = {"steps": [{"method": "noise", "columns": ["income"], "scale": 0.1}]}
    icefire.anonymize(path, recipe, output=tmp_path / "release", **roles)
    released = pl.read_csv(tmp_path / "release" / "released.csv", infer_schema=False)
    assert set(released["postcode"]) == set(_people()["postcode"])
    result = icefire.audit(path, tmp_path / "release", attacks=["id_rand"], measures=[], **roles)
    assert result.scorecard.attacks["id_rand"].rate > 0.8


def test_declared_categories_stay_as_written(tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    schema.write_text('qi = ["postcode", "age"]\nsa = ["income"]\ncategory = ["age", "version"]\n', encoding="utf-8")
    people = _people(zeros=False).with_columns(pl.Series("version", ["1.10", "1.1"] * (ROWS // 2)))
    x, y = _write(tmp_path, x=people, y=_without_incomes(people).with_columns(pl.col("age").cast(pl.Float64)))
    data = icefire.read(x, schema=schema)
    assert isinstance(data, icefire.Dataset)
    assert data.frame["age"].dtype == pl.String
    assert set(data.frame["version"]) == {"1.10", "1.1"}
    assert _cover_rate(x, y, schema=schema) > 0.8


def test_a_declared_number_is_read_as_one(tmp_path: Path) -> None:
    path, schema = tmp_path / "x.csv", tmp_path / "schema.toml"
    path.write_text("age,name\n05,a\n12,b\n", encoding="utf-8")
    schema.write_text('qi = ["age"]\nnumber = ["age"]\n', encoding="utf-8")
    data = icefire.read(path, schema=schema)
    assert isinstance(data, icefire.Dataset)
    assert data.frame["age"].to_list() == [5, 12]
    schema.write_text('qi = ["age"]\nnumber = ["age", "name"]\n', encoding="utf-8")
    with pytest.raises(SchemaError, match=r"'name' of 'x.csv' is declared a number, but row 0 holds 'a'"):
        icefire.read(path, schema=schema)


def test_link_sees_that_codes_are_near(tmp_path: Path) -> None:
    people = _people()
    rng = np.random.default_rng(5)
    moved = people.with_columns(
        pl.Series("postcode", [f"{max(0, int(p) + int(rng.integers(-3, 4))):05d}" for p in people["postcode"]]),
        pl.Series("age", rng.permutation(people["age"].to_numpy())),
        pl.Series("income", people["income"].to_numpy() * np.exp(rng.normal(0, 0.2, ROWS))),
    )
    x, y = _write(tmp_path, x=people, y=moved)
    result = icefire.audit(x, y, aligned=True, attacks=["link"], measures=[], qi=["postcode", "age"], sa=["income"])
    assert result.scorecard.attacks["link"].rate > 0.5


def test_inspect_says_that_a_postcode_is_text(tmp_path: Path) -> None:
    (path,) = _write(tmp_path, x=_people())
    columns = icefire.inspect(path, qi=["postcode", "age"], sa=["income"]).columns
    assert (columns["postcode"].type, columns["postcode"].kind) == ("text", "category")
    assert columns["age"].type == "integer"


def test_goods_and_customers_of_a_history_keep_their_zeros(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    shop = pl.DataFrame(
        {
            "customer": [f"{row // 8:03d}" for row in range(240)],
            "goods": [f"{number:04d}" for number in rng.integers(1, 400, 240)],
        }
    )
    lost = shop.with_columns(pl.col("customer").cast(pl.Int64) + 500, pl.col("goods").cast(pl.Int64))
    x, y = _write(tmp_path, x=shop, y=lost)
    data = icefire.read(x, subject="customer", item="goods")
    assert data.frame["customer"][0] == "000"
    assert set(data.frame["goods"].str.len_chars()) == {4}
    named: Any = {"subject": "customer", "item": "goods"}
    result = icefire.audit(x, y, aligned=True, attacks=["jaccard"], measures=[], **named)
    assert result.scorecard.attacks["jaccard"].rate > 0.9
