"""Workbooks whose cells show codes: what people see is read, not the number that is stored."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import icefire
from icefire.io.sources import excel_codes

xlsxwriter = pytest.importorskip("xlsxwriter")
pytest.importorskip("fastexcel")


def workbook(path: Path, code: str, values: list[int | None], header: str = "zip") -> Path:
    """Write a sheet of a title row, a column of numbers in a format, and one of plain numbers."""
    with xlsxwriter.Workbook(str(path)) as book:
        sheet, shown = book.add_worksheet("people"), book.add_format({"num_format": code})
        for column, name in enumerate((header, "age")):
            sheet.write(0, column, name)
        for row, value in enumerate(values, 1):
            if value is not None:
                sheet.write_number(row, 0, value, shown)
            sheet.write_number(row, 1, 20 + row)
    return path


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("00000", ["00012", "12345", None, "00007"]),
        ("00", ["12", "12345", None, "07"]),
        ("000-0000", ["000-0012", "001-2345", None, "000-0007"]),
        ('00"-"000', ["00-012", "12-345", None, "00-007"]),
    ],
)
def test_numbers_that_are_shown_with_zeros_in_front_are_codes(tmp_path: Path, code: str, texts: list[str]) -> None:
    data = icefire.read(workbook(tmp_path / "a.xlsx", code, [12, 12345, None, 7]), qi=["zip"], sa=["age"])
    assert data.frame["zip"].to_list() == texts
    assert data.frame["age"].to_list() == [21, 22, 23, 24]
    assert any("zip" in remark for remark in data.reading.notes())


@pytest.mark.parametrize("code", ["0", "0.00", "#,##0", "yyyy-mm-dd", "General"])
def test_other_numbers_stay_numbers(tmp_path: Path, code: str) -> None:
    data = icefire.read(workbook(tmp_path / "a.xlsx", code, [12, 12345, 3, 7]), qi=["zip"], sa=["age"])
    assert data.frame["zip"].dtype != pl.String


def test_a_column_with_other_numbers_beside_the_codes_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet, shown = book.add_worksheet(), book.add_format({"num_format": "00000"})
        for row, value in enumerate((12, 345, 6)):
            sheet.write_number(row, 0, value, shown if row else None)
        name = sheet.get_name()
    assert excel_codes.padded_columns(path, name, 0) == {}
    assert excel_codes.padded_columns(path, name, 1) == {0: "00000"}
    assert excel_codes.padded_columns(path.read_bytes(), name, 1) == {0: "00000"}
