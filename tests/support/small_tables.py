"""Tables small enough to check by hand, and comparisons of two of them."""

from __future__ import annotations

import numpy as np
import polars as pl

import icefire
from icefire.core import align, registry
from icefire.core.dataset import Dataset
from icefire.core.release import Case, Comparison, Truth

QI = ("q1", "q2", "q3")
SA = ("s1", "s2")


def table(*rows: tuple[int, ...]) -> Dataset:
    """A dataset with three quasi-identifiers and two sensitive attributes."""
    frame = pl.DataFrame(rows, schema=[*QI, *SA], orient="row")
    return icefire.read(frame, qi=QI, sa=SA)


def compare(x: Dataset, y: Dataset, truth: list[int] | None = None) -> Comparison:
    """A comparison of two tables, row by row unless a truth is given."""
    rows = np.arange(y.height) if truth is None else np.array(truth)
    return Comparison(Case(x, y), Truth(rows))


def without_truth(x: dict[str, list] | pl.DataFrame, y: dict[str, list] | pl.DataFrame, qi=(), sa=()) -> Comparison:
    """Two tables as an audit aligns them; no row of the one is known to be a row of the other."""
    known, shown = align.match(icefire.read(pl.DataFrame(x), qi=qi, sa=sa), pl.DataFrame(y), more_rows=True)
    return Comparison(Case(known, shown), Truth(np.full(shown.height, -1)))


def with_truth(x: dict[str, list], y: dict[str, list], qi=(), sa=(), truth: list[int] | None = None) -> Comparison:
    """Two tables as an audit aligns them, row by row unless a truth is given."""
    aligned = without_truth(x, y, qi, sa)
    return compare(aligned.original, aligned.released, truth)


def measured(name: str, comparison: Comparison, **parameters) -> float:
    """The value of a measure."""
    entry = registry.get("measure", name)
    return entry.function(comparison, **entry.bind(parameters))
