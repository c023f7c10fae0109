"""Text files as they come: encodings, headers, separators, comments and broken rows."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from icefire.core.errors import InputError
from icefire.io.format import Format
from icefire.io.tables import read_frame, read_source

JAPANESE = "氏名,住所,年齢\n山田太郎,東京都千代田区,30\n佐藤花子,大阪府大阪市北区,41\n鈴木ｲﾁﾛｳ,北海道札幌市,25\n"
EUROPEAN = "name,stadt,alter\nMüller,Köln,30\nGarçon,Besançon,41\nÅse,Tromsø,25\n"


def _write(folder: Path, content: str | bytes, encoding: str = "utf-8") -> Path:
    path = folder / "x.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp932", "euc_jp"])
def test_japanese_encodings_are_found(tmp_path: Path, encoding: str) -> None:
    table = read_source(_write(tmp_path, JAPANESE, encoding))
    assert table.frame["氏名"].to_list() == ["山田太郎", "佐藤花子", "鈴木ｲﾁﾛｳ"]
    assert table.frame["年齢"].to_list() == [30, 41, 25]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252", "latin-1"])
def test_european_encodings_are_found(tmp_path: Path, encoding: str) -> None:
    assert read_frame(_write(tmp_path, EUROPEAN, encoding))["name"].to_list() == ["Müller", "Garçon", "Åse"]


def test_an_encoding_far_down_in_the_file_and_one_that_is_named(tmp_path: Path) -> None:
    late = _write(tmp_path, "name,n\n" + "x,1\n" * 30_000 + "Müller,2\nKöln,3\nÅse,4\n", "cp1252")
    assert read_frame(late)["name"][30_000] == "Müller"
    assert "CP1252" in read_source(late).reading.source
    assert read_frame(_write(tmp_path, JAPANESE, "cp932"), Format(encoding="shift_jis")).columns[0] == "氏名"
    with pytest.raises(InputError, match="is not known"):
        read_frame(late, Format(encoding="klingon"))
    with pytest.raises(InputError, match="is not UTF-8"):
        read_frame(_write(tmp_path, JAPANESE, "cp932"), Format(encoding="utf-8"))


def test_nul_bytes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="NUL"):
        read_frame(_write(tmp_path, b"a,b\n1,\x002\n3,4\n"))


@pytest.mark.parametrize(
    "text", ["30,a,1.5\n31,b,2.5\n30,a,3.5\n", "m,tokyo\nf,osaka\nm,tokyo\n", "2020-01-02,x\n2020-02-03,y\n"]
)
def test_a_missing_header_is_noticed(tmp_path: Path, text: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(InputError, match="looks like data"):
        read_frame(path)
    assert read_frame(path, Format(header=False)).height == text.count("\n")
    assert read_frame(path, Format(header=True)).height == text.count("\n") - 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n3\n4,5\n", "row 1 of 'x.csv' has 1 cell"),
        ("a,b\n1,2\n3,4,5\n", "row 1 of 'x.csv' has 3 cells"),
        ("a,,c\nx,y,z\nu,v,w\n", "column 2 has no name"),
        ("a,a\nx,y\nu,v\n", "two columns named 'a'"),
        ('a,b\n"x,2\nz,3\n', "row 0 of 'x.csv' opens a quote that is not closed"),
    ],
)
def test_broken_files_are_refused_with_the_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_frame(_write(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('a,b\n"x\ny",1\nz,2\n', [("x\ny", 1), ("z", 2)]),
        ('a,b\n5" pipe,1\nz,2\n', [('5" pipe', 1), ("z", 2)]),
        ("a,b\nx,1\n\nz,2\n\n", [("x", 1), ("z", 2)]),
        ("a,b\rx,1\rz,2\r", [("x", 1), ("z", 2)]),
        ("# made by a program\n# on a day, or two\na,b\nx,1\nz,2\n", [("x", 1), ("z", 2)]),
        ('a,b\n"",1\nz,2\n', [(None, 1), ("z", 2)]),
        ("a,b\nx,1\nz,\n", [("x", 1), ("z", None)]),
    ],
)
def test_odd_but_clear_files_are_read(tmp_path: Path, text: str, rows: list[tuple[object, ...]]) -> None:
    assert read_frame(_write(tmp_path, text)).rows() == rows


def test_comments_inside_and_one_column(tmp_path: Path) -> None:
    path = _write(tmp_path, "a,b\nx,1\n% no row\nz,2\n")
    assert read_frame(path, Format(comment="%")).rows() == [("x", 1), ("z", 2)]
    assert read_frame(_write(tmp_path, "pay\n1,5\n2,5\n"))["pay"].to_list() == [1.5, 2.5]
    assert read_frame(_write(tmp_path, "pay\n")).dtypes == [pl.String]


def test_a_pattern_names_text_files_of_one_table(tmp_path: Path) -> None:
    first, second = tmp_path / "a1.csv", tmp_path / "a2.csv"
    first.write_text("zip,pay\n01067,1\n", encoding="utf-8")
    second.write_text("zip,pay\r\n80331,2", encoding="utf-16")
    assert read_frame(tmp_path / "a*.csv").rows() == [("01067", 1), ("80331", 2)]
    assert read_frame(tmp_path / "a*.csv", Format(header=False)).height == 4
    second.write_text("pay,zip\n2,80331\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"different columns.*'a2.csv' begins with another line"):
        read_frame(tmp_path / "a*.csv")
