"""Bad input gets one line that says what to do, exit code 2, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.commands import run_icefire

HEADER = "age,job,income,rent\n"
GOOD = HEADER + "".join(f"{20 + i % 4},{'ab'[i % 2]},{1000 + 7 * i},{300 + i}\n" for i in range(12))
ROLES = ("--qi", "age,job", "--sa", "income,rent")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(GOOD)
    Path("y.csv").write_text(GOOD)
    Path("t.csv").write_text("".join(f"{i}\n" for i in range(12)))
    return tmp_path


def refused(capsys, *words, about: str):
    """The command fails with one line on standard error that holds these words, and writes no file."""
    before = sorted(str(path) for path in Path(".").rglob("*"))
    done = run_icefire(capsys, *words)
    lines = [line for line in done.err.splitlines() if line.startswith("icefire: error:")]
    assert done.code == 2, done
    assert len(lines) == 1, done.err
    assert about in lines[0], lines[0]
    assert "Traceback" not in done.err
    assert done.out == ""
    assert sorted(str(path) for path in Path(".").rglob("*")) == before
    return lines[0]


def audit(capsys, about, *extra, x="x.csv", y="y.csv", roles=ROLES, match=("--aligned",)):
    words = ("audit", x, y, *roles, *match, *extra, "--html", "out.html", "--json", "out.json")
    return refused(capsys, *words, about=about)


def test_a_missing_file(place, capsys):
    audit(capsys, "'nowhere.csv' does not exist", x="nowhere.csv")


def test_an_empty_file(place, capsys):
    Path("y.csv").write_text("")
    audit(capsys, "'y.csv' is empty")


def test_a_header_without_rows(place, capsys):
    Path("y.csv").write_text(HEADER)
    audit(capsys, "'y.csv' has no rows")


def test_a_table_of_one_row(place, capsys):
    Path("y.csv").write_text(HEADER + "20,a,1,2\n")
    audit(capsys, "'y.csv' has one row")
    Path("x.csv").write_text(HEADER + "20,a,1,2\n")
    audit(capsys, "'x.csv' has one row")


def test_two_columns_of_one_name(place, capsys):
    Path("x.csv").write_text("age,age,income,rent\n1,2,3,4\n5,6,7,8\n")
    audit(capsys, "two columns named 'age'")


def test_a_release_without_any_column_of_the_original_is_refused_with_the_nearest_name(place, capsys):
    Path("y.csv").write_text(GOOD.replace(HEADER, "Age_,p,q,r\n"))
    line = audit(capsys, "'y.csv' has no column of 'x.csv'")
    assert "did you mean 'age' by 'Age_'?" in line


def test_a_quasi_identifier_missing_in_the_original_is_named_with_the_nearest(place, capsys):
    audit(capsys, "no column 'jobb' in the table; did you mean 'job'?", roles=("--qi", "jobb", "--sa", "income"))


def test_a_column_with_two_roles(place, capsys):
    audit(capsys, "'age' is both qi and sa", roles=("--qi", "age", "--sa", "age"))


def test_text_in_a_numeric_sensitive_column_of_the_release(place, capsys):
    Path("y.csv").write_text(GOOD.replace("1007", "lots"))
    audit(capsys, "row 1 of the other holds 'lots'")


def test_text_in_a_numeric_sensitive_column_of_the_original(place, capsys):
    Path("x.csv").write_text(GOOD.replace("1007", "lots"))
    audit(capsys, "is mostly numbers, but row 1 holds 'lots'")


def test_a_column_without_any_value(place, capsys):
    empty = HEADER + "".join(f"{20 + i},a,,3\n" for i in range(12))
    Path("y.csv").write_text(empty)
    audit(capsys, "column 'income' of 'y.csv' is missing in every row")
    Path("x.csv").write_text(empty)
    audit(capsys, "column 'income' of 'x.csv' is missing in every row")


@pytest.mark.parametrize("value", ["inf", "NaN", "-inf"])
def test_a_number_that_is_not_finite(place, capsys, value):
    Path("y.csv").write_text(GOOD.replace("1007", value))
    audit(capsys, "numbers must be finite")


def test_no_rows_released_as_parquet(place, capsys):
    import polars as pl

    pl.read_csv("x.csv").head(0).write_parquet("y.parquet")
    audit(capsys, "'y.parquet' has no rows", y="y.parquet")


def test_more_rows_released_than_there_were(place, capsys):
    Path("y.csv").write_text(GOOD + "20,a,1,2\n")
    audit(capsys, "has 13 rows, more than the original's 12")


def test_fewer_rows_cannot_be_aligned(place, capsys):
    Path("y.csv").write_text("".join(GOOD.splitlines(keepends=True)[:-1]))
    audit(capsys, "rows can only be matched by order when there are as many")


def test_no_correspondence_or_two(place, capsys):
    audit(capsys, "pass --truth FILE, --aligned or --key COLUMN", match=())
    audit(capsys, "give only one of them", match=("--aligned", "--truth", "t.csv"))


def test_a_truth_of_the_wrong_length(place, capsys):
    Path("t.csv").write_text("0\n1\n")
    audit(capsys, "the truth has 2 rows, the release 12", match=("--truth", "t.csv"))


@pytest.mark.parametrize("wrong", ["12", "-1", "99999999"])
def test_a_truth_out_of_range(place, capsys, wrong):
    Path("t.csv").write_text("".join(f"{i}\n" for i in range(11)) + f"{wrong}\n")
    audit(capsys, f"row 11 holds {wrong}; allowed are the rows of the original, 0 to 11", match=("--truth", "t.csv"))


@pytest.mark.parametrize("wrong", ["1.5", "one", "99999999999999999999"])
def test_a_truth_that_is_not_whole_numbers(place, capsys, wrong):
    Path("t.csv").write_text("".join(f"{i}\n" for i in range(11)) + f"{wrong}\n")
    audit(capsys, "row 11 holds", match=("--truth", "t.csv"))


def test_a_truth_with_a_header_is_told_so(place, capsys):
    Path("t.csv").write_text("row\n" + "".join(f"{i}\n" for i in range(12)))
    audit(capsys, "row 0 holds 'row'", match=("--truth", "t.csv"))


def test_a_key_that_is_absent_repeated_or_unknown(place, capsys):
    audit(capsys, "no column 'nr' in the original table", match=("--key", "nr"))
    audit(capsys, "occurs more than once", match=("--key", "age"), roles=("--qi", "job", "--sa", "income"))
    Path("x.csv").write_text(
        "nr," + "".join(f"{i},{line}" for i, line in enumerate(GOOD.splitlines(keepends=True)))[2:]
    )
    Path("y.csv").write_text(Path("x.csv").read_text().replace("\n12,", "\n77,"))
    audit(capsys, "'77' in row 11 of the release is no 'nr' of the original", match=("--key", "nr"))


def test_an_unknown_attack(place, capsys):
    line = audit(capsys, "unknown attack 'euc3'", "--attacks", "euc3")
    assert "did you mean 'euc" in line
    refused(capsys, "attack", "euc3", "x.csv", "y.csv", "-o", "g.csv", *ROLES, about="unknown attack 'euc3'")


def test_an_unknown_or_impossible_parameter(place, capsys):
    words = ("attack", "euc1", "x.csv", "y.csv", "-o", "g.csv", *ROLES)
    refused(capsys, *words, "--param", "scal=raw", about="euc1 has no parameter 'scal'; did you mean 'scale'?")
    refused(capsys, *words, "--param", "scale=metric", about="got 'metric'; it takes one of raw, standard")
    refused(capsys, *words, "--param", "scale", about="it takes NAME=VALUE")
    refused(capsys, *words, "--param", "sa=incom", about="no column 'incom'; did you mean 'income'?")


def test_text_where_an_attack_or_aya_needs_numbers(place, capsys):
    audit(capsys, "column 'job' holds no numbers to compute with", "--param", "euc1.sa=job")
    audit(capsys, "column 'job' holds no numbers to compute with", "--aya-columns", "job")
    audit(capsys, "no column 'incom'; did you mean 'income'?", "--aya-columns", "incom")
    audit(capsys, "column 'job' holds no numbers to compute with", "--param", "id_sa.column=job")
    audit(capsys, "column 'job' holds no numbers to compute with", "--param", "mean_error.columns=job")
    audit(capsys, "column 'job' holds no numbers to compute with", "--param", "cross_mean.sa=job")
    audit(capsys, "column 'job' holds no numbers to compute with", "--param", "sort.columns=job")


def test_an_unknown_limit(place, capsys):
    audit(capsys, "no measure or attack is called 'k_mni'; did you mean 'k_min'?", "--max", "k_mni=3")
    audit(capsys, "it takes NAME=NUMBER", "--max", "k_min")
    audit(capsys, "it is a share between 0 and 1", "--max-reid", "5")


def test_an_output_that_cannot_be_written(place, capsys):
    words = ("audit", "x.csv", "y.csv", *ROLES, "--aligned")
    refused(
        capsys, *words, "--html", "no/such/place/r.html", "--json", "-", about="cannot write 'no/such/place/r.html'"
    )
    refused(capsys, "attack", "sort", "x.csv", "y.csv", *ROLES, "-o", "no/g.csv", about="cannot write 'no/g.csv'")
    Path("folder").mkdir()
    refused(capsys, "attack", "sort", "x.csv", "y.csv", *ROLES, "-o", "folder", about="'folder' is a folder")


def test_an_output_that_cannot_be_written_is_told_before_the_work_begins(place, capsys, monkeypatch):
    monkeypatch.setattr("icefire.io.tables.read_source", lambda *_: pytest.fail("the table was read first"))
    audit(capsys, "cannot write 'no/r.csv' (no such folder)", "--records", "no/r.csv")


def test_an_output_folder_that_holds_something_is_not_touched(place, capsys):
    Path("mine").mkdir()
    Path("mine/diary.txt").write_text("dear diary")
    Path("r.toml").write_text('[[step]]\nmethod = "noise"\n')
    words = ("anonymize", "x.csv", "--recipe", "r.toml", "-o", "mine", *ROLES)
    refused(capsys, *words, about="changed since: diary.txt")
    refused(
        capsys,
        "sample",
        "households",
        "-n",
        "10",
        "-o",
        "mine",
        about="changed since: diary.txt",
    )
    refused(capsys, "demo", "-n", "50", "-o", "mine", about="changed since: diary.txt")
    assert Path("mine/diary.txt").read_text() == "dear diary"


@pytest.mark.parametrize(
    ("recipe", "about"),
    [
        ("", "no steps"),
        ("not toml at all", "is not TOML"),
        ('[[step]]\nmethod = "nois"\n', "recipe step 1: unknown method 'nois'; did you mean 'noise'?"),
        ('[[step]]\nmethod = "noise"\nscale = -1\n', "parameter 'scale' got -1; it takes a number, at least 0"),
        ('[[step]]\nmethod = "noise"\nscale = "big"\n', "got 'big'"),
        ("[[step]]\nscale = 1\n", "step 1 names no method"),
        ('seed = -3\n[[step]]\nmethod = "noise"\n', "seed is -3"),
        ('sed = 3\n[[step]]\nmethod = "noise"\n', "unknown entry 'sed'; did you mean 'seed'?"),
        ('[[step]]\nmethod = "delete"\nshare = 1\n', "leaves none of 12 rows"),
        ('[[step]]\nmethod = "k_anonymize"\nk = 13\n', "k is 13, but the table has 12 rows"),
        ('[[step]]\nmethod = "unify"\ncolumns = ["aeg"]\n', "no column 'aeg'; did you mean 'age'?"),
    ],
)
def test_a_recipe_with_a_mistake(place, capsys, recipe, about):
    Path("r.toml").write_text(recipe)
    refused(capsys, "anonymize", "x.csv", "--recipe", "r.toml", "-o", "out", *ROLES, about=about)


def test_a_missing_recipe_and_a_binary_table(place, capsys):
    refused(
        capsys, "anonymize", "x.csv", "--recipe", "r.toml", "-o", "out", *ROLES, about="recipe 'r.toml' cannot be read"
    )
    Path("x.csv").write_bytes(b"\x00\x01\x02" * 100)
    audit(capsys, "'x.csv' is not text")
    Path("x.csv").write_bytes("ä,b\n1,2\n".encode("latin-1") * 9)
    audit(capsys, "is not UTF-8", "--encoding", "utf-8")
    audit(capsys, "looks like data")
    Path("x.parquet").write_text("no parquet")
    audit(capsys, "cannot be read as a table", x="x.parquet")


def test_a_schema_file_with_a_mistake(place, capsys):
    Path("s.toml").write_text('qi = ["age"]\nsensitive = ["income"]\n')
    audit(capsys, "unknown entry 'sensitive'", roles=("--schema", "s.toml"))
    Path("s.toml").write_text('qi = "age"\n')
    audit(capsys, "qi must be a list of column names", roles=("--schema", "s.toml"))
    audit(capsys, "use one of them", roles=("--schema", "s.toml", "--qi", "age"))
    audit(capsys, "cannot be read", roles=("--schema", "none.toml"))


def test_scores_of_files_that_do_not_fit(place, capsys):
    Path("g.csv").write_text("0\n1\n")
    refused(capsys, "score", "t.csv", "g.csv", about="the guess has 2 rows for 12 targets")
    Path("g.csv").write_text("0,1\n" * 11 + "2,x\n")
    refused(capsys, "score", "t.csv", "g.csv", about="row 11 holds 'x'")
    Path("g.csv").write_text("-2\n" * 12)
    refused(capsys, "score", "t.csv", "g.csv", about="row 0 holds -2")


def test_scores_of_membership_that_do_not_fit(place, capsys):
    for content, about in {
        "0.5\n" * 11 + "nan\n": "score of target 11 is nan",
        "0.5\n" * 11 + "high\n": "row 11 holds 'high'",
        "0.5,1\n" * 12: "row 0 has 2 cells",
        "0.5\n" * 12: "everybody is a member",
    }.items():
        Path("g.csv").write_text(content)
        refused(capsys, "score", "t.csv", "g.csv", "--scores", about=about)
    refused(capsys, "score", "t.csv", "g.csv", "--scores", "--max-reid", "0.1", about="scores name none")


def test_headerless_files_with_the_wrong_number_of_names(place, capsys):
    audit(
        capsys,
        "has 4 columns but --columns names 2",
        "--no-header",
        "--columns",
        "a,b",
        roles=("--qi", "a", "--sa", "b"),
    )
    audit(capsys, "it takes one character", "--delimiter", "::")


def test_an_unknown_sample_and_an_impossible_size(place, capsys):
    refused(capsys, "sample", "castles", "-o", "out", about="no sample is called 'castles'")
    refused(capsys, "sample", "households", "-n", "0", "-o", "out", about="a sample of 0 rows cannot be made")


def test_an_interrupted_run_says_so_and_leaves_nothing(place):
    import polars as pl

    rng = np.random.default_rng(0)
    pl.DataFrame({f"c{i}": rng.integers(0, 9, 400_000) for i in range(8)}).write_csv("big.csv")
    before = sorted(os.listdir())
    words = [
        "audit",
        "big.csv",
        "big.csv",
        "--aligned",
        "--qi",
        "c0,c1",
        "--sa",
        "c2,c3,c4,c5,c6,c7",
        "--html",
        "o.html",
    ]
    run = subprocess.Popen([sys.executable, "-m", "icefire", *words], stderr=subprocess.PIPE, text=True)
    assert run.stderr is not None
    run.stderr.readline()  # the roles are shown when reading is done and the work begins
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=120)
    assert run.returncode == 2
    assert "icefire: error: interrupted" in err
    assert "Traceback" not in err
    assert sorted(os.listdir()) == before
