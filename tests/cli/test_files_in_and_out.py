"""What is said of a file that was read, and the kind of file that a release is written as."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from support.commands import run_icefire

import icefire
from icefire.core.errors import MissingPackageError
from icefire.io import folder
from icefire.io.tables import read_frame, write_frame

TABLE = pl.DataFrame(
    {
        "町": ["とうきょうの東", "おおさかの町"] * 20,
        "年齢": list(range(20, 60)),
        "収入": [100 * row for row in range(40)],
    }
)
ROLES = ("--qi", "町,年齢", "--sa", "収入")
RECIPE = '[[step]]\nmethod = "swap"\n'


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("recipe.toml").write_text(RECIPE)


def test_an_encoding_other_than_utf_8_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    Path("people.csv").write_bytes(TABLE.write_csv().encode("cp932"))
    done = run_icefire(capsys, "inspect", "people.csv", *ROLES, "--measures", "k_min")
    assert done.code == 0, done
    assert done.err.count("the encoding was found to be") == 1
    assert "CP932" in done.err.upper()


def test_the_encoding_of_a_history_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    rows = pl.DataFrame({"客": ["甲", "乙"] * 4, "品": ["茶", "米", "酒", "塩"] * 2})
    Path("sales.csv").write_bytes(rows.write_csv().encode("cp932"))
    done = run_icefire(capsys, "inspect", "sales.csv", "--subject", "客", "--item", "品")
    assert done.err.count("the encoding was found to be") == 1


def test_verbose_says_what_each_column_was_read_as(capsys: pytest.CaptureFixture[str]) -> None:
    TABLE.with_columns(code=pl.lit("007")).write_csv("people.csv")
    plain, verbose = (
        run_icefire(capsys, "inspect", "people.csv", *ROLES, "--measures", "k_min", *manner)
        for manner in ((), ("--verbose",))
    )
    assert "encoding" not in plain.err
    assert "read as CSV, UTF-8, separator ," in verbose.err
    lines = verbose.err.splitlines()
    assert "  年齢: integer" in lines
    assert any(line.startswith("  code: text") for line in lines)


@pytest.mark.parametrize("kind", folder.FORMATS)
def test_a_release_is_written_as_the_kind_of_its_original(kind: str) -> None:
    if kind == "xlsx":
        pytest.importorskip("xlsxwriter")
        pytest.importorskip("fastexcel")
    write_frame(TABLE, Path(f"people.{kind}"))
    release = icefire.anonymize(f"people.{kind}", "recipe.toml", qi=["町", "年齢"], sa=["収入"], output="out", seed=1)
    assert folder.table(Path("out")) == Path("out") / f"released.{kind}"
    assert read_frame(folder.table(Path("out"))).equals(release.released.frame)


def test_the_kind_of_the_release_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    TABLE.write_parquet("people.parquet")
    words = ("anonymize", "people.parquet", *ROLES, "-r", "recipe.toml")
    assert run_icefire(capsys, *words, "-o", "out", "--format", "jsonl").code == 0
    assert Path("out/released.jsonl").exists()
    done = run_icefire(capsys, *words, "-o", "other", "--format", "docx")
    assert done.code == 2
    assert "docx" in done.err
    assert not Path("other").exists()


def test_a_missing_package_is_said_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("icefire.core.extras.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"icefire\[excel\]"):
        icefire.anonymize(TABLE, "recipe.toml", qi=["町", "年齢"], sa=["収入"], output="out", kind="xlsx")
    assert not Path("out").exists()
