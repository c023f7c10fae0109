"""Numbers as people write them: read by one convention, refused where two fit, written back as they were."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import icefire
from icefire.core.errors import InputError, ParameterError
from icefire.io.format import Format
from icefire.io.tables import read_frame, read_source, write_frame


def _file(folder: Path, text: str, name: str = "x.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def _column(folder: Path, cells: list[str], **how: object) -> pl.Series:
    text = "id;v\n" + "".join(f"p{row};{cell}\n" for row, cell in enumerate(cells))
    return read_frame(_file(folder, text), Format(**how))["v"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1.234,50", "12,00"], [1234.5, 12.0]),
        (["1,234.50", "12.00"], [1234.5, 12.0]),
        (["1,234,567", "12"], [1234567, 12]),
        (["1 234", "12"], [1234, 12]),
        (["1\u202f234,5", "12"], [1234.5, 12.0]),
        (["1\u00a0234", "12"], [1234, 12]),
        (["1'234.5", "12"], [1234.5, 12.0]),
        (["12,5", "3"], [12.5, 3.0]),
        (["12.5 %", "3 %"], [12.5, 3.0]),
        (["€5", "€6"], [5, 6]),
        (["5,00 €", "6,10 €"], [5.0, 6.1]),
        (["$1,234.5", "$6"], [1234.5, 6.0]),
        (["£5", "£6"], [5, 6]),
        (["¥1,234", "¥600"], [1234, 600]),
        (["1,234円", "600円"], [1234, 600]),
        (["１２３", "４"], [123, 4]),
        (["(1,234.5)", "2"], [-1234.5, 2.0]),
        (["5-", "6"], [-5, 6]),
        (["△1,200,000", "5"], [-1200000, 5]),
        (["1.5", "NA"], [1.5, None]),
        (["1.5", "."], [1.5, None]),
        (["7", "-"], [7, None]),
        (["7", "n/a"], [7, None]),
        (["7", " "], [7, None]),
        (["0123", "77"], ["0123", "77"]),
        (["20-29", "30-39"], ["20-29", "30-39"]),
        (["+49 161 2146483", "+49 30 1234567"], ["+49 161 2146483", "+49 30 1234567"]),
        (["4111 1111 1111 1111", "5500 0000 0000 0004"], ["4111 1111 1111 1111", "5500 0000 0000 0004"]),
        (["1 234", "56", "1 234 567"], [1234, 56, 1234567]),
    ],
)
def test_numbers_are_recognised(tmp_path: Path, cells: list[str], values: list[object]) -> None:
    assert _column(tmp_path, cells).to_list() == values


@pytest.mark.parametrize("cells", [["1.234", "2.345"], ["1,234", "2,345"]])
def test_two_readings_are_refused_and_an_option_decides(tmp_path: Path, cells: list[str]) -> None:
    with pytest.raises(InputError, match=r"column 'v' of 'x.csv' can be read in two ways"):
        _column(tmp_path, cells)
    assert _column(tmp_path, cells, decimal=cells[0][1])[0] == pytest.approx(1.234)
    assert _column(tmp_path, cells, thousands=cells[0][1])[0] == 1234


def test_other_columns_and_the_whole_column_decide(tmp_path: Path) -> None:
    path = _file(tmp_path, "a;b\n1.234;2,5\n5.678;3,5\n")
    assert read_frame(path)["a"].to_list() == [1234, 5678]
    many = [f"{number:,}".replace(",", ".") for number in range(900, 1100)]
    assert _column(tmp_path, many).to_list() == list(range(900, 1100))


def test_contradictions_units_and_stray_words_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"column 'v'.*both '30,123.45' and '24.794,56'"):
        _column(tmp_path, ["24.794,56", "30,123.45"])
    with pytest.raises(InputError, match=r"column 'v'.*both '1.5' and '1,5'"):
        _column(tmp_path, ["1.5", "1,5"])
    with pytest.raises(InputError, match="different signs"):
        _column(tmp_path, ["5 €", "5 $"])
    with pytest.raises(InputError, match=r"column 'v'.*'unknown'"):
        _column(tmp_path, [*map(str, range(30)), "unknown"])
    assert _column(tmp_path, [*map(str, range(30)), "unknown"], missing=("unknown",)).dtype == pl.Int64
    with pytest.raises(ParameterError, match="must differ"):
        Format(decimal=",", thousands=",")


@pytest.mark.parametrize("word", ["NULL", "<NA>", "#NV", "(null)", "k.A."])
def test_words_of_other_programs_for_missing_are_read_as_missing(tmp_path: Path, word: str) -> None:
    assert _column(tmp_path, ["1", word, "3", word]).to_list() == [1, None, 3, None]


def test_words_in_a_sensitive_column_of_numbers_are_named_with_the_option(tmp_path: Path) -> None:
    cells = [str(row) if row % 3 else "refused" if row % 2 else "unknown" for row in range(30)]
    path = _file(tmp_path, "age;v\n" + "".join(f"{20 + row % 9};{cell}\n" for row, cell in enumerate(cells)))
    with pytest.raises(InputError, match=r'pass how=icefire\.Format\(missing=\["unknown", "refused"\]\)'):
        icefire.read(path, qi="age", sa="v")
    data = icefire.read(path, qi="age", sa="v", how=Format(missing=("unknown", "refused")))
    assert data.frame["v"].null_count() == 10


def test_a_release_is_read_like_its_original(tmp_path: Path) -> None:
    rows = "".join(f"{20 + i % 3};{'ab'[i % 2]};{1 + i}.{100 + i},5\n" for i in range(12))
    x = _file(tmp_path, f"age;job;pay\n{rows}")
    y = _file(tmp_path, f"age;job;pay\n{rows}".replace(",5", ""), "y.csv")
    original = icefire.read(x, qi=["age", "job"], sa=["pay"])
    assert isinstance(original, icefire.Dataset)
    assert read_frame(y, None, original.expected)["pay"].to_list() == [1000 * (1 + i) + 100 + i for i in range(12)]
    with pytest.raises(InputError, match="two ways"):
        read_frame(y)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1.10,x\n2.50,y\n",
        "a;b\n1.234,50 €;x\n12,00 €;y\n",
        "a\tb\nTrue\tx\nFalse\ty\n",
        "a;b\n007;1,5\n010;2,5\n",
        'a,b\n"1,234,567",x\n5,y\n',
    ],
)
def test_what_was_not_changed_is_written_as_it_was(tmp_path: Path, text: str) -> None:
    path = _file(tmp_path, text)
    table = read_source(path)
    write_frame(table.frame, tmp_path / "y.csv", table.reading)
    assert (tmp_path / "y.csv").read_text() == text


def test_a_changed_column_is_written_in_full(tmp_path: Path) -> None:
    table = read_source(_file(tmp_path, "a;b\n1,10;x\n2,50;y\n"))
    changed = table.frame.with_columns(pl.col("a") / 3)
    write_frame(changed, tmp_path / "y.csv", table.reading)
    assert read_frame(tmp_path / "y.csv").equals(changed)


def test_what_columns_were_read_as_is_said(tmp_path: Path) -> None:
    reading = read_source(_file(tmp_path, "code;pay\n01;1.234,5 €\n02;-\n03;7,5 €\n")).reading
    assert reading.rows()[0][1] == "text"
    column, kind, remark = reading.rows()[1]
    assert (column, kind) == ("pay", "decimal")
    assert "decimal comma" in remark
    assert "- read as missing" in remark


def test_typed_sources_keep_text_but_not_foreign_numbers() -> None:
    frame = read_frame(
        pl.DataFrame({"postcode": ["12345", "23456"], "pay": ["1.234,5", "7,5"], "version": ["1.10", "1.1"]})
    )
    assert frame.dtypes == [pl.String, pl.Float64, pl.String]
