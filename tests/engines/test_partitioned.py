"""The engine partitioned gives the same answers, row by row, as one process; what it cannot do it refuses."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.engine_tables import in_parts, skewed

from icefire.attacks.tables.parts import nearest
from icefire.audit.parts.tables import shuffled
from icefire.core import parts, registry, seeds
from icefire.core.align import match
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, OutputError, ParameterError
from icefire.core.parts import ROW, Bucket, Job
from icefire.core.release import Case, Comparison, Truth
from icefire.core.roles import choose
from icefire.engines import batch_files, bucket_files
from icefire.engines.batch_files import write_batch
from icefire.engines.coding import code_tables
from icefire.engines.hashing import bucket_numbers
from icefire.engines.memory import MemoryPlan
from icefire.engines.partitioned import PartitionedTables
from icefire.engines.raw_tables import PolarsTable
from icefire.testing.engines import TINY, check_in_parts, in_tiny_buckets


def opened(comparison: Comparison, plan: MemoryPlan = TINY, scratch: Path | None = None) -> PartitionedTables:
    x = PolarsTable(comparison.original.frame.lazy(), "original")
    y = PolarsTable(comparison.released.frame.lazy(), "released")
    return PartitionedTables(x, y, code_tables(x, y, comparison.original.schema), plan, scratch)


def check_all(comparison: Comparison, tables: PartitionedTables) -> None:
    for sort in ("attack", "measure"):
        for entry in in_parts(sort):
            check_in_parts(entry, comparison, tables)


@settings(max_examples=15, deadline=None)
@given(
    rows=st.integers(12, 120),
    seed=st.integers(0, 10_000),
    share=st.sampled_from([0.0, 0.3, 0.9]),
    missing=st.sampled_from([0.0, 0.3]),
    bucket_rows=st.integers(3, 60),
)
def test_answers_are_those_of_one_process(rows: int, seed: int, share: float, missing: float, bucket_rows: int) -> None:
    comparison = skewed(rows, seed, share, missing)
    tables = opened(comparison, MemoryPlan(max(2, bucket_rows // 2), bucket_rows, 1 << 30))
    try:
        check_all(comparison, tables)
    finally:
        tables.close()


def test_everything_that_the_papers_name_runs_in_parts() -> None:
    attacks = {entry.name for entry in in_parts("attack")}
    assert attacks >= {"id_rand", "id_sa", "sort", "sa_nearest", "euc1", "euc2"}
    codes = {entry.code for entry in in_parts("measure")}
    assert codes >= {"S1", "S2", "U1", "U2", "U3", "U4", "U5", "U6"}
    models = {"l_distinct", "l_entropy", "l_recursive", "alpha_k", "t_equal", "t_ordered", "k_map", "delta_presence"}
    assert {entry.name for entry in in_parts("measure")} >= models


def test_a_giant_class_is_cut_and_its_answers_stay_the_same() -> None:
    comparison = skewed(500, 3, share=0.8)
    tables = opened(comparison, MemoryPlan(40, 50, 1 << 30))
    pieces = []

    def count(bucket: Bucket) -> pl.DataFrame:
        pieces.append((bucket.x.height, bucket.y.height))
        return pl.DataFrame()

    list(tables.run_job(Job("sizes", tables.schema.qi, count, {}, splits=True)))
    assert max(x + y for x, y in pieces) <= 200
    check_in_parts(registry.get("attack", "euc1"), comparison, tables)
    check_in_parts(registry.get("attack", "id_sa"), comparison, tables)
    tables.close()


def test_other_parameters_give_the_same_answers() -> None:
    comparison = skewed(200, 5)
    tables = opened(comparison)
    cases = [
        ("attack", "euc2", {"qi": ("town",), "sa": ("rent",)}),
        ("attack", "euc2", {"qi": ()}),
        ("attack", "euc1", {"qi": ("age",), "sa": ("age", "rent")}),
        ("attack", "id_sa", {"qi": ("age",), "column": "rent"}),
        ("attack", "id_rand", {"qi": ("height",)}),
        ("attack", "sa_nearest", {"column": "income", "zero_is_no_answer": True}),
        ("attack", "sort", {"columns": ("rent",)}),
        ("measure", "k_min", {"qi": ("age",)}),
        ("measure", "cross_mean", {"cells": "union", "qi": ("town",)}),
        ("measure", "cross_count", {"cells": "original"}),
        ("measure", "information_loss", {"scale": "relative"}),
        ("measure", "information_loss", {"scale": "none", "columns": ("rent",)}),
        ("measure", "correlation_error", {"full_matrix": True}),
        ("measure", "l_recursive", {"c": 1.5}),
        ("measure", "beta_likeness", {"form": "enhanced"}),
        ("measure", "delta_presence", {"bound": "min"}),
    ]
    for sort, name, parameters in cases:
        check_in_parts(registry.get(sort, name), comparison, tables, **parameters)
    tables.close()


@pytest.mark.parametrize(
    ("sort", "name", "parameters"),
    [
        ("attack", "euc1", {"scale": "standard"}),
        ("attack", "euc1", {"give_up": "same_row"}),
        ("attack", "euc2", {"scale": "standard"}),
        ("measure", "information_loss", {"scale": "sd"}),
        ("measure", "l_distinct", {"suppressed": "wildcard"}),
    ],
)
def test_parameters_that_need_the_whole_table_are_refused(sort: registry.Sort, name: str, parameters: dict) -> None:
    tables = opened(skewed(60))
    entry = registry.get(sort, name)
    assert entry.in_parts is not None
    draws = {"rng": seeds.generator(1)} if sort == "attack" else {}
    with pytest.raises(ParameterError, match="only the engine local"):
        entry.in_parts(tables, **draws, **entry.bind(parameters))
    tables.close()


def test_labels_of_a_release_are_compared_as_one_process_compares_them() -> None:
    frame = pl.DataFrame(
        {"age": [34, 35, 41, 42, 34, 50], "zip": ["01", "02", "10", "01", "02", "03"], "pay": range(6)}
    )
    original = Dataset(frame, choose(frame, ("age", "zip"), ("pay",)))
    labels = pl.DataFrame(
        {
            "age": ["30-39", "35", "*", "42", "30-39", "50"],
            "zip": ["1", "2", "10", "1", "2", "3"],
            "pay": ["0", "*", "2", "3", "9", "5"],
        }
    )
    known, released = match(original, labels)
    comparison = Comparison(Case(known, released), Truth(np.arange(6)))
    tables = in_tiny_buckets(frame, labels, original.schema)
    assert tables.schema == known.schema
    check_all(comparison, tables)
    tables.close()


def test_the_bucket_of_a_row_depends_on_its_values_alone() -> None:
    frame = pl.DataFrame({"a": [1, 1, None, None, 2], "b": [0.0, -0.0, 1.0, 1.0, 0.0]})
    numbers = bucket_numbers(frame, ("a", "b"), 1000)
    assert numbers[0] == numbers[1]
    assert numbers[2] == numbers[3]
    assert len(set(numbers.tolist())) == 3
    assert numbers.tolist() == bucket_numbers(frame.with_columns(pl.col("a").cast(pl.Int8)), ("a", "b"), 1000).tolist()


def test_a_stopped_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comparison, scratch = skewed(100, 7), tmp_path / "parts"
    written = bucket_files.BucketFiles._write_batch
    calls = []

    def stop_at_third(self: bucket_files.BucketFiles, target: Path, frame: pl.DataFrame, rows: np.ndarray) -> None:
        calls.append(target)
        if len(calls) == 3:
            (target.with_name(f"{target.name}.part")).mkdir()
            raise KeyboardInterrupt
        written(self, target, frame, rows)

    monkeypatch.setattr(bucket_files.BucketFiles, "_write_batch", stop_at_third)
    with pytest.raises(KeyboardInterrupt):
        opened(comparison, MemoryPlan(20, 30, 1 << 30), scratch)
    tables = opened(comparison, MemoryPlan(20, 30, 1 << 30), scratch)
    assert calls.count(calls[0]) == 1, "a batch that was written whole is not written again"
    check_all(comparison, tables)
    answers = tables.kept("answers", lambda: np.arange(3))
    again = opened(comparison, MemoryPlan(20, 30, 1 << 30), scratch)
    assert again.kept("answers", lambda: np.zeros(3, np.int64)).tolist() == answers.tolist()


def test_a_folder_of_other_tables_is_refused_and_left_alone(tmp_path: Path) -> None:
    opened(skewed(40, 1), TINY, tmp_path / "parts").close()
    before = sorted(path.name for path in (tmp_path / "parts").rglob("*"))
    with pytest.raises(ParameterError, match="holds parts of other tables"):
        opened(skewed(40, 2), TINY, tmp_path / "parts")
    assert sorted(path.name for path in (tmp_path / "parts").rglob("*")) == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(ParameterError, match="is not empty"):
        opened(skewed(40, 2), TINY, tmp_path / "mine")


def test_a_full_disk_is_one_clear_error_and_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_before = Path.open

    def full(self: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if mode == "wb":
            raise OSError(28, "No space left on device")
        return opened_before(self, mode, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", full)
        with pytest.raises(OutputError, match="is full"):
            opened(skewed(40), TINY, tmp_path / "parts")
    tables = opened(skewed(40), TINY, tmp_path / "parts")
    check_all(skewed(40), tables)
    with pytest.raises(OutputError, match="GB left"):
        bucket_files.check_room(tmp_path, 1 << 62)
    monkeypatch.setattr(bucket_files.shutil, "disk_usage", lambda folder: SimpleNamespace(free=300_000))
    with pytest.raises(OutputError, match=r"has 0\.3 MB left, and the buckets need about 1\.2 MB"):
        bucket_files.check_room(tmp_path, 1_200_000)


def test_a_disk_that_is_full_when_answers_are_kept_is_the_same_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(file: Any, values: np.ndarray) -> None:
        raise OSError(f"{len(values)} requested and 0 written")

    def full(file: int, start: int, size: int) -> None:
        raise OSError(28, "No space left on device")

    tables = opened(skewed(40))
    monkeypatch.setattr(np, "save", short)
    with pytest.raises(OutputError, match="is full"):
        tables.kept("answers", lambda: np.arange(3))
    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(OutputError, match="is full"):
        tables.room((10, 10), np.int32)
    tables.close()


def test_a_class_that_cannot_be_cut_and_does_not_fit_is_refused_by_name() -> None:
    tables = opened(skewed(300, 1, share=0.9), MemoryPlan(20, 30, 1000))
    entry = registry.get("attack", "id_rand")
    assert entry.in_parts is not None
    with pytest.raises(ParameterError, match=r"id_rand needs .* rows at once"):
        entry.in_parts(tables, rng=seeds.generator(1))
    tables.close()


def test_a_column_without_a_role_is_refused() -> None:
    tables = opened(skewed(60))
    with pytest.raises(ParameterError, match="not carried by this engine"):
        tables.facts("original", "colour")
    tables.close()


def test_columns_that_only_one_process_reads_are_refused() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3], "pay": ["$1,000.50", "$2,000", "$1,500"]})
    with pytest.raises(InputError, match="written as text with signs"):
        in_tiny_buckets(frame, frame, choose(frame, ("age",), ("pay",)))
    endless = pl.DataFrame({"age": [1, 2, 3], "pay": [1.0, float("inf"), 2.0]})
    with pytest.raises(InputError, match="not finite"):
        in_tiny_buckets(endless, endless, choose(endless, ("age",), ("pay",)))
    more = pl.concat([frame, frame])
    with pytest.raises(InputError, match="more than the original"):
        in_tiny_buckets(frame.drop("pay"), more.drop("pay"), choose(frame.drop("pay"), ("age",)))


def test_nothing_that_an_attack_receives_leads_to_the_truth() -> None:
    comparison = skewed(40)
    tables = opened(comparison)
    assert not hasattr(tables, "paired")
    assert ROW in tables._default.read("released", 0, ()).columns
    tables.close()


def test_the_nearest_of_several_pieces_counts_wherever_they_come_from() -> None:
    # Row 0 is answered by three pieces, two of them equally near; row 1 by two; row 2 by none.
    answers = {ROW: [0, 0, 0, 1, 1, 2], "answer": [9, 7, 3, 5, 6, -1], "distance": [1.0, 1.0, 2.0, 4.0, 0.5, np.inf]}
    best = nearest(pl.DataFrame(answers)).sort(ROW)
    assert best[ROW].to_list() == [0, 1]
    assert best["answer"].to_list() == [7, 6]


def test_the_number_of_threads_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = skewed(400, 9)
    for threads in ("1", "3"):
        monkeypatch.setenv("ICEFIRE_THREADS", threads)
        tables = opened(comparison, MemoryPlan(60, 50, 1 << 30))
        check_all(comparison, tables)
        tables.close()


def test_rows_in_four_bytes_give_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "LONG", 10)
    comparison = skewed(90, 4)
    tables = opened(comparison)
    check_all(comparison, tables)
    entry = registry.get("attack", "sort")
    assert entry.in_parts is not None
    assert entry.in_parts(tables, rng=seeds.generator(1)).rows.dtype == np.int32
    truth = Truth(np.arange(90))
    _, short, order = shuffled(truth, 90, seeds.generator(1))
    monkeypatch.setattr(parts, "LONG", 1000)
    assert order.dtype == np.int32
    places, long, longer = shuffled(truth, 90, seeds.generator(1))
    assert (order.tolist(), short.tolist()) == (longer.tolist(), long.tolist())
    assert longer.tolist() == seeds.generator(1).permutation(90).tolist()
    assert places[longer].tolist() == list(range(90))
    tables.close()


def test_missing_values_of_single_batches_come_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, None, 3, 4], "b": [0.5, 1.5, None, None]}, schema={"a": pl.Int8, "b": pl.Float64})
    bucket = np.array([1, 0, 1, 0])
    write_batch(tmp_path / "first", frame, np.arange(4), bucket, 2)
    write_batch(tmp_path / "second", frame.with_columns(pl.lit(7, pl.Int8).alias("a")), np.arange(4, 8), bucket, 2)
    batches = [batch_files.opened(tmp_path / name) for name in ("first", "second")]
    read = batch_files.read_batches([(batch, 1) for batch in batches], {"b": pl.Float64, "a": pl.Int8})
    assert read.rows() == [(0.5, 1, 0), (None, 3, 2), (0.5, 7, 4), (None, 7, 6)]
    assert read.schema == {"b": pl.Float64, "a": pl.Int8, ROW: pl.Int64}
