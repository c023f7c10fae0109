"""Audits of histories in parts: the answers and the sizes of one process, and what is refused before any work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.commands import run_icefire

import icefire
from icefire.audit.parts import histories_driver as histories_in_parts
from icefire.core import registry
from icefire.core.errors import InputError, ParameterError
from icefire.engines import histories as engine

COLUMNS: dict[str, Any] = {"subject": "customer", "item": "goods"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An original in three files, one of them without rows, and a release with other names, dummies and losses."""
    folder = tmp_path_factory.mktemp("histories")
    rng = np.random.default_rng(5)
    size, people, goods = 1_500, 80, 60
    who, what = rng.integers(0, people, size), (goods * rng.random(size) ** 2).astype(int)
    frame = pl.DataFrame(
        {
            "customer": [f"c{number}" for number in who],
            "receipt": who * 10 + rng.integers(0, 4, size),
            "goods": [f"{number:03d}" for number in what],
            "price": 1.0 + what,
            "number": rng.integers(1, 5, size),
        }
    )
    (folder / "original").mkdir()
    for number, (first, last) in enumerate(((0, 700), (700, 700), (700, size))):
        frame[first:last].write_parquet(folder / "original" / f"part-{number}.parquet")
    names = sorted(frame["customer"].unique())
    shown = rng.permutation(len(names))
    renamed = {name: int(number) + 1 for name, number in zip(names, shown, strict=True)}
    kept = frame.filter(pl.Series(rng.random(size) < 0.6))
    released = kept.with_columns(
        pl.col("customer").replace_strict(renamed, return_dtype=pl.Int64),
        pl.when(pl.Series(rng.random(kept.height) < 0.2)).then(pl.lit("new")).otherwise(pl.col("goods")).alias("goods"),
    ).sample(fraction=1.0, shuffle=True, seed=1)
    released.write_parquet(folder / "released.parquet")
    by_number = dict(sorted((renamed[name], place) for place, name in enumerate(names)))
    there = set(released["customer"])
    np.savetxt(folder / "truth.csv", [place for number, place in by_number.items() if number in there], fmt="%d")
    return folder


def audited(files: Path, **options: Any) -> icefire.Scorecard:
    given = {"truth": files / "truth.csv", "attacks": ["jaccard"], **COLUMNS, **options}
    return icefire.audit(files / "original", files / "released.parquet", **given).scorecard


@pytest.fixture(scope="module")
def local(files: Path) -> icefire.Scorecard:
    return audited(files, measures=["rows_added"])


@pytest.mark.parametrize("rows", [100_000, 400, 37])
def test_pieces_of_any_size_give_the_answers_of_one_process(files, local, rows, monkeypatch):
    memory = engine.HistoryMemory(batch_rows=max(50, rows // 3), piece_rows=rows)
    monkeypatch.setattr(histories_in_parts, "plan_history_memory", lambda *_: memory)
    card = audited(files, engine="partitioned", memory_limit="2GB")
    alone, parts = local.attacks["jaccard"], card.attacks["jaccard"]
    assert (parts.hits, parts.answered, parts.rate) == (alone.hits, alone.answered, alone.rate)
    assert parts.expected == pytest.approx(alone.expected)
    assert card.history.original == local.history.original
    assert card.history.released == local.history.released


def test_a_history_in_parts_never_passes_and_says_what_was_not_assessed(files):
    card = audited(files, engine="partitioned", memory_limit="2GB", max_reid=1.0)
    assert not card.verdict.passed
    assert card.left_out["link"] == "needs the whole history at once; it runs on the engine local alone"
    evidence = [reason.evidence for reason in card.verdict.reasons if "not_assessed" in reason.evidence]
    assert "histories published verbatim" in evidence[0]["not_assessed"]
    assert card.provenance.software["engine"].startswith("partitioned")
    sets = pl.read_parquet(files / "original" / "*.parquet").group_by("customer").agg(pl.col("goods").n_unique())
    assert f"{sets['goods'].mean():.1f} goods per subject in the original" in card.provenance.software["engine"]


def test_the_command_line_says_no_with_exit_code_1(files, capsys):
    columns = ["--subject", "customer", "--item", "goods", "--truth", str(files / "truth.csv"), "--max-reid", "1"]
    sources = [str(files / "original"), str(files / "released.parquet")]
    done = run_icefire(capsys, "audit", *sources, "--engine", "partitioned", "--memory-limit", "2GB", *columns)
    assert done.code == 1
    assert "histories published verbatim" in " ".join(done.out.replace("│", " ").split())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"attacks": ["tfidf"]},
            "attack 'tfidf' does not run on histories .* choose from: jaccard",
        ),
        ({"measures": ["rows_added"]}, "measure 'rows_added' does not run on histories"),
        ({"memory_limit": "100MB"}, "give at least"),
    ],
)
def test_what_cannot_run_is_refused_by_name_before_any_work(files, options, words, monkeypatch):
    monkeypatch.setattr(engine, "BasketFiles", lambda *_: pytest.fail("work was begun"))
    with pytest.raises(ParameterError, match=words):
        audited(files, **{"engine": "partitioned", "memory_limit": "2GB", **options})


def test_spark_does_not_take_histories(files):
    with pytest.raises(ParameterError, match="histories do not run on the engine spark"):
        audited(files, engine="spark")


def test_unusable_rows_are_refused_or_counted(files, tmp_path):
    frame = pl.read_parquet(files / "original" / "*.parquet")
    bad = frame.with_columns(pl.when(pl.int_range(pl.len()) < 3).then(0.0).otherwise(pl.col("price")).alias("price"))
    bad.write_parquet(tmp_path / "bad.parquet")
    given = {"truth": files / "truth.csv", "attacks": ["jaccard"], "engine": "partitioned", **COLUMNS}
    with pytest.raises(InputError, match="3 rows have no subject or item"):
        icefire.audit(tmp_path / "bad.parquet", files / "released.parquet", **given)
    card = icefire.audit(tmp_path / "bad.parquet", files / "released.parquet", drop_unusable=True, **given).scorecard
    assert card.history.original.dropped == 3
    assert card.history.original.rows == frame.height - 3


def test_a_scratch_folder_that_holds_something_is_refused(files, tmp_path):
    (tmp_path / "mine.txt").write_text("kept")
    with pytest.raises(ParameterError, match="is not empty"):
        audited(files, engine="partitioned", scratch=tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "kept"


def test_truth_by_names_and_a_table_of_customers(files, tmp_path):
    frame = pl.read_parquet(files / "original" / "*.parquet")
    names = frame["customer"].unique(maintain_order=True).to_list()
    pl.DataFrame({"customer": [*names, "never bought"]}).write_csv(tmp_path / "people.csv")
    results = [
        icefire.audit(
            files / "original",
            frame,
            key="customer",
            attacks=["jaccard"],
            customers=tmp_path / "people.csv",
            **one,
            **COLUMNS,
        ).scorecard
        for one in ({"engine": "partitioned"}, {"engine": "local"})
    ]
    assert results[0].attacks["jaccard"].hits == results[1].attacks["jaccard"].hits == len(names)
    assert results[0].history.original == results[1].history.original


def test_only_what_says_so_runs_in_parts():
    able = [entry.name for entry in registry.entries("attack", "history") if entry.in_parts is not None]
    assert able == ["jaccard"]
    assert registry.get("attack", "jaccard", "history").engines == ("local", "partitioned")
