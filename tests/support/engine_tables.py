"""Tables for tests of engines: skewed, with ties and missing values, shuffled; and what runs in parts."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import registry, roles
from icefire.core.align import match
from icefire.core.dataset import Dataset
from icefire.core.registry import Entry
from icefire.core.release import Case, Comparison, Truth


def in_parts(sort: registry.Sort) -> list[Entry]:
    """Everything of a sort that says it runs in parts."""
    return [entry for entry in registry.entries(sort, "table") if entry.in_parts is not None]


def skewed(rows: int = 300, seed: int = 0, share: float = 0.4, missing: float = 0.1) -> Comparison:
    """A table in which one class holds a share of the rows, and a shuffled release with noise, gaps and fewer rows."""
    rng = np.random.default_rng(seed)
    giant = rng.random(rows) < share
    frame = pl.DataFrame(
        {
            "age": np.where(giant, 40, rng.integers(20, 90, rows)),
            "town": np.where(giant, "Here", rng.choice(["Here", "There", "Nowhere"], rows)),
            "height": np.where(giant, 1.7, rng.integers(150, 190, rows) / 100),
            "income": rng.integers(0, 40, rows) * 100,
            "rent": rng.normal(500, 90, rows).round(1),
            "illness": rng.choice(["flu", "cold", "none"], rows),
        }
    )
    frame = frame.with_columns(
        pl.when(pl.Series(rng.random(rows) >= missing)).then(pl.col(name)).alias(name)
        for name in ("age", "town", "income", "illness")
    )
    original = Dataset(frame, roles.choose(frame, ("age", "town", "height"), ("income", "rent", "illness")))
    truth = rng.permutation(rows)[: rows - rows // 10]
    shown = frame[truth]
    moved = pl.Series(rng.random(len(truth)) < 0.2)
    shown = shown.with_columns(
        pl.when(moved).then(pl.col("age") + 1).otherwise("age").alias("age"),
        (pl.col("income") + pl.Series(rng.integers(-2, 3, len(truth)) * 50)).alias("income"),
        (pl.col("rent") + pl.Series(rng.normal(0, 5, len(truth)).round(1))).alias("rent"),
    )
    known, released = match(original, shown)
    return Comparison(Case(known, released), Truth(truth))
