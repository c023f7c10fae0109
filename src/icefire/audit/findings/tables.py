"""Findings of a table: class sizes, and which columns give people away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icefire.audit.findings import common as findings
from icefire.core.dataset import Dataset
from icefire.core.release import Guess
from icefire.core.schema import Role
from icefire.core.scorecard import ClassBin, LearnedColumn
from icefire.kernels.types import Int

SAYS_NOTHING = "constant, replaced or shuffled: it tells nothing"
NOT_RELEASED = "not released"


def class_size_of_each_row(data: Dataset) -> Int:
    """Size of the class of every row; without quasi-identifiers all rows are one class."""
    classes = data.classes(data.qi)
    sizes: Int = classes.x_sizes[classes.x_labels]
    return sizes


def class_sizes(data: Dataset) -> list[ClassBin]:
    """Histogram of the class sizes; empty without quasi-identifiers."""
    if not data.qi:
        return []
    return [ClassBin(*part) for part in findings.histogram(data.class_sizes(data.qi))]


def row_values(data: Dataset, row: int) -> dict[str, Any]:
    """The quasi-identifiers and sensitive attributes of a row, as JSON can hold them."""
    values = data.frame.select(*data.qi, *data.sa).row(row, named=True)
    return {name: v if isinstance(v, int | float | str | None) else str(v) for name, v in values.items()}


def learned_columns(guesses: Mapping[str, Guess], original: Dataset) -> list[LearnedColumn]:
    """What the joint attack learned about each column it could compare, the most telling first.

    Args:
        guesses: The answers of the attacks by name; `link` notes what it learned with them.
        original: The original table, whose columns are listed.

    Returns:
        One entry per compared column; empty if the joint attack did not run.
    """
    notes = guesses["link"].notes.get("columns", {}) if "link" in guesses else None
    if notes is None:
        return []
    compared = (*original.qi, *original.sa)
    telling = [LearnedColumn(name, note["change"], note["bits"]) for name, note in notes.items()]
    silent = [LearnedColumn(name, SAYS_NOTHING, 0.0) for name in compared if name not in notes]
    lost = [LearnedColumn(name, NOT_RELEASED, 0.0) for name in original.schema.before_release(Role.QI, Role.SA)]
    lost = [column for column in lost if column.column not in (*compared, *notes)]
    return [*sorted(telling, key=lambda column: -column.bits), *silent, *lost]
