"""iloss: the largest change of a row. Like U5 it depends on the claimed correspondence."""

from __future__ import annotations

from typing import Literal

from icefire.core import record_loss
from icefire.core.errors import UndefinedError, did_you_mean
from icefire.core.parameters import Columns
from icefire.core.record_loss import Form, Parts
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Kind, Role
from icefire.kernels.types import Float

Summary = Literal["max", "mean"]
NEEDS = ("population", "truth")


@measure("iloss", needs=NEEDS, explicit_only=True)
def iloss(
    comparison: Comparison,
    *,
    numbers: Columns = None,
    categories: Columns = None,
    form: Form = "max",
    summary: Summary = "max",
) -> float:
    """How far the row that moved most lies from the row it came from.

    Of a row: the largest among the differences of its `numbers`, in their own units, and the number of its
    `categories` that differ (`form` = sum: all of them together). Of the release: the largest row, or with `summary`
    the mean row. Default columns: the numbers and categories among the quasi-identifiers and sensitive attributes.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.
        form: "max" takes the largest of the differences of a row, "sum" all of them together.
        summary: "max" takes the row that moved most, "mean" the mean over the rows.

    Returns:
        The loss of the worst row, or of the mean row.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    return _summed_up(_parts(comparison, numbers, categories).loss(form), summary)


@measure("iloss_age", needs=NEEDS, explicit_only=True)
def iloss_age(comparison: Comparison, *, column: str = "age", summary: Summary = "max") -> float:
    """Largest change of an age (or of the `column` named) against the row it came from.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        column: The column that holds the age.
        summary: "max" takes the row that moved most, "mean" the mean over the rows.

    Returns:
        The largest or the mean absolute change.

    Raises:
        SchemaError: If the column holds no numbers.
        UndefinedError: If there is no such column.
    """
    return _of_number(comparison, column, summary)


@measure("iloss_bmi", needs=NEEDS, explicit_only=True)
def iloss_bmi(comparison: Comparison, *, column: str = "bmi", summary: Summary = "max") -> float:
    """Largest change of a body mass index (or of the `column` named) against the row it came from.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        column: The column that holds the body mass index.
        summary: "max" takes the row that moved most, "mean" the mean over the rows.

    Returns:
        The largest or the mean absolute change.

    Raises:
        SchemaError: If the column holds no numbers.
        UndefinedError: If there is no such column.
    """
    return _of_number(comparison, column, summary)


@measure("iloss_cat", needs=NEEDS, explicit_only=True)
def iloss_cat(comparison: Comparison, *, categories: Columns = None, summary: Summary = "max") -> float:
    """Largest number of categories in which a row differs from the row it came from.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.
        summary: "max" takes the row that moved most, "mean" the mean over the rows.

    Returns:
        The largest or the mean number of categories that changed.

    Raises:
        SchemaError: If a column named is not in the table.
    """
    return _summed_up(_parts(comparison, (), categories).loss(), summary)


def _of_number(comparison: Comparison, column: str, summary: Summary) -> float:
    known = comparison.original.schema.names
    if column not in known:
        raise UndefinedError(f"there is no column {column!r}; {did_you_mean(column, known)}")
    return _summed_up(_parts(comparison, (column,), ()).loss(), summary)


def _parts(comparison: Comparison, numbers: Columns, categories: Columns) -> Parts:
    x, y = comparison.original, comparison.released
    usual = [x.schema.before_release(Role.QI, Role.SA, kind=kind) for kind in (Kind.NUMBER, Kind.CATEGORY)]
    picked = x.schema.pick(numbers, usual[0], "numbers"), x.schema.pick(categories, usual[1], "categories")
    return record_loss.parts(x, y, comparison.truth.rows, *picked)


def _summed_up(losses: Float, summary: Summary) -> float:
    return float(losses.max() if summary == "max" else losses.mean())
