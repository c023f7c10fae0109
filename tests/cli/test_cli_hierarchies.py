"""`icefire hierarchy`: inferred, shown, checked, and what a release made of each value."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from support.commands import run_icefire

from icefire import hierarchy
from icefire.hierarchy.applied import applied

TABLE = "age,zip,sex,pay\n21,10115,m,5\n24,10117,f,6\n33,10115,m,7\n38,20095,f,8\n,20095,m,9\n39,20095,f,3\n"
QI = ("--qi", "age,zip,sex")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "60")
    Path("x.csv").write_text(TABLE)
    return tmp_path


def recoded(step, capsys):
    """A release folder made by one step."""
    Path("r.toml").write_text(f'[[step]]\nmethod = "k_anonymize"\n{step}\n')
    done = run_icefire(capsys, "anonymize", "x.csv", "-r", "r.toml", "-o", "out", *QI, "--sa", "pay")
    assert done.code == 0, done.err


def test_inferred_hierarchies_are_printed_and_written_as_k_anonymize_reads_them(place, capsys):
    done = run_icefire(capsys, "hierarchy", "infer", "x.csv", *QI, "-o", "h")
    assert done.code == 0, done.err
    assert all(len(line) <= 60 for line in done.out.splitlines())
    lines = [line.strip().split(maxsplit=3) for line in done.out.splitlines()]
    assert lines[0] == ["column", "level", "groups", "what values become"]
    assert ["sex", "0", "2", "f, m"] in lines
    assert sorted(path.name for path in Path("h").iterdir()) == [".icefire.json", "age.csv", "sex.csv", "zip.csv"]
    known = hierarchy.read_folder("h", ["age", "zip"])
    assert known["age"].at(1).to_list() == ["20-21", "24-25", "32-33", "38-39", "38-39"]
    assert known["age"].labels[-1].to_list() == ["*"]
    recoded('k = 2\nhierarchies = "h"', capsys)


def test_without_a_folder_nothing_is_written_and_an_existing_one_is_kept(place, capsys):
    assert run_icefire(capsys, "hierarchy", "infer", "x.csv", *QI).code == 0
    assert [path.name for path in place.iterdir()] == ["x.csv"]
    Path("h").mkdir()
    Path("h/mine.csv").write_text("a;*\n")
    done = run_icefire(capsys, "hierarchy", "infer", "x.csv", *QI, "-o", "h")
    assert (done.code, "mine.csv" in done.err) == (2, True)
    assert run_icefire(capsys, "hierarchy", "infer", "x.csv", *QI, "-o", "h", "--force").code == 2
    assert Path("h/mine.csv").read_text() == "a;*\n"


def test_show_takes_a_folder_or_a_file(place, capsys):
    run_icefire(capsys, "hierarchy", "infer", "x.csv", *QI, "-o", "h")
    one, every = (run_icefire(capsys, "hierarchy", "show", path).out for path in ("h/sex.csv", "h"))
    assert [line.split() for line in one.splitlines()[1:]] == [["sex", "0", "2", "f,", "m"], ["1", "1", "*"]]
    assert "age" in every
    Path("none").mkdir()
    assert "holds no CSV files" in run_icefire(capsys, "hierarchy", "show", "none").err
    assert "cannot be read" in run_icefire(capsys, "hierarchy", "show", "away.csv").err


def test_check_lists_all_that_is_wrong_with_the_column(place, capsys):
    Path("h").mkdir()
    Path("h/age.csv").write_text("".join(f"{age};young;*\n" for age in (21, 24, 33, 38)))
    Path("h/zip.csv").write_text("10115;101;*\n10117;101\n20095;200;*\n")
    done = run_icefire(capsys, "hierarchy", "check", "h", "x.csv", *QI)
    assert (done.code, done.out) == (2, "")
    told = [
        "column 'age': value '39' (first in row 5) is not in its hierarchy",
        "hierarchy 'h/zip.csv' is ragged: line 2 has 2 cells",
        "hierarchies: no file in 'h' has a name that ends in 'sex.csv'",
    ]
    lines = [line for line in done.err.splitlines() if line.startswith("icefire: error: ")]
    assert len(lines) == len(told)
    for line, text in zip(lines, told, strict=True):
        assert line.startswith(f"icefire: error: {text}"), line
    Path("h/sex.csv").write_text("m;x;p\nf;x;q\n")
    assert "not a tree" in run_icefire(capsys, "hierarchy", "check", "h/sex.csv", "x.csv", *QI).err


def test_check_finds_nothing_in_what_was_inferred_and_hints_at_an_open_top(place, capsys):
    run_icefire(capsys, "hierarchy", "infer", "x.csv", *QI, "-o", "h")
    done = run_icefire(capsys, "hierarchy", "check", "h", "x.csv", *QI)
    assert (done.code, done.out.splitlines()[-1]) == (0, "fine: 3 columns, 6 rows")
    Path("my_sex.csv").write_text("m;man\nf;woman\n")
    done = run_icefire(capsys, "hierarchy", "check", "my_sex.csv", "x.csv", *QI)
    assert "hint: 'sex' ends in 2 values" in done.out


def test_a_place_or_a_column_that_is_not_there_is_one_line(place, capsys):
    assert "'away' does not exist" in run_icefire(capsys, "hierarchy", "check", "away", "x.csv", *QI).err
    Path("town.csv").write_text("a;*\n")
    done = run_icefire(capsys, "hierarchy", "check", "town.csv", "x.csv", *QI)
    assert (done.code, "'town.csv' ends in the name of no column" in done.err) == (2, True)
    assert "no column 'town'" in run_icefire(capsys, "hierarchy", "infer", "x.csv", "--qi", "town").err
    both = run_icefire(capsys, "hierarchy", "infer", "x.csv", *QI, "--schema", "s.toml")
    assert (both.code, "use one of them" in both.err) == (2, True)
    Path("y.csv").write_text("a/b,c\n1,2\n2,3\n")
    assert "cannot name a file" in run_icefire(capsys, "hierarchy", "infer", "y.csv", "--qi", "a/b", "-o", "h").err


def test_the_mapping_of_a_full_domain_release_has_one_line_per_value(place, capsys):
    recoded('mode = "full_domain"\nk = 2\nmax_suppressed = 0.4', capsys)
    done = run_icefire(capsys, "hierarchy", "export", "x.csv", "out", *QI, "-o", "map")
    assert done.code == 0, done.err
    truth = [int(row) for row in Path("out.secret/truth.csv").read_text().split()]
    shown = pl.read_csv("out/released.csv")
    for name in ("age", "zip", "sex"):
        mapping = pl.read_csv(f"map/{name}.csv", infer_schema=False)
        assert mapping.columns == ["value", "released", "rows"]
        assert mapping["value"].is_unique().all()
        assert mapping["rows"].cast(pl.Int64).sum() == len(truth)
        said = dict(zip(mapping["value"], mapping["released"], strict=True))
        original = pl.read_csv("x.csv", infer_schema=False)[name]
        assert [said[original[row]] for row in truth] == shown[name].cast(pl.String).to_list()


def test_a_mapping_counts_every_way_a_value_was_released():
    made = applied(pl.Series(["b", "a", "a", None, "a"]), pl.Series(["*", "a", "*", None, "a"]))
    assert made.rows() == [("a", "*", 1), ("a", "a", 2), ("b", "*", 1), (None, None, 1)]


def test_the_mapping_of_another_release_needs_to_know_who_is_who(place, capsys):
    Path("y.csv").write_text(TABLE.replace("10115", "101**"))
    words = ("hierarchy", "export", "x.csv", "y.csv", "--qi", "zip", "-o", "map")
    done = run_icefire(capsys, *words)
    assert (done.code, "--aligned" in done.err) == (2, True)
    assert not Path("map").exists()
    assert run_icefire(capsys, *words, "--aligned").code == 0
    assert Path("map/zip.csv").read_text() == "value,released,rows\n10115,101**,2\n10117,10117,1\n20095,20095,3\n"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_only_options_that_the_command_has_are_suggested(place, capsys, language):
    done = run_icefire(capsys, "hierarchy", "infer", "x.csv", "--lang", language)
    assert (done.code, "--qi COLUMNS" in done.err, "--sa" in done.err) == (2, True, False)
