"""What a release has lost: rows, columns and cells, counted against the claimed origins, and in words."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.audit.distances import distances, largest_changes
from icefire.audit.verbatim import same_type
from icefire.core.dataset import numbers
from icefire.core.formatting import count, percent
from icefire.core.history import History, HistoryComparison
from icefire.core.history.dates import DAY
from icefire.core.release import Comparison
from icefire.core.schema import Role
from icefire.core.scorecard.usefulness import ColumnChange, Usefulness
from icefire.kernels.common import sums
from icefire.kernels.types import Float, Int

COLUMNS_NAMED = 3
NOTHING_LOST = "Nothing was lost: every cell is as in the original."
EVERYTHING_LOST = "Everything was lost: every column holds a single value."


def table_usefulness(comparison: Comparison) -> Usefulness:
    """Compare every released row with its claimed origin, column by column."""
    original, released = comparison.original, comparison.released.frame
    columns = [
        _column_change(original.frame[column.name], released, column.role, comparison.truth.rows)
        for column in original.schema.columns
        if column.role is not Role.ID
    ]
    kept = len(np.unique(comparison.truth.rows))
    compared = distances(comparison)
    moved = largest_changes(compared, [column.column for column in columns if column.single])
    return Usefulness(
        text=_table_sentence(columns, released.height, original.height - kept, original.height, moved),
        rows_left_out=1 - kept / original.height,
        columns_lost=_share([column.single for column in columns]),
        cells_changed=_share([column.share for column in columns]),
        columns=columns,
        distances=compared,
    )


def _column_change(x: pl.Series, released: pl.DataFrame, role: Role, rows: Int) -> ColumnChange:
    if x.name not in released.columns:
        return ColumnChange(x.name, str(role), len(rows), 1.0, 0, 1.0, x.n_unique() > 1)
    x, y = same_type(x, released[x.name])
    changed = x.gather(rows).ne_missing(y)
    ordinary = y.is_not_null() if x.dtype.is_numeric() else y.is_in(x.drop_nulls().unique().implode())
    return ColumnChange(
        column=x.name,
        role=str(role),
        changed=int(changed.sum()),
        share=int(changed.sum()) / len(rows),
        unmarked=int((changed & ordinary.fill_null(False)).sum()),
        loss=_loss(x, y, rows, int(changed.sum()) / len(rows)),
        single=y.n_unique() == 1 and x.n_unique() > 1,
    )


def _loss(x: pl.Series, y: pl.Series, rows: Int, changed: float) -> float:
    """Mean change as a share of the range; for text and constant columns the share changed."""
    if not x.dtype.is_numeric():
        return changed
    known = numbers(x)
    spread = float(np.nanmax(known) - np.nanmin(known)) if not np.isnan(known).all() else 0.0
    return sums.absolute_change(known, numbers(y), rows, changed=spread) / spread / len(y) if spread else changed


def _share(parts: list[bool] | list[float]) -> float:
    return sum(parts) / max(len(parts), 1)


def _table_sentence(columns: list[ColumnChange], rows: int, left_out: int, originals: int, moved: list[str]) -> str:
    """Say in one sentence what was lost."""
    if columns and all(column.single for column in columns):
        return EVERYTHING_LOST
    parts = []
    single = [column.column for column in columns if column.single]
    if single:
        parts.append(f"{count(len(single))} of {count(len(columns))} columns hold a single value ({_named(single)})")
    alive = [column for column in columns if not column.single]
    known = [column for column in alive if column.role == Role.QI]
    parts += _changed("the quasi-identifiers", known, rows, named=True)
    others = [column for column in alive if column not in known]
    parts += _changed("the other columns" if known else "the columns", others, rows, named=not known)
    if left_out:
        parts.append(f"{count(left_out)} of {count(originals)} people ({percent(left_out / originals)}) were left out")
    parts += moved
    return f"What was lost: {'; '.join(parts)}." if parts else NOTHING_LOST


def _changed(what: str, columns: list[ColumnChange], rows: int, named: bool) -> list[str]:
    changed = sorted((c for c in columns if c.changed), key=lambda c: -c.changed)
    if not changed:
        return []
    cells = percent(_share([column.share for column in columns]))
    loss = percent(_share([column.loss for column in columns]))
    extent = f"{cells} of the cells of {what} were changed, by {loss} of their range on average"
    examples = f"{_rows_changed(changed, rows)}; " if named else ""
    return [f"{extent} ({examples}{_without_mark(changed)})"]


def _rows_changed(columns: list[ColumnChange], rows: int) -> str:
    """Name the columns changed in most rows."""
    listed = ", ".join(f"{column.column} in {count(column.changed)}" for column in columns[:COLUMNS_NAMED])
    others = f" and {len(columns) - COLUMNS_NAMED} columns more" if len(columns) > COLUMNS_NAMED else ""
    return f"{listed} of {count(rows)} rows{others}"


def _without_mark(columns: list[ColumnChange]) -> str:
    """Say how many of the changed cells a reader takes for the true ones."""
    changed, unmarked = (sum(values) for values in zip(*((c.changed, c.unmarked) for c in columns), strict=True))
    if not unmarked:
        return "all by labels or blanks"
    return "none is marked" if unmarked == changed else f"{percent(unmarked / changed)} of them are not marked"


def _named(names: list[str]) -> str:
    more = f" and {len(names) - COLUMNS_NAMED} more" if len(names) > COLUMNS_NAMED else ""
    return ", ".join(names[:COLUMNS_NAMED]) + more


def history_usefulness(comparison: HistoryComparison) -> Usefulness:
    """Count the people, rows and goods that a released history has lost or gained."""
    original, released = comparison.original, comparison.released
    left_out = original.people - len(np.unique(comparison.truth.rows))
    parts = []
    if released.height != original.height:
        word = "fewer" if released.height < original.height else "more"
        difference = abs(released.height - original.height)
        parts.append(f"{count(difference)} {word} rows than the original's {count(original.height)}")
    if len(released.goods) != len(original.goods):
        parts.append(f"{count(len(released.goods))} different goods instead of {count(len(original.goods))}")
    parts += [part for meaning in ("date", "number", "price") if (part := _fewer_values(original, released, meaning))]
    if left_out:
        parts.append(f"{count(left_out)} of {count(original.people)} people were left out")
    text = f"What was lost: {'; '.join(parts)}." if parts else "No row, no good and nobody was left out."
    return Usefulness(text=text, rows_left_out=left_out / max(original.people, 1))


def _fewer_values(original: History, released: History, meaning: str) -> str:
    """Say that a column of a history is gone, or how many different values are left of it; empty if as many."""
    if not original.has(meaning):
        return ""
    if not released.has(meaning):
        return f"no {meaning}s"
    before, after = (len(np.unique(_values(side, meaning))) for side in (original, released))
    if after == 1 < before:
        return f"one {meaning} for all rows"
    return f"{count(after)} different {meaning}s instead of {count(before)}" if after < before else ""


def _values(history: History, meaning: str) -> Int | Float:
    if meaning == "date":
        return history.when // DAY
    return history.prices if meaning == "price" else history.numbers
