"""Choose the roles of columns: as given, from a file, or inferred from the values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from icefire.core import schema
from icefire.core.dataset import kinds
from icefire.core.date_texts import are_days_or_months
from icefire.core.known_names import is_personal, known_topic, names_people
from icefire.core.schema import Role, Schema
from icefire.core.sensitive_names import holds_diagnoses, sensitive_topic

CODE_SPAN = 150
"""Whole numbers that span no more than this are codes, counts or ages; wider ones are amounts."""
DATE = (
    r"^\s*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{4}年\d{1,2}月\d{1,2}日)"
    r"(?:[ T,]+\d{1,2}:.*)?\s*$"
)
MOSTLY = 0.9
FEW_PEOPLE = 20
"""Columns of fewer values name groups, or answer a question: phone (yes, no)."""
NAMING_FORMS = {
    "addresses of mail": r"^\s*[^@\s]+@[^@\s]+\.[^@\s.]+\s*$",
    "unique codes (UUID)": r"^(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$",
    "numbers of 15 digits or more, such as of cards": r"^[0-9]{15,}$",
}


def choose(
    frame: pl.DataFrame,
    qi: Sequence[str] | None = None,
    sa: Sequence[str] | None = None,
    ids: Sequence[str] = (),
    file: str | Path | None = None,
) -> Schema:
    """Take the roles given by name or by file; with neither, infer them."""
    if file is not None:
        return schema.from_file(schema.load_schema_file(file), kinds(frame))
    if qi is not None or sa is not None:
        return schema.assign(kinds(frame), qi or (), sa or (), ids)
    return infer(frame, ids)


def infer(frame: pl.DataFrame, ids: Sequence[str] = ()) -> Schema:
    """Guess: what names and values show to be sensitive, amounts, what tells rows apart; the rest can be known."""
    guessed = {
        name: (Role.ID, "named as an identifier") if name in ids else _guess(name, frame[name])
        for name in frame.columns
    }
    named = {role: [name for name, (own, _) in guessed.items() if own is role] for role in Role}
    assigned = schema.assign(kinds(frame), named[Role.QI], named[Role.SA], named[Role.ID], origin="inferred")
    columns = tuple(replace(column, reason=guessed[column.name][1]) for column in assigned.columns)
    return replace(assigned, columns=columns)


def _guess(name: str, column: pl.Series) -> tuple[Role, str]:
    """Return the likely role of a column, and why."""
    distinct = column.drop_nulls().n_unique()
    if distinct == 0:
        return Role.OTHER, "no values"
    topic = sensitive_topic(name)
    if topic is not None:
        return Role.SA, f"by its name it tells of {topic}"
    if column.dtype.is_float():
        return Role.SA, "numbers with decimals: an amount or a measurement"
    known = known_topic(name) or ("a date" if _holds_dates(column) else None)
    if known is not None:
        return Role.QI, f"{known} that somebody may know of a person"
    said = column.drop_nulls()
    if distinct == len(column) and names_people(name):
        return Role.ID, "by its name it names people, and every row has another value"
    if is_personal(name) and distinct > FEW_PEOPLE:
        return Role.ID, "by its name it names people, some of whom share a value"
    if names_people(name) and len(said) > FEW_PEOPLE and 2 * distinct > len(said) and column.dtype == pl.String:
        return Role.ID, "by its name it names people, and most rows have another value"
    named = _names_by_form(said)
    if named is not None and (2 * distinct > len(said) or distinct > FEW_PEOPLE):
        return Role.ID, f"its values are {named}"
    if distinct == len(column) > CODE_SPAN and (not column.dtype.is_integer() or _counts_up(column)):
        return Role.ID, "a different value in every row"
    if holds_diagnoses(column):
        return Role.SA, "its values look like codes of diagnoses (ICD)"
    if column.dtype.is_integer():
        low, high = int(column.min()), int(column.max())  # type: ignore[arg-type]
        if high - low > CODE_SPAN:
            return Role.SA, f"whole numbers from {low:,} to {high:,}: an amount"
    return Role.QI, f"{distinct:,} {'value' if distinct == 1 else 'values'} that somebody may know of a person"


def _names_by_form(said: pl.Series) -> str | None:
    """Return what values are whose form alone tells that they name somebody or something."""
    if said.dtype != pl.String:
        return None
    for what, form in NAMING_FORMS.items():
        if int(said.str.contains(form).sum()) >= MOSTLY * len(said):
            return what
    return None


def _holds_dates(column: pl.Series) -> bool:
    """Tell whether nearly all values are whole dates."""
    if column.dtype.is_temporal():
        return True
    if column.dtype.is_integer():
        return are_days_or_months(column)
    if column.dtype != pl.String:
        return False
    return float(column.drop_nulls().str.contains(DATE).mean() or 0.0) >= MOSTLY  # type: ignore[arg-type]


def _counts_up(column: pl.Series) -> bool:
    """Tell a running number from an amount: distinct whole numbers without wide gaps."""
    return int(column.max()) - int(column.min()) < 2 * len(column)  # type: ignore[arg-type]
