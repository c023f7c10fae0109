"""Errors of the command line in Japanese, and what `inspect` says."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from support.commands import run_icefire

ENGLISH = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
ROLES = ("--qi", "age,region", "--sa", "income")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with tables of four rows, three rows and one row."""
    monkeypatch.chdir(tmp_path)
    rows = ["age,region,income", "34,n,1000", "51,s,2200", "34,n,1200", "52,s,2400"]
    for name, height in (("four.csv", 4), ("three.csv", 3), ("one.csv", 1)):
        Path(name).write_text("\n".join(rows[: height + 1]) + "\n")
    Path("truth.csv").write_text("0\n1\n")
    Path("bare.csv").write_text("34,n,1000\n51,s,2200\n34,n,1200\n")
    Path("odd.csv").write_text("\n".join(rows).replace(",", "^"))
    Path("short.csv").write_text("\n".join([*rows, "53,n"]))
    Path("twice.csv").write_text("age,age\n1,2\n3,4\n")
    Path("bad.parquet").write_bytes(b"no table at all")
    Path("open.csv").write_text("\n".join([*rows, '53,n,"1', *rows[1:]]))
    Path("bad.json").write_text("age: 3")
    Path("empty").mkdir()
    Path("foreign").mkdir()
    Path("foreign", "mine.txt").write_text("mine")
    Path("recipe.toml").write_text('seed = 1\n[[step]]\nmethod = "swap"\n')
    sqlite3.connect("base.db").close()


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "none.csv", "four.csv"),
        ("inspect", "one.csv", *ROLES),
        ("inspect", "four.csv", "--qi", "age,regoin"),
        ("inspect", "four.csv", "--qi", "age", "--sa", "age"),
        ("inspect", "four.csv", *ROLES, "--json", "four.csv"),
        ("audit", "four.csv", "four.csv", *ROLES),
        ("audit", "four.csv", "three.csv", "--aligned", *ROLES),
        ("audit", "four.csv", "three.csv", "--truth", "truth.csv", *ROLES),
        ("audit", "four.csv", "four.csv", "--aligned", *ROLES, "--min", "k"),
        ("audit", "four.csv", "four.csv", "--aligned", *ROLES, "--max-reid", "2"),
        ("audit", "four.csv", "four.csv", "--aligned", *ROLES, "--policy", "nix"),
        ("inspect", "four.csv", "--quiet", "--verbose"),
        ("inspect", "bare.csv"),
        ("inspect", "odd.csv"),
        ("inspect", "short.csv"),
        ("inspect", "twice.csv"),
        ("inspect", "open.csv"),
        ("inspect", "bad.json"),
        ("inspect", "empty"),
        ("inspect", "none*.parquet"),
        ("inspect", "four.csv", "--query", "SELECT 1"),
        ("inspect", "four.csv", "--encoding", "klingon"),
        ("inspect", "four.csv", "--no-header", "--columns", "a,b"),
        ("inspect", "four.csv", *ROLES, "--json", "truth.csv"),
        ("inspect", "four.csv", *ROLES, "--json", "empty"),
        ("inspect", "four.csv", *ROLES, "--json", "none/out.json"),
        ("anonymize", "four.csv", "-r", "recipe.toml", *ROLES, "-o", "."),
        ("anonymize", "four.csv", "-r", "recipe.toml", *ROLES, "-o", ".."),
        ("anonymize", "four.csv", "-r", "recipe.toml", *ROLES, "-o", "foreign", "--force"),
        ("anonymize", "four.csv", "-r", "recipe.toml", *ROLES, "-o", "three.csv"),
        ("anonymize", "four.csv", "-r", "recipe.toml", *ROLES, "-o", "new.csv"),
    ],
)
def test_a_common_error_is_said_in_japanese(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    done = run_icefire(capsys, *words, "--lang", "ja")
    (line,) = [line for line in done.err.splitlines() if line.startswith("icefire: error: ")]
    assert done.code == 2
    assert re.search(r"[ぁ-ん]", line)
    assert not ENGLISH.search(line.removeprefix("icefire: error: "))


@pytest.mark.parametrize("words", [("inspect", "bad.parquet"), ("inspect", "base.db", "--query", "SELECT 1 FROM none")])
def test_what_a_library_says_stays_in_brackets(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    done = run_icefire(capsys, *words, "--lang", "ja")
    line = done.err.splitlines()[-1].removeprefix("icefire: error: ")
    assert done.code == 2
    assert re.search(r"[ぁ-ん]", line)
    assert not ENGLISH.search(re.sub("（.*）", "", line))


def test_an_inspection_is_said_in_japanese(capsys: pytest.CaptureFixture[str]) -> None:
    done = run_icefire(capsys, "inspect", "four.csv", *ROLES, "--lang", "ja", "--measures", "k_min")
    assert done.code == 0
    assert not ENGLISH.search(done.out)


def test_inferred_roles_are_said_in_japanese(capsys: pytest.CaptureFixture[str]) -> None:
    done = run_icefire(capsys, "inspect", "four.csv", "--infer-roles", "--lang", "ja", "--measures", "k_min")
    assert "知られ得る" in done.err
    assert not ENGLISH.search(done.err)


def test_an_unknown_language_is_an_error_in_english(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ICEFIRE_LANG", "xx")
    assert "there is no language 'xx'" in run_icefire(capsys, "inspect", "four.csv").err


def test_how_many_names_a_cut_list_has_is_said_in_japanese(capsys: pytest.CaptureFixture[str]) -> None:
    Path("wide.csv").write_text("\n".join(",".join(f"{row}{column}" for column in range(20)) for row in (3, 4, 5)))
    refused = run_icefire(capsys, "inspect", "wide.csv", "--lang", "ja").err
    assert "（全 20 件）" in refused
    assert "in all" not in refused


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ('method = "generalise"', "手順 1：加工手法 'generalise' はありません。'generalize' の誤りではありませんか"),
        ('method = "k_anonymize"\nk = "five"', "手順 1：k_anonymize：パラメーター 'k' の値 'five' は使えません。"),
        ('method = "noise"\nscal = 2', "手順 1：noise にパラメーター 'scal' はありません。"),
        ('method = "generalize"\ncolumns = ["region"]\nwidth = 3', "手順 1：列 'region' は String で、"),
    ],
)
def test_mistakes_of_a_recipe_are_said_in_japanese(capsys: pytest.CaptureFixture[str], step: str, words: str) -> None:
    Path("wrong.toml").write_text(f"[[step]]\n{step}\n", encoding="utf-8")
    done = run_icefire(capsys, "recipe", "check", "wrong.toml", "four.csv", *ROLES, "--lang", "ja")
    assert done.code == 2
    assert words in done.err
    assert not ENGLISH.search(done.err.splitlines()[-1].replace("icefire list methods", ""))
