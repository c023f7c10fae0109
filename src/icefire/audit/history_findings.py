"""Who is identified in a released history, who looks like whom, and how much an attacker must know."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from icefire.audit import findings as table_findings
from icefire.audit import judge
from icefire.core.history import History, HistoryComparison, groups
from icefire.core.release import Guess
from icefire.core.scorecard import Person
from icefire.core.scorecard.histories import Forecast, Group, HistoryFindings, Size

agreement = table_findings.agreement


def records(comparison: HistoryComparison, guesses: Mapping[str, Guess]) -> pl.DataFrame:
    """Tell for every released subject which attacks identified it and how many agree."""
    found = {name: judge.hits(comparison.truth, guess) for name, guess in guesses.items()}
    names = {"released_row": np.arange(comparison.case.targets), "original_row": comparison.truth.rows}
    count = pl.sum_horizontal(pl.col(list(found)).cast(pl.Int64)) if found else pl.lit(0, dtype=pl.Int64)
    return pl.DataFrame(names | found).with_columns(count.alias("identified_by"))


def at_risk(comparison: HistoryComparison, table: pl.DataFrame, most: int, show_data: bool) -> list[Person]:
    """List the people most attacks identify; among equals those whom fewest others resemble."""
    alike = groups.labels(comparison.released.baskets)
    ranked = (
        table.with_columns(pl.Series("class_size", groups.sizes(alike)[alike]))
        .filter(pl.col("identified_by") > 0)
        .sort("identified_by", "class_size", "original_row", descending=[True, False, False])
        .head(most)
    )
    attacks = [n for n in table.columns if n not in ("released_row", "original_row", "identified_by")]
    listed = []
    for row in ranked.iter_rows(named=True):
        values = {"name": comparison.original.names[row["original_row"]]} if show_data else None
        by = [name for name in attacks if row[name]]
        listed.append(Person(row["original_row"], row["released_row"], by, row["class_size"], values))
    return listed


def findings(comparison: HistoryComparison, rng: np.random.Generator) -> HistoryFindings:
    """Collect what only a history has."""
    from icefire.audit import partial_knowledge

    customers = comparison.original.customers
    return HistoryFindings(
        fields=comparison.original.fields.present,
        profile=[] if customers is None else customers.columns[1:],
        original=size(comparison.original),
        released=size(comparison.released),
        groups=alike(comparison.released),
        knowledge=partial_knowledge.curve(comparison, rng),
        forecast=forecast(comparison),
    )


def size(data: History) -> Size:
    """Count subjects, rows, receipts and goods."""
    receipts = data.column("receipt")
    counted = None if receipts is None else receipts.n_unique()
    return Size(data.subjects, data.height, counted, len(data.goods), data.dropped)


def alike(data: History) -> list[Group]:
    """Histogram of how many subjects share the same items."""
    shared = groups.sizes(groups.labels(data.baskets))
    edges = table_findings.BIN_EDGES
    bins = []
    for low, above in zip(edges, [*edges[1:], None], strict=True):
        inside = shared[(shared >= low) & (shared < above)] if above else shared[shared >= low]
        bins.append(Group(low, above - 1 if above else None, len(inside), int(inside.sum())))
    return bins


def forecast(comparison: HistoryComparison) -> Forecast | None:
    """Compare the theory of clusters and dummies with the release; None where rows were not only added."""
    from icefire.theory import dummies

    original, released = comparison.original, comparison.released
    added = released.height - original.height
    if added < 0 or released.subjects != original.subjects:
        return None
    n, m, goods = original.subjects, original.height, len(original.goods)
    found = len(groups.sizes(groups.labels(released.baskets)))
    return Forecast(
        clusters=found,
        expected_rows=dummies.expected_dummies(n, m, goods, found),
        measured_rows=added,
        most_rows=dummies.expected_dummies(n, m, goods, 1),
        expected_reid=dummies.expected_reid(found, n),
        best=dummies.best_clusters(n, m, goods),
        curve=_curve(n, m, goods),
    )


def _curve(n: int, m: int, goods: int) -> list[tuple[int, float, float]]:
    from icefire.theory import dummies

    most = dummies.expected_dummies(n, m, goods, 1)
    points = sorted({int(c) for c in np.linspace(1, n, min(n, 60))})
    return [(c, dummies.expected_dummies(n, m, goods, c) / most, dummies.expected_reid(c, n)) for c in points]
