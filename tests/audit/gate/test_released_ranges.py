"""The gate for sensitive numbers that were released as ranges: what the ranges give away counts, and stops nobody."""

from __future__ import annotations

import numpy as np
import polars as pl
from support.gate import assert_not_passed, assert_passed
from support.gate_tables import judge

WARDS = {"eye": 500, "bones": 3000, "heart": 9000}
ROLES = {"qi": ("age", "ward"), "sa": ("cost",)}
ROWS = 360


def visits(told_by_ward: bool) -> pl.DataFrame:
    """Visits whose cost is that of the ward, within a few coins, or has nothing to do with the ward."""
    rng = np.random.default_rng(31)
    ward = rng.choice(list(WARDS), ROWS)
    base = np.array([WARDS[name] for name in (ward if told_by_ward else rng.permutation(ward))])
    return pl.DataFrame(
        {"age": rng.integers(18, 90, ROWS), "ward": ward, "cost": base + rng.integers(0, 3 * ROWS, ROWS) % 95}
    )


def in_ranges(table: pl.DataFrame, **widths: int) -> pl.DataFrame:
    return table.with_columns(
        pl.format("{}-{}", pl.col(name) // width * width, pl.col(name) // width * width + width - 1).alias(name)
        for name, width in widths.items()
    )


def test_narrow_ranges_that_the_class_tells_must_not_pass() -> None:
    table = visits(told_by_ward=True)
    verdict = judge(table, in_ranges(table, cost=100, age=90), **ROLES)
    assert_not_passed(verdict, "limit")
    assert "cost" in verdict.text


def test_ranges_that_the_class_does_not_tell_pass() -> None:
    table = visits(told_by_ward=False)
    assert_passed(judge(table, in_ranges(table, cost=5000, age=90), **ROLES))


def test_ranges_open_at_one_end_pass() -> None:
    table = visits(told_by_ward=False)
    cut = in_ranges(table, age=90).with_columns(
        cost=pl.when(pl.col("cost") < 2000).then(pl.lit("<2000")).otherwise(pl.lit("2000+"))
    )
    assert_passed(judge(table, cut, **ROLES))
