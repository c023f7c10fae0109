"""Findings of a table: class sizes, and which columns give people away."""

from __future__ import annotations

from typing import Any

from icefire.audit import findings, judge
from icefire.core import blocks, registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.release import Case, Comparison, Truth
from icefire.core.scorecard import ClassBin, Contribution, Contributions
from icefire.kernels.types import Int

CONTRIBUTION_TARGETS = 20_000
"""Leave-one-out attacks at most this many released rows, drawn at random, against all of the original."""


def class_size_of_each_row(data: Dataset) -> Int:
    """Size of the class of every row; without quasi-identifiers all rows are one class."""
    classes = blocks.blocks_of_table(data.frame, data.qi)
    sizes: Int = classes.x_sizes[classes.x_labels]
    return sizes


def class_sizes(data: Dataset) -> list[ClassBin]:
    """Histogram of the class sizes; empty without quasi-identifiers."""
    if not data.qi:
        return []
    return [ClassBin(*part) for part in findings.histogram(blocks.class_sizes(data.frame, data.qi))]


def row_values(data: Dataset, row: int) -> dict[str, Any]:
    """The quasi-identifiers and sensitive attributes of a row, as JSON can hold them."""
    values = data.frame.select(*data.qi, *data.sa).row(row, named=True)
    return {name: v if isinstance(v, int | float | str | None) else str(v) for name, v in values.items()}


def contributions(comparison: Comparison, seed: int) -> Contributions | None:
    """Attack with EUC1 again and again, each time without one quasi-identifier."""
    known = comparison.original
    if not known.qi or not known.numeric_sa:
        return None
    rows = seeds.generator(seed, "contributions").permutation(comparison.released.height)[:CONTRIBUTION_TARGETS]
    case, truth = Case(known, comparison.released.take(rows)), Truth(comparison.truth.rows[rows])
    whole = _euc1_rate(case, truth, known.qi, seed)
    columns = []
    for name in known.qi:
        rate = _euc1_rate(case, truth, tuple(other for other in known.qi if other != name), seed)
        columns.append(Contribution(name, rate, whole - rate))
    return Contributions(whole, len(rows), sorted(columns, key=lambda column: -column.gain))


def _euc1_rate(case: Case, truth: Truth, qi: tuple[str, ...], seed: int) -> float:
    """Attack with EUC1 on these quasi-identifiers only; returns the share identified."""
    attack = registry.get("attack", "euc1")
    guess = attack.function(case, rng=seeds.generator(seed, "attack", attack.name), **attack.bind({"qi": qi}))
    return judge.score(truth, guess).rate
