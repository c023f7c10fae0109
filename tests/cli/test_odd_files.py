"""Files as people have them: each is read as the table it is, or refused in one sentence with exit code 2."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from support.commands import run_icefire

import icefire

ROWS = [(20 + i % 7, "fm"[i % 2], f"{i % 5:03d}", 1000 + 37 * i) for i in range(40)]
NAMES = ("age", "sex", "zip", "pay")
TABLE = pl.DataFrame(ROWS, schema=NAMES, orient="row")


def text(separator: str = ",", end: str = "\n", names: tuple[str, ...] = NAMES, quote: str = "") -> str:
    rows = [separator.join(f"{quote}{cell}{quote}" for cell in row) for row in ROWS]
    return end.join([separator.join(names), *rows]) + end


MIXED = text(end="\r\n").replace("\r\n", "\n", 20)
READ: dict[str, bytes] = {
    "semicolon.csv": text(";").encode(),
    "tab.csv": text("\t").encode(),
    "pipe.csv": text("|").encode(),
    "mark.csv": b"\xef\xbb\xbf" + text().encode(),
    "windows.csv": text(end="\r\n").encode(),
    "old_mac.csv": text(end="\r").encode(),
    "mixed_ends.csv": MIXED.encode(),
    "no_last_end.csv": text().rstrip("\n").encode(),
    "blank_lines_at_end.csv": (text() + "\n\n\n").encode(),
    "blank_line_inside.csv": text().replace("\n21,m", "\n\n21,m", 1).encode(),
    "spaces_in_header.csv": text(names=(" age ", "sex", "zip ", " pay")).encode(),
    "everything_quoted.csv": text(quote='"').encode(),
    "excel_separator_line.csv": ("sep=;\r\n" + text(";", "\r\n")).encode(),
    "comments_above.csv": ("# my data\n# 2024\n" + text()).encode(),
    "packed_without_ending.csv": gzip.compress(text().encode()),
    "packed_by_name_only.csv.gz": text().encode(),
    "packed.csv.gz": gzip.compress(text().encode()),
    "utf16.csv": text().encode("utf-16"),
    "utf16_le_without_mark.csv": text().encode("utf-16-le"),
    "utf16_be_without_mark.csv": text().encode("utf-16-be"),
    "名 前 と.csv": text().encode(),
}
REFUSED: dict[str, tuple[bytes, str]] = {
    "two_of_a_name.csv": (text(names=("age", "sex", "age", "pay")).encode(), "two columns named 'age'"),
    "name_missing.csv": (text(names=("age", "", "zip", "pay")).encode(), "column 2 has no name"),
    "title_above.csv": (("Report of 2024\n\n" + text()).encode(), "'Report of 2024') is no header"),
    "only_header.csv": (b"age,sex,zip,pay\n", "has no rows"),
    "empty.csv": (b"", "is empty"),
    "white.csv": (b"  \n\n", "has no rows"),
    "nul.csv": (text().replace("f", "f\0", 1).encode(), "is NUL"),
    "cell_too_many.csv": (text().replace("1000", "1000,9", 1).encode(), "row 0 of 'cell_too_many.csv' has 5 cells"),
    "cells_missing.csv": (text().replace(",000,1000", "", 1).encode(), "has 2 cells"),
    "open_quote.csv": (text().replace("20,f", '20,"f', 1).encode(), "opens a quote that is not closed in that row"),
    "cut.csv.gz": (gzip.compress(text().encode())[:-20], "cannot be unpacked"),
    "page.csv": (b"\n<!DOCTYPE html><html>404</html>", "is a web page"),
    "paper.csv": (b"%PDF-1.7\n\xe2\xe3", "is a PDF"),
    "picture.csv": (b"\x89PNG\r\n\x1a\n\0\0", "is a picture"),
    "half.json": (b'{"age": [', "cannot be read as a table"),
    "half.parquet": (b"PAR1", "cannot be read as a table"),
    "not_a_number.csv": (text().replace("1037", "NaN").encode(), "row 1 holds nan"),
    "infinite.csv": (text().replace("1037", "inf").encode(), "numbers must be finite"),
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", READ)
def test_the_table_is_read_as_it_is(name: str) -> None:
    Path(name).write_bytes(READ[name])
    assert_frame_equal(icefire.read(name).frame, TABLE)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_is_refused_in_one_sentence(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    content, words = REFUSED[name]
    Path(name).write_bytes(content)
    check_refused(name, words, capsys)
    assert Path(name).read_bytes() == content


def check_refused(name: str, words: str, capsys: pytest.CaptureFixture[str], *options: str) -> None:
    done = run_icefire(capsys, "inspect", name, "--infer-roles", "--measures", "k_min", *options)
    assert (done.code, done.out) == (2, "")
    line = done.err.splitlines()[-1]
    assert line.startswith("icefire: error: ")
    assert words in line
    assert "Traceback" not in done.err


def dead_link() -> None:
    os.symlink("away.csv", "it")


def circle() -> None:
    os.symlink("it", "it")


def unreadable() -> None:
    Path("it").write_text(text())
    Path("it").chmod(0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: os.mkdir("it"), "a folder without Parquet or CSV files"),
        (dead_link, "does not exist"),
        (circle, "does not exist"),
        pytest.param(
            unreadable,
            "cannot be read",
            marks=pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user"),
        ),
    ],
)
def test_a_place_without_a_file_is_refused(
    make: Callable[[], None], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make()
    check_refused("it", words, capsys)


def test_a_link_and_a_path_with_spaces_and_japanese_lead_to_the_file() -> None:
    folder = Path("with space 表")
    folder.mkdir()
    (folder / "a b.csv").write_text(text(";"), encoding="utf-8")
    os.symlink(folder / "a b.csv", "link.csv")
    for path in (folder / "a b.csv", "link.csv", str((folder / "a b.csv").resolve())):
        assert_frame_equal(icefire.read(path).frame, TABLE)


def test_a_quoted_cell_holds_separators_quotes_and_line_ends() -> None:
    Path("quoted.csv").write_text(text().replace("20,f,", '20,"f\nx, ""y""",', 1), encoding="utf-8")
    assert icefire.read("quoted.csv").frame["sex"][0] == 'f\nx, "y"'


def test_one_column_is_a_table_even_where_its_texts_hold_commas(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ages.csv").write_text("age\n" + "\n".join(str(row[0]) for row in ROWS))
    assert icefire.read("ages.csv").frame["age"].to_list() == [row[0] for row in ROWS]
    Path("names.csv").write_text("name\n" + "\n".join(f"Doe, {i}" for i in range(9)))
    check_refused("names.csv", "or --header if the table has one column", capsys)
    assert icefire.read("names.csv", how=icefire.Format(header=True)).frame["name"][3] == "Doe, 3"


def test_a_whole_number_too_long_for_64_bits_keeps_its_digits() -> None:
    Path("long.csv").write_text(text().replace("1037", "9" * 26))
    frame = icefire.read("long.csv").frame
    assert frame["pay"].to_list()[:2] == ["1000", "9" * 26]


def test_a_workbook_with_two_sheets_asks_which(capsys: pytest.CaptureFixture[str]) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook("two.xlsx") as book:
        for name in ("A", "B"):
            sheet = book.add_worksheet(name)
            for row, cells in enumerate([NAMES, *ROWS]):
                sheet.write_row(row, 0, cells)
    check_refused("two.xlsx", "has several sheets (A, B); choose one with --sheet", capsys)
    check_refused("two.xlsx", "'C'", capsys, "--sheet", "C")
    assert_frame_equal(icefire.read("two.xlsx", how=icefire.Format(sheet="B")).frame, TABLE)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_folder_that_cannot_be_written_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.csv").write_text(text())
    Path("locked").mkdir(mode=0o500)
    check_refused("a.csv", "permission denied", capsys, "--json", "locked/i.json")
