"""Swap candidates per row: against a plain version, as files, and the figures of the contest's table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from support.commands import run_icefire
from support.places import ROOT

import icefire
from icefire.audit import swap_candidates as module
from icefire.contests import pwscup2021
from icefire.core.errors import ParameterError

CONTEST = ROOT.parent / "shared" / "data" / "pwscup2021_nhanes" / "B.csv"
COMPARED = {"numbers": ["age", "bmi"], "categories": ["sex", "race"]}


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, 60),
            "bmi": rng.normal(27, 4, 60).round(1),
            "sex": rng.choice(["f", "m"], 60),
            "race": rng.choice(["a", "b", "c"], 60),
        }
    )


def plain_candidates(people: pl.DataFrame, limit: float) -> list[list[int]]:
    rows = list(people.iter_rows(named=True))

    def loss(a, b) -> float:
        numbers = [abs(a[name] - b[name]) for name in COMPARED["numbers"]]
        return max(*numbers, sum(a[name] != b[name] for name in COMPARED["categories"]))

    return [[j for j, b in enumerate(rows) if j != i and loss(a, b) <= limit + 1e-9] for i, a in enumerate(rows)]


@pytest.mark.parametrize("limit", [0, 1, 4, 6.5])
def test_candidates_are_those_of_the_plain_version(people: pl.DataFrame, limit: float) -> None:
    lines = icefire.swap_candidates(people, qi=people.columns, limit=limit, **COMPARED)
    assert lines.columns == ["row", "count", "candidates"]
    assert lines["row"].to_list() == list(range(60))
    assert lines["candidates"].to_list() == plain_candidates(people, limit)
    assert lines["count"].to_list() == lines["candidates"].list.len().to_list()


def test_what_cannot_be_listed_is_refused_in_words(people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="the limit is -1; it must be 0 or more"):
        icefire.swap_candidates(people, qi=people.columns, limit=-1)
    with pytest.raises(ParameterError, match="but this is a history"):
        icefire.swap_candidates(icefire.sample("shop", 100))
    monkeypatch.setattr(module, "MOST", 5)
    with pytest.raises(ParameterError, match=r"within a limit of 9 are too many to list \(at most 5\)"):
        icefire.swap_candidates(people, qi=people.columns, limit=9)


def test_both_files_hold_the_same_list(people: pl.DataFrame, tmp_path: Path, capsys) -> None:
    people.write_csv(tmp_path / "people.csv")
    columns = ["--candidate-numbers", "age,bmi", "--candidate-categories", "sex,race", "--candidate-limit", "3"]
    for name in ("list.csv", "list.parquet"):
        command = ["inspect", tmp_path / "people.csv", "--qi", "age,bmi,sex,race", *columns]
        done = run_icefire(capsys, *command, "--measures", "k_min", "--candidates", tmp_path / name)
        assert done.code == 0, done.err
    text, lists = pl.read_csv(tmp_path / "list.csv"), pl.read_parquet(tmp_path / "list.parquet")
    expected = plain_candidates(people, 3)
    assert lists["candidates"].to_list() == expected
    assert [[int(row) for row in (cell or "").split()] for cell in text["candidates"]] == expected


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--candidates", "list.txt"], "--candidates got 'list.txt'; name a file that ends with .csv or .parquet"),
        (["--picture", "figure.pdf"], "--picture got 'figure.pdf'; name a file that ends with .png or .svg"),
        (["--picture", "figure.png"], "--picture draws how alike the people of a history are; this is a table"),
    ],
)
def test_files_that_cannot_be_written_are_refused_before_any_work(
    people: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, options: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    people.write_csv("people.csv")
    done = run_icefire(capsys, "inspect", "people.csv", "--qi", "age,bmi,sex,race", *options)
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_the_contest_table_has_the_known_numbers_of_candidates() -> None:
    if not CONTEST.is_file():
        pytest.skip("the shared data (../shared/data/pwscup2021_nhanes) is not here")
    data = icefire.read(CONTEST, **pwscup2021.READING)
    lines = icefire.swap_candidates(data, numbers=pwscup2021.NUMBERS, categories=pwscup2021.CATEGORIES)
    counts = lines["count"]
    assert (counts.min(), counts.max(), counts.median()) == (0, 282, 120)
    assert (int((counts == 0).sum()), int((counts <= 25).sum())) == (11, 296)
