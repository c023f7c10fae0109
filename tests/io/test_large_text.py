"""Text files larger than memory: what is read block by block equals what is read whole."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import icefire
from icefire.core.errors import InputError
from icefire.core.reading import Expected
from icefire.io import large_text
from icefire.io.format import Format
from icefire.io.tables import read_source


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows, of files of any size."""
    monkeypatch.setattr(large_text, "LEAST_BYTES", 0)
    monkeypatch.setattr(large_text, "BLOCK_BYTES", 40)


def table(tmp_path: Path, content: str | bytes, name: str = "people.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def in_blocks(path: Path, how: Format | None = None, expected: Expected | None = None) -> pl.DataFrame:
    opened = large_text.converted(path, how, expected or Expected())
    assert opened is not None
    return opened.frame.collect()


def rows(header: str, lines: list[str]) -> str:
    return "\n".join([header, *lines]) + "\n"


@pytest.mark.parametrize(
    ("content", "how"),
    [
        (rows("age,postcode", [f"{20 + row},0{row:03d}" for row in range(30)]), None),
        (rows("age,postcode", [f"{row},{row}" for row in range(20)] + [f"{row},0{row}" for row in range(20)]), None),
        (rows("age,pay", [f"{row},{row}" for row in range(20)] + [f"{row},{row}.5" for row in range(20)]), None),
        (rows("age,note", [f"{row}," for row in range(20)] + [f"{row},x" for row in range(20)]), None),
        (rows("age,member", [f"{row},true" for row in range(20)] + [f"{row},maybe" for row in range(20)]), None),
        (rows("age,note", [f'{row},"two\nlines, and ""quotes"""' for row in range(20)]), None),
        (rows('age,"a\nb"', [f"{row},x{row}" for row in range(20)]), None),
        (rows("age;pay", [f"{row};1.{row:03d},5" for row in range(20)]), None),
        (rows("age,pay", [f'{row},"1,{row:03d}.50"' for row in range(20)]), None),
        (rows("age,pay", [f"{row},{row if row % 3 else 'NA'}" for row in range(20)]), Format(missing=("NA",))),
        ("".join(f"{row},x\n" for row in range(20)), Format(header=False, columns=("age", "note"))),
        (rows("age,note", [f"{row},x" for row in range(20)]).replace("\n", "\r\n"), None),
        (rows("age,note", [f"{row},x" for row in range(20)]).rstrip("\n"), None),
        ("\ufeff" + rows("age,note", [f"{row},é" for row in range(20)]), None),
        (rows("年齢,住所", [f"{row},東京都千代田区" for row in range(20)]).encode("cp932"), None),
        (rows("年齢,住所", [f"{row},東京都千代田区" for row in range(20)]).encode("euc_jp"), Format(encoding="euc_jp")),
    ],
)
def test_blocks_are_read_as_the_whole_file_is(tmp_path: Path, content: str | bytes, how: Format | None) -> None:
    path = table(tmp_path, content)
    read = in_blocks(path, how)
    whole = read_source(path, how).frame
    assert read.equals(whole)
    assert read.schema == whole.schema


def test_declared_categories_stay_text(tmp_path: Path) -> None:
    path = table(tmp_path, rows("age,code", [f"{row},{row}" for row in range(20)]))
    assert in_blocks(path, expected=Expected(["code"])).schema == {"age": pl.Int64, "code": pl.String}


def test_several_files_are_one_table(tmp_path: Path) -> None:
    for number in range(3):
        table(tmp_path, rows("age,note", [f"{number}{row},x" for row in range(10)]), f"part-{number}.csv")
    assert in_blocks(tmp_path).equals(read_source(tmp_path).frame)
    table(tmp_path, rows("age,pay", ["1,2"]), "part-3.csv")
    with pytest.raises(InputError, match="different columns"):
        in_blocks(tmp_path)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([f"{row},5" for row in range(20)] + [f"{row},none" for row in range(20)], "'pay' of 'people.csv' holds num"),
        ([f"{row},9007199254740993" for row in range(9)] + [f"{row},1.5" for row in range(20)], "words or codes too"),
        ([f'{row},"1,5"' for row in range(20)] + [f"{row},1.5" for row in range(20)], "no one convention"),
        ([f"{row},1.5 %" for row in range(20)] + [f"{row},1.5" for row in range(20)], "with % and without"),
        ([f"{row},5" for row in range(20)] + ["1,2,3"], "in the rows from .*, counted from there: row"),
        ([f"{row},5" for row in range(20)] + ['1,"x'] + [f"{row},5" for row in range(40)], "opened and not closed"),
    ],
)
def test_what_only_the_whole_column_would_tell_is_refused(tmp_path: Path, lines: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        in_blocks(table(tmp_path, rows("age,pay", lines)), Format(delimiter=","))


@pytest.mark.parametrize("other", ['"1,5"', "1.5 %"])
def test_numbers_written_by_two_conventions_in_two_blocks_are_refused(tmp_path: Path, other: str) -> None:
    table(tmp_path, rows("age,pay", ["1,1.5", "2,2.5"]), "part-0.csv")
    table(tmp_path, rows("age,pay", [f"1,{other}", f"2,{other}"]), "part-1.csv")
    with pytest.raises(InputError, match="two conventions"):
        in_blocks(tmp_path, Format(delimiter=","))


def test_other_sources_are_not_read_in_blocks(tmp_path: Path) -> None:
    wide = table(tmp_path, rows("age,note", ["1,x", "2,y"]).encode("utf-16"), "wide.csv")
    frame = pl.DataFrame({"age": [1, 2]})
    frame.write_parquet(tmp_path / "it.parquet")
    for source in (wide, tmp_path / "it.parquet", frame, tmp_path / "nothing.csv", "s3://bucket/x.csv", "-"):
        assert large_text.converted(source, None, Expected()) is None
    commented = table(tmp_path, "# a\nage,note\n1,x\n")
    assert large_text.converted(commented, Format(comment="#"), Expected()) is None


def test_cells_are_estimated_without_reading_the_file(tmp_path: Path) -> None:
    without_header = large_text.text_files(table(tmp_path, "1;2,5;3\n" * 100))
    assert without_header is not None
    assert without_header.cells == 300


def test_temporary_files_go_with_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    opened = large_text.converted(table(tmp_path, rows("age,note", ["1,x"] * 20)), None, Expected())
    assert opened is not None
    assert any(one.name.startswith("icefire-") for one in tmp_path.iterdir())
    del opened
    assert [one.name for one in tmp_path.iterdir()] == ["people.csv"]


def test_an_audit_in_parts_of_text_files_is_that_of_the_whole_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_text, "BLOCK_BYTES", 5_000)
    survey = icefire.sample("households", 300)
    survey.frame.write_csv(tmp_path / "original.csv")
    survey.frame.with_columns(pl.col("food") + 1).write_csv(tmp_path / "released.csv")
    sources = (tmp_path / "original.csv", tmp_path / "released.csv")
    roles = {"aligned": True, "qi": survey.qi, "sa": survey.sa, "attacks": ["euc1", "id_sa"], "measures": ["k_min"]}
    parts, local = (icefire.audit(*sources, engine=engine, **roles).scorecard for engine in ("partitioned", "local"))
    assert parts.measures["k_min"].value == local.measures["k_min"].value
    assert {n: r.rate for n, r in parts.attacks.items()} == {n: r.rate for n, r in local.attacks.items()}
