"""Forty jobs and more of a new user, each with a figure that must be right and an input that must be refused.

All share one folder with a table of 40 people and one release of it. After every job the user's own files are there as
before; nobody sees a traceback; a wrong input is one sentence and exit code 2.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from support.commands import Done, run_icefire
from support.newcomer_files import PEOPLE, write_files

ROLES = ("--qi", "age,sex", "--sa", "pay", "--id", "name")
LITTLE = ("--attacks", "id_rand,euc1", "--measures", "k_min")
CLASSES = PEOPLE.group_by("age", "sex").len()["len"]

Check = Callable[[Done], object]


@dataclass(frozen=True)
class Job:
    """A command, how it ends, what must be true afterwards, and the same command with an input that is wrong."""

    words: tuple[object, ...]
    check: Check
    wrong: tuple[object, ...] = ()
    refusal: str = ""
    code: int = 0
    output: tuple[str, ...] = field(default=())
    """Files and folders it writes."""


def figures(done: Done) -> Any:
    return json.loads(done.out)


def released() -> pl.DataFrame:
    return pl.read_csv("release/released.csv")


def rows_of(path: str) -> Check:
    return lambda done: pl.read_csv(path).height == 40


def same_values(path: str, read: Callable[[str], pl.DataFrame]) -> Check:
    """The column that was swapped holds the values of the original."""
    return lambda done: sorted(read(path)["pay"]) == sorted(PEOPLE["pay"])


def says(text: str) -> Check:
    return lambda done: text in " ".join(done.out.split())


INSPECT = ("inspect", "--qi", "age,sex", "--sa", "pay", "--measures", "k_min", "--json", "-")
AUDIT = ("audit", "people.csv", "release", *ROLES, *LITTLE)
SAME = ("audit", "people.csv", "people.csv", "--aligned", *ROLES, *LITTLE)


def is_inspected(done: Done) -> bool:
    figure = figures(done)
    return figure["provenance"]["table"]["rows"] == 40 and figure["measures"]["k_min"]["value"] == CLASSES.min()


def is_identified(done: Done) -> bool:
    """Rows published as they are: every answer of euc1 is right, and the release does not pass."""
    card = figures(done)
    return card["attacks"]["euc1"]["hits"] == 40 and card["verdict"]["passed"] is False


def is_judged(done: Done) -> bool:
    return figures(done)["attacks"]["id_rand"]["targets"] == 40


JOBS = {
    "see which version it is": Job(("--version",), says("0.2"), ("--verson",), "--version"),
    "see what there is": Job(("list", "attacks"), says("euc1"), ("list", "attack"), "attacks"),
    "make an example": Job(
        ("sample", "households", "-n", 30, "-o", "s1"),
        lambda done: pl.read_csv("s1/households.csv").height == 30,
        ("sample", "household", "-o", "s2"),
        "households",
        output=("s1",),
    ),
    "make an example as Parquet": Job(
        ("sample", "survey", "-n", 30, "-o", "s3", "--format", "parquet"),
        lambda done: pl.read_parquet("s3/survey.parquet").height == 30,
        ("sample", "survey", "-n", 0, "-o", "s4"),
        "0",
        output=("s3",),
    ),
    "look at a CSV file": Job((*INSPECT, "people.csv"), is_inspected, (*INSPECT, "peple.csv"), "does not exist"),
    "look at a file with semicolons": Job(
        (*INSPECT, "semicolon.csv"), is_inspected, (*INSPECT, "empty.csv"), "is empty"
    ),
    "look at a file of Excel": Job(
        (*INSPECT, "people.xlsx"), is_inspected, (*INSPECT, "people.xlsx", "--sheet", "B"), "'B'"
    ),
    "look at a Parquet file": Job(
        (*INSPECT, "people.parquet"), is_inspected, (*INSPECT, "half.parquet"), "cannot be read"
    ),
    "look at a folder of Parquet files": Job((*INSPECT, "parts"), is_inspected, (*INSPECT, "mine"), "without Parquet"),
    "look at files by a pattern": Job(
        (*INSPECT, "parts/*.parquet"), is_inspected, (*INSPECT, "parts/*.pqt"), "parts/*.pqt"
    ),
    "look at an Arrow file": Job((*INSPECT, "people.arrow"), is_inspected, (*INSPECT, "half.arrow"), "cannot be read"),
    "look at JSON lines": Job((*INSPECT, "people.jsonl"), is_inspected, (*INSPECT, "half.jsonl"), "cannot be read"),
    "look at a packed file": Job((*INSPECT, "people.csv.gz"), is_inspected, (*INSPECT, "cut.csv.gz"), "unpacked"),
    "look at a file in Shift-JIS": Job(
        (*INSPECT, "sjis.csv"), is_inspected, (*INSPECT, "sjis.csv", "--encoding", "utf-8"), "--encoding"
    ),
    "look at a file in UTF-16": Job(
        (*INSPECT, "utf16.csv"), is_inspected, (*INSPECT, "utf16.csv", "--encoding", "latin-1"), "is not text"
    ),
    "look at a table of SQLite": Job(
        (*INSPECT, "people.sqlite"), is_inspected, (*INSPECT, "people.sqlite", "--query", "SELEC"), "SELEC"
    ),
    "look at a query": Job(
        (*INSPECT, "people.sqlite", "--query", "SELECT * FROM people"),
        is_inspected,
        (*INSPECT, "people.csv", "--query", "SELECT 1"),
        "is for databases",
    ),
    "look at a file without a header": Job(
        (*INSPECT, "bare.csv", "--no-header", "--columns", "name,age,sex,zip,pay"),
        is_inspected,
        (*INSPECT, "bare.csv"),
        "looks like data",
    ),
    "look at a file with a title above its header": Job(
        (*INSPECT, "titled.csv", "--skip", 2), is_inspected, (*INSPECT, "titled.csv"), "--skip"
    ),
    "look at a file with an odd separator": Job(
        (*INSPECT, "caret.csv", "--separator", "^"), is_inspected, (*INSPECT, "caret.csv"), "--separator '^'"
    ),
    "look at a file with separators at the ends of its lines": Job(
        (*INSPECT, "trailing.csv"), is_inspected, (*INSPECT, "numbered.csv"), "has no name"
    ),
    "look at a file by escape signs": Job(
        (*INSPECT, "escapes.csv"), is_inspected, (*INSPECT, "escapes.csv", "--encoding", "cp9"), "'cp9' is not known"
    ),
    "look at an Arrow stream": Job(
        (*INSPECT, "people.arrows"), is_inspected, (*INSPECT, "mysql://me@place/base"), "mysql:// are not read"
    ),
    "look at numbers with a decimal comma": Job(
        ("inspect", "comma.csv", "--qi", "age", "--sa", "pay", "--measures", "k_min", "--json", "-"),
        lambda done: figures(done)["columns"]["pay"]["mean"] == pytest.approx(PEOPLE["pay"].mean() / 100),  # type: ignore[operator]
        ("inspect", "comma.csv", "--qi", "age", "--sa", "pay", "--decimal", "x"),
        "--decimal",
    ),
    "keep postcodes as they are": Job(
        ("inspect", "people.csv", "--qi", "zip", "--sa", "pay", "--measures", "k_min", "--json", "-"),
        lambda done: figures(done)["measures"]["k_min"]["value"] == PEOPLE["zip"].value_counts()["count"].min(),
        ("inspect", "people.csv", "--qi", "zipcode", "--sa", "pay"),
        "'zipcode'",
    ),
    "write the roles to a file": Job(
        ("inspect", "people.csv", "--write-schema", "roles.toml"),
        lambda done: '"pay"' in Path("roles.toml").read_text(),
        ("inspect", "people.csv", "--write-schema", "notes.txt"),
        "exists already",
        output=("roles.toml",),
    ),
    "use roles of a file": Job(
        ("inspect", "people.csv", "--schema", "schema.toml", "--measures", "k_min", "--json", "-"),
        is_inspected,
        ("inspect", "people.csv", "--schema", "notes.txt"),
        "notes.txt",
    ),
    "write a first recipe": Job(
        ("recipe", "init", "people.csv", *ROLES, "-o", "first.toml"),
        lambda done: "k_anonymize" in Path("first.toml").read_text(),
        ("recipe", "init", "people.csv", *ROLES, "--policy", "publik"),
        "public",
        output=("first.toml",),
    ),
    "check a recipe": Job(
        ("recipe", "check", "swap.toml", "people.csv", *ROLES),
        says("fine: 1 step"),
        ("recipe", "check", "wrong.toml", "people.csv", *ROLES),
        "did you mean 'swap'?",
    ),
    "have a recipe explained": Job(
        ("recipe", "explain", "swap.toml", "people.csv", *ROLES),
        says("pay"),
        ("recipe", "explain", "notes.txt"),
        "notes.txt",
    ),
    "anonymise a file": Job(
        ("anonymize", "people.csv", *ROLES, "-r", "swap.toml", "-o", "out1"),
        same_values("out1/released.csv", pl.read_csv),
        ("anonymize", "people.csv", *ROLES, "-r", "swap.toml", "-o", "."),
        "current folder",
        output=("out1", "out1.secret"),
    ),
    "anonymise an Excel file into one": Job(
        ("anonymize", "people.xlsx", *ROLES, "-r", "swap.toml", "-o", "out2"),
        same_values("out2/released.xlsx", pl.read_excel),
        ("anonymize", "people.xlsx", *ROLES, "-r", "swap.toml", "-o", "out2b", "--format", "ods"),
        "'ods'",
        output=("out2", "out2.secret"),
    ),
    "anonymise into Parquet": Job(
        ("anonymize", "people.csv", *ROLES, "-r", "swap.toml", "-o", "out3", "--format", "parquet"),
        same_values("out3/released.parquet", pl.read_parquet),
        ("anonymize", "people.csv", *ROLES, "-r", "swap.toml", "-o", "mine", "--force"),
        "icefire did not write",
        output=("out3", "out3.secret"),
    ),
    "audit what is published as it is": Job(
        (*SAME, "--json", "-"), is_identified, (*SAME, "--truth", "swap.toml"), "--aligned", code=1
    ),
    "audit a release folder": Job((*AUDIT, "--json", "-"), is_judged, (*AUDIT, "--attacks", "euc9"), "euc1", code=1),
    "audit by a key": Job(
        (
            "audit",
            "people.csv",
            "people.csv",
            "--key",
            "name",
            "--qi",
            "age,sex",
            "--sa",
            "pay",
            *LITTLE,
            "--json",
            "-",
        ),
        is_identified,
        ("audit", "people.csv", "people.csv", "--key", "nam", *ROLES),
        "'name'",
        code=1,
    ),
    "audit a release that lacks a column": Job(
        ("audit", "people.csv", "fewer.csv", "--aligned", *ROLES, *LITTLE, "--json", "-"),
        lambda done: figures(done)["roles"]["not_released"] == ["sex"],
        ("audit", "people.csv", "fewer.csv", *ROLES, *LITTLE),
        "--aligned",
        code=1,
    ),
    "write a report": Job(
        (*SAME, "--html", "report.html"),
        lambda done: "icefire" in Path("report.html").read_text(encoding="utf-8"),
        (*SAME, "--html", "people.csv", "--force"),
        "is read by this command",
        code=1,
        output=("report.html",),
    ),
    "write files for a pipeline": Job(
        (*SAME, "--junit", "j.xml", "--sarif", "s.sarif", "--summary", "s.md"),
        lambda done: "<testsuites" in Path("j.xml").read_text() and json.loads(Path("s.sarif").read_text())["runs"],
        (*SAME, "--junit", "x.xml", "--sarif", "x.xml"),
        "two outputs",
        code=1,
        output=("j.xml", "s.sarif", "s.md"),
    ),
    "list who was recognised": Job(
        (*SAME, "--records", "records.csv"),
        lambda done: pl.read_csv("records.csv").height == 40,
        (*AUDIT, "--records", "release/records.csv"),
        "handed out",
        code=1,
        output=("records.csv",),
    ),
    "set a limit": Job(
        (*SAME, "--max-reid", "1", "--json", "-"),
        lambda done: figures(done)["limits"][0]["limit"] == 1,
        (*SAME, "--max-reid", "5"),
        "--max-reid is 5",
        code=1,
    ),
    "set a limit of a measure": Job(
        (*SAME, "--min", "k_min=2", "--json", "-"),
        lambda done: any(one["name"] == "k_min" and one["limit"] == 2 for one in figures(done)["limits"]),
        (*SAME, "--min", "k=2"),
        "did you mean 'k_min'?",
        code=1,
    ),
    "attack without the truth": Job(
        ("attack", "euc1", "people.csv", "people.csv", *ROLES, "-o", "guess.csv"),
        lambda done: pl.read_csv("guess.csv", has_header=False).to_series().to_list() == list(range(40)),
        ("attack", "euc1", "people.csv", "away.csv", *ROLES, "-o", "g.csv"),
        "'away.csv'",
        output=("guess.csv",),
    ),
    "recode ages into bands": Job(
        ("anonymize", "people.csv", *ROLES, "-r", "bands.toml", "-o", "out4"),
        lambda done: set(pl.read_csv("out4/released.csv")["age"]) == {"<22", "22-24", ">=25"},
        ("anonymize", "people.csv", *ROLES, "-r", "bad_bands.toml", "-o", "out4b"),
        "parameter 'cuts' got [22, 'old']; it takes numbers",
        output=("out4", "out4.secret"),
    ),
    "write an answer beside one's own numbers": Job(
        ("attack", "euc1", "people.csv", "people.csv", *ROLES, "-o", "answer.csv", "--force"),
        lambda done: len(Path("answer.csv").read_text().split()) == 40,
        ("attack", "euc1", "people.csv", "people.csv", *ROLES, "-o", "salaries.csv", "--force"),
        "no file that icefire wrote",
        output=("answer.csv",),
    ),
    "guard a repository with a list that is right": Job(
        ("gate", "--config", "gate.toml", "people.csv"),
        says("does not pass"),
        ("gate", "--config", "typed.toml"),
        "policy is {'max_reid': 0.5}; it takes text",
        code=1,
    ),
    "look at a file in an object store": Job(
        (*INSPECT, "people.parquet"), is_inspected, (*INSPECT, "s3://nowhere/people.xlsx"), "cannot be read from there"
    ),
    "score an answer": Job(
        ("score", "truth.csv", "half.csv", "--json", "-"),
        lambda done: figures(done)["hits"] == 20,
        ("score", "truth.csv", "people.csv"),
        "whole numbers",
    ),
    "recognise the methods of a release": Job(
        ("fingerprint", "people.csv", "release", *ROLES, "--json", "-"),
        lambda done: figures(done),
        ("fingerprint", "people.csv", "mine", *ROLES),
        "'mine'",
    ),
    "compare two releases": Job(
        ("compare", "people.csv", "people.csv", "fewer.csv", "--aligned", *ROLES, *LITTLE, "--json", "-"),
        lambda done: len(figures(done)["releases"]) == 2,
        ("compare", "people.csv", "fewer.csv", "--aligned", *ROLES),
        "at least two",
    ),
    "guard a repository": Job(
        ("gate", "--config", "gate.toml"), says("does not pass"), ("gate", "--config", "away.toml"), "away.toml", code=1
    ),
    "make hierarchies": Job(
        ("hierarchy", "infer", "people.csv", "--qi", "age,sex", "-o", "levels"),
        lambda done: sorted(os.listdir("levels")) == [".icefire.json", "age.csv", "sex.csv"],
        ("hierarchy", "infer", "people.csv", "--qi", "agee"),
        "did you mean 'age'?",
        output=("levels",),
    ),
    "export what each value became": Job(
        ("hierarchy", "export", "people.csv", "people.csv", "--aligned", "--qi", "sex", "-o", "map"),
        lambda done: pl.read_csv("map/sex.csv")["rows"].sum() == 40,
        ("hierarchy", "export", "people.csv", "people.csv", "--qi", "sex", "-o", "map2"),
        "--aligned",
        output=("map",),
    ),
    "look at a history": Job(
        ("inspect", "buys.csv", "--subject", "who", "--item", "what", "--json", "-"),
        lambda done: '"subjects": 8' in done.out or '"customers": 8' in done.out,
        ("inspect", "buys.csv", "--subject", "who", "--item", "thing"),
        "'thing'",
    ),
    "read it in Japanese": Job(
        ("inspect", "people.csv", *ROLES, "--measures", "k_min", "--lang", "ja"),
        lambda done: any(ord(letter) > 0x3000 for letter in done.out),
        ("inspect", "people.csv", *ROLES, "--lang", "xx"),
        "xx",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("newcomer")
    before = os.getcwd()
    os.chdir(place)
    write_files()
    import icefire

    icefire.anonymize("people.csv", "swap.toml", output="release", qi=["age", "sex"], sa="pay", ids="name", seed=1)
    yield place
    os.chdir(before)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", JOBS)
def test_job(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job, before = JOBS[name], content(folder)
    done = run_icefire(capsys, *job.words)
    assert done.code == job.code, (done.out, done.err)
    assert job.check(done), (done.out, done.err)
    assert "Traceback" not in done.err
    assert all((folder / name).exists() for name in job.output)
    for name in job.output:
        shutil.rmtree(name) if Path(name).is_dir() else Path(name).unlink()
    assert content(folder) == before


@pytest.mark.parametrize("name", JOBS)
def test_job_with_a_wrong_input(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job, before = JOBS[name], content(folder)
    done = run_icefire(capsys, *job.wrong)
    assert done.code == 2, (done.out, done.err)
    assert job.refusal in done.err.replace("\n", " "), done.err
    assert "Traceback" not in done.err
    assert content(folder) == before


def test_there_are_forty_jobs() -> None:
    assert len(JOBS) >= 40
