"""Delta Lake folders: only the files that the log calls the table today are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from icefire.core.errors import InputError
from icefire.io.scanned_files import scanned_files
from icefire.io.tables import read_source

PROTOCOL = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
METADATA = {"metaData": {"id": "it", "partitionColumns": [], "configuration": {"a": "b"}}}


def part(folder: Path, name: str, ages: list[int]) -> dict[str, Any]:
    """Write a file of the table, and return the action that adds it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame({"age": ages, "postcode": [f"0{age}" for age in ages]}).write_parquet(path)
    return {"add": {"path": name.replace("%", "%25"), "size": 1, "dataChange": True}}


def remove(name: str) -> dict[str, Any]:
    return {"remove": {"path": name, "dataChange": True}}


def commit(folder: Path, version: int, *actions: dict[str, Any]) -> None:
    log = folder / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    (log / f"{version:020d}.json").write_text("\n".join(json.dumps(action) for action in actions))


def ages(folder: Path) -> list[int]:
    return read_source(folder).frame["age"].sort().to_list()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Four people, of whom the second version replaced 40 by 41."""
    folder = tmp_path / "people"
    commit(folder, 0, PROTOCOL, METADATA, part(folder, "a.parquet", [20, 30]), part(folder, "b.parquet", [40, 50]))
    commit(folder, 1, remove("b.parquet"), part(folder, "c.parquet", [41, 50]))
    return folder


def test_rows_of_earlier_versions_are_not_read(table: Path) -> None:
    assert ages(table) == [20, 30, 41, 50]
    scanned = scanned_files(table)
    assert scanned is not None
    assert scanned.frame.collect().height == 4


def test_a_checkpoint_stands_for_the_commits_before_it(table: Path) -> None:
    state = [PROTOCOL, METADATA, part(table, "a.parquet", [20, 30]), part(table, "c.parquet", [41, 50])]
    (table / "x.jsonl").write_text("\n".join(json.dumps(action) for action in state))
    pl.read_ndjson(table / "x.jsonl").write_parquet(table / "_delta_log" / f"{1:020d}.checkpoint.parquet")
    for version in (0, 1):
        (table / "_delta_log" / f"{version:020d}.json").unlink()
    assert ages(table) == [20, 30, 41, 50]
    commit(table, 2, remove("a.parquet"))
    assert ages(table) == [41, 50]


def test_a_checkpoint_of_which_a_part_is_missing_is_not_used(table: Path) -> None:
    name = f"{1:020d}.checkpoint.{1:010d}.{2:010d}.parquet"
    pl.DataFrame({"add": [{"path": "b.parquet"}]}).write_parquet(table / "_delta_log" / name)
    assert ages(table) == [20, 30, 41, 50]


def test_what_the_names_of_folders_say_is_read_with_the_rows(tmp_path: Path) -> None:
    metadata = {"metaData": {"id": "it", "partitionColumns": ["region"], "configuration": {"a": "b"}}}
    files = [part(tmp_path, "region=a%2Fb/1.parquet", [20]), part(tmp_path, "region=c/2.parquet", [30])]
    commit(tmp_path, 0, PROTOCOL, metadata, *files)
    assert read_source(tmp_path).frame.sort("age")["region"].to_list() == ["a/b", "c"]


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([{"protocol": {"minReaderVersion": 3, "readerFeatures": ["catalogManaged"]}}], "it uses catalogManaged"),
        ([{"protocol": {"minReaderVersion": 4}}], "a newer protocol"),
        ([{"add": {"path": "a.parquet", "deletionVector": {"cardinality": 1}}}], "deletion vectors"),
        ([{"metaData": {"configuration": {"delta.columnMapping.mode": "name"}}}], "column mapping"),
        ([{"add": {"path": "gone.parquet"}}], "'gone.parquet' is missing"),
        ([{"add": {"path": "s3://elsewhere/x.parquet"}}], "lies elsewhere"),
        ([{"add": {"path": "/x.parquet"}}], "lies elsewhere"),
        ([{"add": {"path": "../people/a.parquet"}}], "lies elsewhere"),
        ([{"add": [1]}], "its log cannot be read"),
        ([{"metaData": {"partitionColumns": ["region"]}}], "the column 'region' is neither"),
        ([{"add": {"size": 1}}], "its log cannot be read"),
        ([remove("a.parquet"), remove("c.parquet")], "has no rows"),
    ],
)
def test_tables_whose_rows_are_not_those_of_their_files_are_refused(
    table: Path, actions: list[dict[str, Any]], words: str
) -> None:
    commit(table, 2, *actions)
    with pytest.raises(InputError, match=words):
        read_source(table)


def test_a_log_that_is_not_whole_is_refused(table: Path) -> None:
    commit(table, 3, part(table, "d.parquet", [60]))
    with pytest.raises(InputError, match="version 2 is missing"):
        read_source(table)
    for line in ("{", "[1]", "1"):
        (table / "_delta_log" / f"{2:020d}.json").write_text(line)
        with pytest.raises(InputError, match="its log cannot be read"):
            read_source(table)
    for path in (table / "_delta_log").iterdir():
        path.unlink()
    with pytest.raises(InputError, match="no commit"):
        read_source(table)


def test_hidden_files_and_those_of_unfinished_jobs_are_no_rows(tmp_path: Path) -> None:
    for name in ("1.parquet", ".1.parquet", "_temporary/2.parquet", ".trash/3.parquet"):
        part(tmp_path, name, [20, 30])
    assert ages(tmp_path) == [20, 30]


def test_a_folder_of_text_files_is_one_table(tmp_path: Path) -> None:
    (tmp_path / "_SUCCESS").touch()
    for number in range(2):
        (tmp_path / f"part-{number}.csv").write_text(f"age,postcode\n2{number},01\n3{number},02\n")
    assert read_source(tmp_path).frame.rows() == [(20, "01"), (30, "02"), (21, "01"), (31, "02")]
    (tmp_path / "part-2.csv").write_text("age,pay\n1,2\n")
    with pytest.raises(InputError, match="different columns"):
        read_source(tmp_path)
