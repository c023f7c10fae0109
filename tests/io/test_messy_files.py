"""Files as other programs write them: alphabets by escape signs, odd separators, titles, totals, empty columns."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import icefire
from icefire.core.errors import InputError
from icefire.io.format import Format
from icefire.io.scanned_files import scanned_files
from icefire.io.tables import read_frame, read_source

ROWS = [(20 + row % 30, "mf"[row % 2], 1000 + 7 * row) for row in range(60)]
TABLE = "age,sex,pay\n" + "".join(f"{age},{sex},{pay}\n" for age, sex, pay in ROWS)


def written(folder: Path, content: str | bytes, encoding: str = "utf-8", name: str = "x.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def test_japanese_by_escape_signs_is_found(tmp_path: Path) -> None:
    path = written(tmp_path, "氏名,年齢\n山田,30\n佐藤,41\n", "iso2022_jp")
    table = read_source(path)
    assert table.frame.rows() == [("山田", 30), ("佐藤", 41)]
    assert "ISO-2022-JP" in table.reading.source


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp"])
def test_japanese_names_of_two_letters_tell_the_encoding(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, "氏名,年齢\n山田,30\n佐藤,41\n鈴木,25\n", encoding)
    assert read_frame(path)["氏名"].to_list() == ["山田", "佐藤", "鈴木"]


def test_a_file_in_two_encodings_is_refused_by_its_line(tmp_path: Path) -> None:
    lines = [f"Müller,{row}\n".encode("utf-8" if row == 3 else "cp1252") for row in range(6)]
    path = written(tmp_path, b"name,n\n" + b"".join(lines))
    with pytest.raises(InputError, match="line 5 holds 'ü' in UTF-8"):
        read_frame(path)
    assert read_frame(path, Format(encoding="cp1252")).height == 6


def test_yen_signs_of_shift_jis_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, '氏名,給与\n山田,"\\523,456"\n佐藤,"\\1,200"\n鈴木,"-\\300"\n', "cp932")
    table = read_source(path)
    assert table.frame["給与"].to_list() == [523_456, 1_200, -300]
    assert "¥ left out" in table.reading.columns[1].remark


@pytest.mark.parametrize("sign", ["^", "~", " ", ":"])
def test_a_separator_that_is_not_looked_for_is_named(tmp_path: Path, sign: str) -> None:
    path = written(tmp_path, TABLE.replace(",", sign))
    with pytest.raises(InputError, match="cuts each of its lines into 3 cells"):
        read_frame(path)
    assert read_frame(path, Format(delimiter=sign)).rows() == ROWS


def test_a_release_of_such_a_file_can_be_audited(tmp_path: Path) -> None:
    path, how = written(tmp_path, TABLE.replace(",", "^")), Format(delimiter="^")
    roles = {"qi": ["age", "sex"], "sa": "pay", "how": how}
    icefire.anonymize(path, {"step": [{"method": "swap"}]}, output=tmp_path / "out", seed=1, **roles)
    audit = icefire.audit(path, tmp_path / "out", attacks="id_rand", measures="k_min", **roles)
    assert audit.scorecard.attacks["id_rand"].targets == len(ROWS)


def test_separators_at_the_ends_of_lines_are_no_column(tmp_path: Path) -> None:
    path = written(tmp_path, TABLE.replace("\n", ",\n"))
    table = read_source(path)
    assert table.frame.rows() == ROWS
    assert table.reading.remarks == ("1 column without name and values left out",)


def test_a_column_without_name_that_holds_something_is_refused(tmp_path: Path) -> None:
    late = TABLE.replace("\n", ",\n") + "30,m,1,x\n"
    with pytest.raises(InputError, match="column 4 has no name"):
        read_frame(written(tmp_path, late))
    numbered = "\n".join(f"{row},{line}" if row else f",{line}" for row, line in enumerate(TABLE.splitlines()))
    with pytest.raises(InputError, match="index=False"):
        read_frame(written(tmp_path, numbered))


def test_lines_above_the_header_are_skipped_of_the_original_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "Survey of 2024\nconfidential\n" + TABLE)
    with pytest.raises(InputError, match=r"skip"):
        read_frame(path)
    roles = {"qi": ["age", "sex"], "sa": "pay", "how": Format(skip=2)}
    assert icefire.read(path, **roles).frame.rows() == ROWS
    released = written(tmp_path, TABLE, name="released.csv")
    audit = icefire.audit(path, released, aligned=True, attacks="id_rand", measures="k_min", **roles)
    assert audit.scorecard.attacks["id_rand"].targets == len(ROWS)
    with pytest.raises(InputError, match="leaves out 99 lines"):
        read_frame(path, Format(skip=99))


def workbook(path: Path, above: int = 0, total: bool = False) -> Path:
    """Write a sheet with a title, empty rows, a column between that is empty, and a total below."""
    xlsxwriter = pytest.importorskip("xlsxwriter", reason="needs the extra excel")
    pytest.importorskip("fastexcel", reason="needs the extra excel")
    with xlsxwriter.Workbook(str(path)) as book:
        sheet, day = book.add_worksheet("Data"), book.add_format({"num_format": "yyyy-mm-dd"})
        if above:
            sheet.write(0, 0, "Survey of 2024")
        for column, name in {0: "age", 1: "sex", 3: "pay", 4: "seen"}.items():
            sheet.write(above, column, name)
        for row, (age, sex, pay) in enumerate(ROWS, above + 1):
            sheet.write_row(row, 0, (age, sex))
            sheet.write(row, 3, pay)
            sheet.write_datetime(row, 4, datetime(2024, 1, 1) + timedelta(days=row), day)
        if total:
            sheet.write(above + len(ROWS) + 1, 0, "Total")
    return path


def test_a_sheet_with_a_title_an_empty_column_and_dates(tmp_path: Path) -> None:
    path = workbook(tmp_path / "book.xlsx", above=3)
    with pytest.raises(InputError, match=r"'Survey of 2024'.* is a title.*skip.* if row 4 of the sheet"):
        read_frame(path)
    table = read_source(path, Format(skip=3))
    assert table.frame.columns == ["age", "sex", "pay", "seen"]
    assert table.frame.row(0) == (*ROWS[0], date(2024, 1, 5))
    assert table.reading.remarks == ("1 column without name and values left out",)


def test_a_total_below_numbers_is_refused_not_made_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"row 60 holds 'Total'.*remove it"):
        read_frame(workbook(tmp_path / "book.xlsx", total=True))
    with sqlite3.connect(tmp_path / "x.sqlite") as base:
        base.execute("CREATE TABLE people (age, pay)")
        base.executemany("INSERT INTO people VALUES (?, ?)", [(age, pay) for age, _, pay in ROWS] + [(30, "none")])
    base.close()
    with pytest.raises(InputError, match="row 60 holds 'none'"):
        read_frame(tmp_path / "x.sqlite")


def test_whole_numbers_of_many_digits_keep_them_in_every_source(tmp_path: Path) -> None:
    cards = [Decimal(4_100_000_000_000_000_001 + row) for row in range(3)]
    frame = pl.DataFrame({"card": pl.Series(cards, dtype=pl.Decimal(38, 0)), "pay": [Decimal(7)] * 3})
    frame.write_parquet(tmp_path / "x.parquet")
    assert read_frame(tmp_path / "x.parquet").row(0) == ("4100000000000000001", 7)
    duckdb = pytest.importorskip("duckdb", reason="needs the extra duckdb")
    with duckdb.connect(str(tmp_path / "x.duckdb")) as base:
        base.execute(
            "CREATE TABLE people AS SELECT range::HUGEINT * 10000000000000000007 AS big, range AS n FROM range(3)"
        )
    assert read_frame(tmp_path / "x.duckdb")["big"].to_list() == ["0", "10000000000000000007", "20000000000000000014"]


def test_an_arrow_stream_is_read(tmp_path: Path) -> None:
    frame = pl.DataFrame(ROWS, schema=["age", "sex", "pay"], orient="row")
    frame.write_ipc_stream(tmp_path / "x.arrows")
    assert read_frame(tmp_path / "x.arrows").rows() == ROWS


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("opened", [read_frame, scanned_files])
def test_files_of_different_columns_are_no_table(tmp_path: Path, ending: str, opened: Callable[[Path], Any]) -> None:
    write = pl.DataFrame.write_parquet if ending == "parquet" else pl.DataFrame.write_ipc
    frame = pl.DataFrame({"age": [1, 2], "pay": [3, 4]})
    write(frame, tmp_path / f"a.{ending}")
    write(frame.drop("pay"), tmp_path / f"b.{ending}")
    with pytest.raises(InputError, match=r"2 files of .* have different columns \(pay: Int64 in 'a.*', none in 'b"):
        opened(tmp_path / f"*.{ending}")
    write(frame.cast({"pay": pl.String}), tmp_path / f"b.{ending}")
    with pytest.raises(InputError, match=r"pay: Int64 in .*, String in "):
        opened(tmp_path / f"*.{ending}")


def test_a_file_beside_the_folders_of_a_partition_has_no_value_there(tmp_path: Path) -> None:
    (tmp_path / "region=north").mkdir()
    pl.DataFrame({"age": [30]}).write_parquet(tmp_path / "region=north" / "a.parquet")
    pl.DataFrame({"age": [40]}).write_parquet(tmp_path / "b.parquet")
    assert sorted(read_frame(tmp_path).rows()) == [(30, "north"), (40, None)]


def test_an_address_of_another_database_is_refused_without_its_password() -> None:
    with pytest.raises(InputError, match="mysql:// are not read") as refused:
        read_frame("mysql://me:secret@place/base")
    assert "secret" not in str(refused.value)


def test_columns_that_name_people_are_identifiers() -> None:
    frame = pl.DataFrame(
        {
            "contact": [f"person{row}@example.org" for row in range(40)],
            "card": [f"{4_100_000_000_000_000 + row}" for row in range(40)],
            "ref": [f"{row:08x}-0000-4000-8000-000000000000" for row in range(40)],
            "ｼﾒｲ": [f"ﾔﾏﾀﾞ{row}" for row in range(40)],
            "email": [None if row % 5 == 0 else f"m{row}" for row in range(40)],
            "surname": [f"S{row % 30}" for row in range(40)],
            "member": [bool(row % 2) for row in range(40)],
            "age": [20 + row % 7 for row in range(40)],
        }
    )
    data = icefire.read(frame)
    assert set(data.schema.names) - {"member", "age"} == {
        column.name for column in data.schema.columns if column.role == "id"
    }
