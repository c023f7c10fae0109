"""Tables small enough to check by hand, and comparisons of two of them."""

from __future__ import annotations

import numpy as np
import polars as pl

import icefire
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
