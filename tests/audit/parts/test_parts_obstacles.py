"""Obstacles in parts are those of one process: verbatim rows, a false correspondence, columns nobody looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.engine_tables import skewed

import icefire
from icefire.audit.obstacles.contradiction import false_correspondence
from icefire.audit.obstacles.verbatim import equal_rows, verbatim
from icefire.audit.parts import engine_choice
from icefire.audit.parts import obstacles as parts_obstacles
from icefire.audit.parts.obstacles import equal_rows_in_parts
from icefire.core.errors import ParameterError
from icefire.core.release import Case, Comparison, Truth
from icefire.testing.engines import in_tiny_buckets

ROLES: dict[str, Any] = {"qi": ["age", "town", "height"], "sa": ["income", "rent", "illness"]}


def copied(rows: int, seed: int, share: float, missing: float = 0.1) -> Comparison:
    """A release in which a share of the rows are as they were."""
    base = skewed(rows, seed, missing=missing)
    kept = pl.Series(np.random.default_rng(seed).random(base.released.height) < share)
    before = base.original.frame[base.truth.rows]
    shown = base.released.frame.select(
        pl.when(kept).then(before[name]).otherwise(pl.col(name)).cast(before[name].dtype).alias(name)
        for name in before.columns
    )
    return Comparison(Case(base.original, base.released.with_frame(shown)), base.truth)


def opened(comparison: Comparison) -> Any:
    return in_tiny_buckets(comparison.original.frame, comparison.released.frame, comparison.original.schema)


@settings(max_examples=12, deadline=None)
@given(rows=st.integers(20, 120), seed=st.integers(0, 10_000), share=st.sampled_from([0.0, 0.4, 1.0]))
def test_equal_rows_are_those_of_one_process(rows: int, seed: int, share: float) -> None:
    comparison = copied(rows, seed, share)
    tables = opened(comparison)
    mine, theirs = equal_rows_in_parts(tables), equal_rows(comparison)
    tables.close()
    assert mine.equal.tolist() == theirs.equal.tolist()
    assert mine.rows.tolist() == theirs.rows.tolist()
    assert mine.by_coincidence == theirs.by_coincidence


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_rows_published_verbatim_and_a_false_claim_are_told_as_in_one_process(share: float) -> None:
    comparison = copied(200, 3, share, missing=0.0)
    wrong = Comparison(comparison.case, Truth(np.roll(comparison.truth.rows, 7)))
    for claimed in (comparison, wrong):
        tables = opened(claimed)
        matched = equal_rows_in_parts(tables)
        mine = parts_obstacles.too_many_equal(matched, claimed.truth.rows, 0.05)
        mine += parts_obstacles._contradicted(tables, matched, claimed.truth.rows, 1)
        tables.close()
        theirs = [*verbatim(claimed, 0.05), *false_correspondence(claimed, {}, 1)]
        assert [(reason.code, reason.evidence) for reason in mine] == [(one.code, one.evidence) for one in theirs]
        assert bool(mine) is (share > 0)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files that are treated like tables too large for one process; half of the rows are as they were."""
    monkeypatch.setattr(engine_choice, "fits_one_process", lambda large, limit: False)
    comparison = copied(200, 3, 0.5, missing=0.0)
    hobby = pl.Series(np.arange(200) % 3)
    clock = hobby.cast(pl.Time)
    comparison.original.frame.with_columns(hobby=hobby, clock=clock).write_parquet(tmp_path / "x.parquet")
    hobby, clock = (column.gather(comparison.truth.rows) for column in (hobby, clock))
    shown = comparison.released.frame.with_columns(hobby=hobby, clock=clock, mark=hobby + 1, same=pl.lit(1))
    shown.write_parquet(tmp_path / "y.parquet")
    np.savetxt(tmp_path / "truth.csv", comparison.truth.rows, fmt="%d")
    return tmp_path


def audited(files: Path) -> icefire.Scorecard:
    options: dict[str, Any] = {"engine": "partitioned", "memory_limit": "1GB", **ROLES}
    return icefire.audit(files / "x.parquet", files / "y.parquet", truth=files / "truth.csv", **options).scorecard


def test_the_verdict_of_large_tables_names_verbatim_rows_and_columns_nobody_looked_at(files: Path) -> None:
    reasons = audited(files).verdict.reasons
    assert "verbatim" in {reason.code for reason in reasons}
    unseen = [reason.evidence["columns"] for reason in reasons if reason.code == "not_assessed"]
    assert unseen == [["clock"], ["mark"]]


def test_what_does_not_fit_into_memory_is_named_as_not_assessed(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(tables: Any) -> Any:
        raise ParameterError("--memory-limit: verbatim needs 9 rows at once")

    monkeypatch.setattr(parts_obstacles, "equal_rows_in_parts", too_large)
    reasons = audited(files).verdict.reasons
    assert "rows published verbatim" in reasons[-1].evidence["not_assessed"]
