"""Findings of a history: who resembles whom, what partial knowledge is worth, and what theory expects."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from icefire.audit.findings import common as findings
from icefire.core.history import History, HistoryComparison, groups
from icefire.core.release import Guess
from icefire.core.scorecard import LearnedColumn
from icefire.core.scorecard.histories import Forecast, Group, HistoryFindings, Size
from icefire.kernels.types import Int


def group_size_of_each_subject(data: History) -> Int:
    """How many subjects have the same items as each subject."""
    labels = groups.labels(data.baskets)
    return groups.sizes(labels)[labels]


def learned_columns(guesses: Mapping[str, Guess]) -> list[LearnedColumn]:
    """What the joint attack learned about each column, the most telling first; empty if it did not run."""
    notes = guesses["link"].notes.get("columns", {}) if "link" in guesses else {}
    columns = [LearnedColumn(name, note["change"], note["bits"]) for name, note in notes.items()]
    return sorted(columns, key=lambda column: (-column.bits, column.column))


def history_part(comparison: HistoryComparison, rng: np.random.Generator) -> HistoryFindings:
    """Collect what only a history has."""
    from icefire.audit.findings import partial_knowledge

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
    return [Group(*part) for part in findings.histogram(groups.sizes(groups.labels(data.baskets)))]


def forecast(comparison: HistoryComparison) -> Forecast | None:
    """Compare the theory of clusters and dummies with the release; None where rows were not only added."""
    from icefire.theory import dummies

    original, released = comparison.original, comparison.released
    added = released.height - original.height
    if added < 0 or released.subjects != original.subjects:
        return None
    n, m, goods = original.subjects, original.height, len(original.goods)
    clusters = len(groups.sizes(groups.labels(released.baskets)))
    return Forecast(
        clusters=clusters,
        expected_rows=dummies.expected_dummies(n, m, goods, clusters),
        measured_rows=added,
        most_rows=dummies.expected_dummies(n, m, goods, 1),
        expected_reid=dummies.expected_reid(clusters, n),
        best=dummies.best_clusters(n, m, goods),
        curve=_curve(n, m, goods),
    )


def _curve(n: int, m: int, goods: int) -> list[tuple[int, float, float]]:
    from icefire.theory import dummies

    most = dummies.expected_dummies(n, m, goods, 1)
    points = sorted({int(c) for c in np.linspace(1, n, min(n, 60))})
    return [(c, dummies.expected_dummies(n, m, goods, c) / most, dummies.expected_reid(c, n)) for c in points]
