"""Tables are read from every kind of source, with the same values."""

from __future__ import annotations

import gzip
import io
import sqlite3
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import icefire
from icefire.core.errors import InputError, MissingPackageError
from icefire.core.reading import Expected
from icefire.io.addresses import without_secrets
from icefire.io.format import Format
from icefire.io.scanned_files import scanned_files
from icefire.io.sources import registry
from icefire.io.sources.several_files import SCANS
from icefire.io.tables import read_frame, read_source, write_frame

PEOPLE = pl.DataFrame({"code": ["012", "340", "567"], "age": [30, 41, 30], "pay": [1.5, 22.25, 3.0]})


@pytest.mark.parametrize("ending", ["parquet", "arrow", "json", "jsonl", "csv"])
def test_what_was_written_is_read_again(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"people.{ending}"
    write_frame(PEOPLE, path)
    assert read_frame(path).equals(PEOPLE)


def test_a_kind_is_told_by_content_before_ending(tmp_path: Path) -> None:
    PEOPLE.write_parquet(tmp_path / "people.csv")
    assert read_source(tmp_path / "people.csv").reading.source == "Parquet"


def test_workbooks_keep_text_that_looks_like_numbers(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel", reason="needs the extra excel")
    pytest.importorskip("xlsxwriter", reason="needs the extra excel")
    path = tmp_path / "people.xlsx"
    write_frame(PEOPLE, path)
    assert read_frame(path).equals(PEOPLE)
    with pytest.raises(InputError, match="no sheet 'Other'"):
        read_frame(path, Format(sheet="Other"))
    assert read_frame(f"{path}#Sheet1").equals(PEOPLE)


@pytest.mark.parametrize("regions", [["01"], ["01", "10"]])
def test_folders_named_by_a_value_are_a_column_and_codes_stay_text(tmp_path: Path, regions: list[str]) -> None:
    for region in regions:
        folder = tmp_path / "k=5" / "all" / f"region={region}" / "year=2020"
        folder.mkdir(parents=True)
        pl.DataFrame({"age": [30, 40]}).write_parquet(folder / "a.parquet")
    whole = tmp_path / "k=5" / "all"
    expected = [(age, region, 2020) for region in regions for age in (30, 40)]
    for source in (whole, f"{whole}/**/*.parquet"):
        assert read_frame(source)["age", "region", "year"].rows() == expected
    scanned = scanned_files(whole)
    assert scanned is not None
    assert scanned.frame.collect().columns == read_frame(whole).columns == ["age", "region", "year"]
    assert scanned.frame.collect()["region"].to_list() == [region for region in regions for _ in range(2)]
    assert read_frame(folder / "a.parquet").columns == ["age"]


def test_folders_named_by_dates_texts_and_missing_values(tmp_path: Path) -> None:
    for day, town in (("2020-01-31", "New%20York"), ("2021-02-01", "__HIVE_DEFAULT_PARTITION__")):
        folder = tmp_path / f"day={day}" / f"town={town}"
        folder.mkdir(parents=True)
        pl.DataFrame({"age": [30]}).write_parquet(folder / "a.parquet")
    assert read_frame(tmp_path).rows() == [(30, date(2020, 1, 31), "New York"), (30, date(2021, 2, 1), None)]
    (tmp_path / "day=2022-01-01" / "town=x").mkdir(parents=True)
    pl.DataFrame({"other": [30]}).write_parquet(tmp_path / "day=2022-01-01" / "town=x" / "a.parquet")
    with pytest.raises(InputError, match=r"3 files of .* have different columns"):
        read_frame(tmp_path)


def test_folders_and_patterns_of_parquet(tmp_path: Path) -> None:
    for number in range(3):
        PEOPLE[number : number + 1].write_parquet(tmp_path / f"part-{number}.parquet")
    assert read_frame(tmp_path).equals(PEOPLE)
    assert read_frame(str(tmp_path / "part-*.parquet")).equals(PEOPLE)
    with pytest.raises(InputError, match="matches no file"):
        read_frame(str(tmp_path / "none-*.parquet"))


def test_sqlite_by_table_and_by_query(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE people (code TEXT, age INTEGER, pay REAL)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?)", PEOPLE.rows())
    assert read_frame(path).equals(PEOPLE)
    assert read_frame(path, Format(query="SELECT age FROM people WHERE age > 30"))["age"].to_list() == [41]
    assert read_frame(f"{path}#people").equals(PEOPLE)
    with pytest.raises(InputError, match="no such table"):
        read_frame(f"{path}#nobody")
    with pytest.raises(InputError, match="readonly"):
        read_frame(path, Format(query="DELETE FROM people"))


def test_duckdb_files_and_relations(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs the extra duckdb")
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE TABLE people (code VARCHAR, age BIGINT, pay DOUBLE)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?)", PEOPLE.rows())
    assert read_frame(path).equals(PEOPLE)
    with duckdb.connect(str(path), read_only=True) as base:
        assert read_frame(base.sql("SELECT * FROM people")).equals(PEOPLE)


@pytest.mark.parametrize("ending", ["sav", "dta", "xpt"])
def test_files_of_statistics_programs(tmp_path: Path, ending: str) -> None:
    pyreadstat = pytest.importorskip("pyreadstat", reason="needs the extra statistics")
    pytest.importorskip("pandas", reason="pyreadstat writes pandas tables")
    path = tmp_path / f"people.{ending}"
    write = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}[ending]
    write(PEOPLE.to_pandas(), str(path))
    assert read_frame(path).equals(PEOPLE)


def test_packed_text(tmp_path: Path) -> None:
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(PEOPLE.write_csv().encode()))
    assert read_frame(tmp_path / "people.csv.gz").equals(PEOPLE)
    (tmp_path / "broken.csv.gz").write_bytes(gzip.compress(PEOPLE.write_csv().encode())[:-9])
    with pytest.raises(InputError, match="cannot be unpacked"):
        read_frame(tmp_path / "broken.csv.gz")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (PEOPLE.write_csv().encode(), PEOPLE.write_json().encode()):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read_frame("-").equals(PEOPLE)


def test_passwords_are_never_shown() -> None:
    pytest.importorskip("psycopg", reason="needs the extra postgres")
    with pytest.raises(InputError) as caught:
        read_frame("postgresql://ann:hunter2@127.0.0.1:1/none", Format(query="SELECT 1"))
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in without_secrets("postgresql://h/db?user=ann&password=hunter2")


def test_object_stores_reach_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def scan(address: str) -> pl.LazyFrame:
        asked.append(address)
        raise OSError("no credentials\nmore")

    monkeypatch.setitem(SCANS, "parquet", scan)
    with pytest.raises(InputError, match=r"no credentials for 's3://bucket/people.parquet' were found; set AWS_ACCESS"):
        read_frame("s3://bucket/people.parquet")
    assert asked == ["s3://bucket/people.parquet"]


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for s3://bucket."""
    scan = pl.scan_csv

    def scan_there(source: object, **layout: Any) -> pl.LazyFrame:
        is_address = isinstance(source, str)
        return scan(str(source).replace("s3://bucket", str(tmp_path)) if is_address else source, **layout)

    monkeypatch.setattr(pl, "scan_csv", scan_there)
    return tmp_path


def test_text_is_read_from_object_stores(bucket: Path) -> None:
    table = pl.DataFrame({"code": ["007", "010"], "age": [30, 40], "text": ['a "quoted"\nline', "b, c"]})
    table.write_csv(bucket / "people.csv")
    table.write_json(bucket / "people.json")
    table.write_ndjson(bucket / "people.jsonl")
    for ending in ("csv", "json", "jsonl"):
        assert read_frame(f"s3://bucket/people.{ending}").equals(table)


def test_text_in_object_stores_is_utf_8_and_one_file(bucket: Path) -> None:
    (bucket / "people.csv").write_bytes("名,年齢\n花子,30\n太郎,40\n".encode("cp932"))
    with pytest.raises(InputError, match="is not UTF-8, and other text is not read from there; download it"):
        read_frame("s3://bucket/people.csv")
    with pytest.raises(InputError, match="stands for several text files"):
        read_frame("s3://bucket/*.csv")


def test_a_missing_library_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    (tmp_path / "people.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(MissingPackageError, match=r"pip install 'icefire\[excel\]'"):
        read_frame(tmp_path / "people.xlsx")


def test_a_new_source_is_one_file() -> None:
    assert set(registry.sources()) >= {"csv", "parquet", "arrow", "json", "excel", "sqlite", "duckdb", "postgres"}


def test_a_query_is_for_databases(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "x.csv")
    with pytest.raises(InputError, match="is for databases"):
        read_frame(tmp_path / "x.csv", Format(query="SELECT 1"))
    assert read_frame(tmp_path / "x.csv", Format(query="SELECT 1"), Expected(is_release=True)).equals(PEOPLE)


def test_pandas_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    table = pandas.DataFrame(
        {
            "a": [1, 2],
            "b": ["x", None],
            "c": pandas.Categorical(["u", "v"]),
            "d": pandas.array([1, None], dtype="Int64"),
            "e": pandas.array([None, True], dtype="boolean"),
        }
    )
    table["when"] = pandas.to_datetime(["2020-01-01", "2020-01-02"])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    frame = read_frame(table.set_index("a"))
    assert frame.drop("when").rows() == [(1, "x", "u", 1, None), (2, None, "v", None, True)]
    assert frame["when"].dtype == pl.Datetime


def test_the_command_line_reads_standard_input(tmp_path: Path) -> None:
    table = "age,job,pay\n" + "".join(f"{20 + i % 4},{'ab'[i % 2]},{1000 + 7 * i}\n" for i in range(12))
    command = [sys.executable, "-m", "icefire", "inspect", "-", "--qi", "age,job", "--sa", "pay", "--json", "-"]
    done = subprocess.run(command, input=table.encode(), capture_output=True, check=True)
    assert b'"name": "standard input"' in done.stdout


def test_the_public_format_takes_every_option() -> None:
    assert icefire.Format(decimal=",", thousands=".", encoding="cp932").decimal == ","
