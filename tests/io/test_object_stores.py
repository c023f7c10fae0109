"""Tables are read from an object store, and what goes wrong there is said in one sentence.

Each case runs in a process of its own: polars reads its settings once.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from support.object_store import running_store

PEOPLE = pl.DataFrame({"町": ["奈良", "堺", "奈良"], "PLZ": ["00410", "10115", "00410"], "給与": [1200, 3400, 560]})
READ = """
import sys, icefire
for address in sys.argv[1:]:
    try:
        data = icefire.read(address)
        print(data.frame.rows(), data.reading.source)
    except icefire.IcefireError as error:
        print("error:", error)
"""
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "secret"}


def bytes_of(write: str) -> bytes:
    target = io.BytesIO()
    getattr(PEOPLE, write)(target)
    return target.getvalue()


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    objects = {
        "ward/people.parquet": bytes_of("write_parquet"),
        "ward/people.arrow": bytes_of("write_ipc"),
        "ward/people.jsonl": bytes_of("write_ndjson"),
        "ward/people.csv": bytes_of("write_csv"),
        "ward/sjis.csv": PEOPLE.write_csv().encode("cp932"),
        "ward/empty.csv": b"",
        "locked/people.csv": b"",
    }
    with running_store(objects) as address:
        yield address


def read(store: str, folder: Path, *addresses: str, **settings: str) -> list[str]:
    nobody = "http://127.0.0.1:9"
    fixed = {"AWS_ENDPOINT_URL": store, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "here", "TMPDIR": str(folder)}
    machines = {"AWS_METADATA_ENDPOINT": nobody, "GCE_METADATA_HOST": nobody[7:], "GCE_METADATA_IP": nobody[7:]}
    others = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "POLARS_TEMP"))}
    env = {**others, "HOME": str(folder), "POLARS_CLOUD_MAX_RETRIES": "1", **fixed, **machines, **settings}
    words = [sys.executable, "-c", READ, *addresses]
    done = subprocess.run(words, env=env, capture_output=True, text=True, encoding="utf-8", check=True, timeout=120)
    return done.stdout.splitlines()


def test_every_kind_of_file_is_read_and_nothing_is_left_on_the_disk(store: str, tmp_path: Path) -> None:
    kinds = {"parquet": "Parquet", "arrow": "Arrow IPC", "jsonl": "JSON lines", "csv": "CSV, UTF-8, separator ,"}
    said = read(store, tmp_path, *(f"s3://ward/people.{ending}" for ending in kinds), **CREDENTIALS)
    assert said == [f"{PEOPLE.rows()} {title}" for title in kinds.values()]
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in left if "奈良".encode() in path.read_bytes()]


def test_what_goes_wrong_is_one_sentence(store: str, tmp_path: Path) -> None:
    names = ("ward/away.parquet", "ward/away.csv", "ward/sjis.csv", "ward/empty.csv", "locked/people.csv")
    said = read(store, tmp_path, *(f"s3://{name}" for name in names), **CREDENTIALS)
    assert said[:2] == [f"error: 's3://{name}' does not exist there; check the address" for name in names[:2]]
    assert "is not UTF-8" in said[2]
    assert "is empty" in said[3]
    assert "may not be read with these credentials" in said[4]


def test_missing_credentials_are_named(store: str, tmp_path: Path) -> None:
    said = read(store, tmp_path, "s3://ward/people.csv", "az://ward/people.parquet", "gs://ward/people.parquet")
    assert [one.partition(" were found")[0] for one in said] == [
        f"error: no credentials for '{kind}://ward/people.{ending}'"
        for kind, ending in (("s3", "csv"), ("az", "parquet"), ("gs", "parquet"))
    ]
    assert "AWS_ACCESS_KEY_ID" in said[0]


def test_a_store_that_does_not_answer_is_named(tmp_path: Path) -> None:
    said = read("http://127.0.0.1:9", tmp_path, "s3://ward/people.parquet", **CREDENTIALS)
    assert said == ["error: the store of 's3://ward/people.parquet' does not answer; check the address and the network"]
