"""Make classes keep privacy models: by merging, by splitting or by leaving rows out, whichever loses least."""

from __future__ import annotations

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.kernels.types import Int
from icefire.methods.tables.k_anonymize.merge import ClassMerger
from icefire.methods.tables.k_anonymize.split import split
from icefire.models import classes_keeping

EAGER = (0, 2, 4)
"""Classes that break a model are left out at once while there is room: all of it, a quarter, a sixteenth."""


def enforced(merger: ClassMerger, rows: Int, start: Int, k: int, room: int) -> tuple[Int, Int]:
    """Make classes of at least k rows keep all constraints; `room` more rows may be left out for that."""
    if not merger.constraints:
        return rows, start
    best = _cut(merger, np.sort(rows), k)
    for most, eager in [(room, False), *((room >> halved, True) for halved in EAGER if room >> halved)]:
        bound = np.inf if best is None else merger.lost(*best)
        best = merger.merged_until_kept(rows, start, most, eager, bound) or best
    if best is None:
        more = "or leave more rows out" if room else "or let max_suppressed leave some rows out"
        raise ParameterError(
            f"k_anonymize: even all rows in one class break the models asked for; ask for less, {more}"
        )
    return best


def _cut(merger: ClassMerger, rows: Int, k: int) -> tuple[Int, Int] | None:
    """Cut the whole table; what breaks only when all parts are seen together is joined again."""
    constraints = [constraint.over(rows) for constraint in merger.constraints]
    if not classes_keeping(constraints, rows, np.array([0, len(rows)])).all():
        return None
    return merger.merged_until_kept(*split(merger.forest, merger.codes, rows, k, constraints))


def remaining(data: Dataset, rows: Int, start: Int) -> tuple[Dataset, Int]:
    """Return the rows that stay, in the order of the table, and the class of each."""
    classes = np.full(data.height, -1, np.int64)
    classes[rows] = np.repeat(np.arange(len(start) - 1), np.diff(start))
    kept_rows = data if len(rows) == data.height else data.take(np.sort(rows))
    return kept_rows, classes[classes >= 0]
