"""What a release has lost: rows, columns and cells, counted against the claimed origins, and in words."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.audit.findings.distances import distances, largest_changes
from icefire.audit.findings.distributions import associations, history_distributions, table_distributions
from icefire.audit.findings.weighted_usefulness import weighted_usefulness
from icefire.audit.obstacles.verbatim import same_type
from icefire.core.coded_text import CodedPair
from icefire.core.dataset import numbers
from icefire.core.formatting import percent
from icefire.core.history import History, HistoryComparison
from icefire.core.history.dates import DAY
from icefire.core.release import Comparison
from icefire.core.schema import Role
from icefire.core.scorecard.usefulness import ColumnChange, Usefulness
from icefire.kernels.common import sums
from icefire.kernels.types import Float, Int
from icefire.words import t

COLUMNS_NAMED = 3


def table_usefulness(comparison: Comparison) -> Usefulness:
    """Compare every released row with its claimed origin, column by column."""
    original, released = comparison.original, comparison.released.frame
    lost = {column.name: column.role for column in original.schema.not_released}
    columns = [
        _column_change(comparison, name, lost.get(name, column.role))
        for column in original.schema.columns
        if column.role is not Role.ID and (name := column.name)
    ]
    kept = len(np.unique(comparison.truth.rows))
    compared = distances(comparison)
    moved = largest_changes(compared, [column.column for column in columns if column.single])
    return Usefulness(
        text=_table_sentence(columns, [*lost], released.height, original.height - kept, original.height, moved),
        rows_left_out=1 - kept / original.height,
        columns_lost=_share([column.single for column in columns]),
        cells_changed=_share([column.share for column in columns]),
        columns=columns,
        distances=compared,
        distributions=table_distributions(comparison),
        associations=associations(comparison),
        weighted=weighted_usefulness(comparison),
    )


def _column_change(comparison: Comparison, name: str, role: Role) -> ColumnChange:
    x, released, rows = comparison.original.frame[name], comparison.released.frame, comparison.truth.rows
    if name not in released.columns:
        return ColumnChange(name, str(role), len(rows), 1.0, 0, 1.0, single=True)
    text = comparison.case.coded_text(name)
    if text is not None:
        return _text_change(text, name, role, rows)
    x, y = same_type(x, released[name])
    if x.dtype.is_integer() and x.dtype == y.dtype and not x.null_count() + y.null_count():
        return _whole_number_change(x, y, role, rows)
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


def _text_change(text: CodedPair, name: str, role: Role, rows: Int) -> ColumnChange:
    changed = text.changed(rows)
    occurs = np.append(text.known.counts[:-1] > 0, False)
    share = int(changed.sum()) / len(rows)
    return ColumnChange(
        column=name,
        role=str(role),
        changed=int(changed.sum()),
        share=share,
        unmarked=int(occurs[text.shown.codes[changed]].sum()),
        loss=share,
        single=text.shown.distinct == 1 and text.known.distinct > 1,
    )


def _whole_number_change(x: pl.Series, y: pl.Series, role: Role, rows: Int) -> ColumnChange:
    """Compare whole numbers, of which none is missing, without copies of them."""
    changed = int(np.count_nonzero(x.rechunk().to_numpy()[rows] != y.rechunk().to_numpy()))
    return ColumnChange(
        column=x.name,
        role=str(role),
        changed=changed,
        share=changed / len(rows),
        unmarked=changed,
        loss=_loss(x, y, rows, changed / len(rows)),
        single=y.min() == y.max() and x.min() != x.max(),
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


def _table_sentence(
    columns: list[ColumnChange], lost: list[str], rows: int, left_out: int, originals: int, moved: list[str]
) -> str:
    """Say in one sentence what was lost; columns that were not released are all named."""
    if columns and all(column.single for column in columns):
        return t("lost.everything")
    parts = [t("lost.not_released", n=len(lost), columns=t("numbers.comma").join(lost))] if lost else []
    single = [column.column for column in columns if column.single and column.column not in lost]
    if single:
        parts.append(t("lost.single_columns", n=len(single), all=len(columns), columns=_named(single)))
    alive = [column for column in columns if not column.single]
    known = [column for column in alive if column.role == Role.QI]
    parts += _changed(t("lost.quasi_identifiers"), known, rows, named=True)
    others = [column for column in alive if column not in known]
    parts += _changed(t("lost.other_columns" if known else "lost.columns"), others, rows, named=not known)
    if left_out:
        parts.append(t("lost.people_left_out", n=left_out, all=originals, share=percent(left_out / originals)))
    parts += moved
    return lost_sentence(parts) or t("lost.nothing")


def lost_sentence(parts: list[str]) -> str:
    """Join what was lost to one sentence; empty if it is nothing."""
    return t("lost.what", parts=t("lost.separator").join(parts)) if parts else ""


def _changed(what: str, columns: list[ColumnChange], rows: int, named: bool) -> list[str]:
    changed = sorted((c for c in columns if c.changed), key=lambda c: -c.changed)
    if not changed:
        return []
    cells = percent(_share([column.share for column in columns]))
    loss = percent(_share([column.loss for column in columns]))
    examples = _rows_changed(changed, rows) if named else ""
    return [t("lost.cells", cells=cells, what=what, loss=loss, examples=examples, marks=_without_mark(changed))]


def _rows_changed(columns: list[ColumnChange], rows: int) -> str:
    """Name the columns changed in most rows."""
    named = [t("lost.rows_of_column", column=one.column, rows=one.changed) for one in columns[:COLUMNS_NAMED]]
    more = t("lost.columns_more", n=len(columns) - COLUMNS_NAMED) if len(columns) > COLUMNS_NAMED else ""
    return t("lost.rows_changed", columns=t("numbers.comma").join(named), rows=rows, more=more)


def _without_mark(columns: list[ColumnChange]) -> str:
    """Say how many of the changed cells a reader takes for the true ones."""
    changed, unmarked = (sum(values) for values in zip(*((c.changed, c.unmarked) for c in columns), strict=True))
    if not unmarked:
        return t("lost.all_marked")
    return t("lost.none_marked") if unmarked == changed else t("lost.unmarked", share=percent(unmarked / changed))


def _named(names: list[str]) -> str:
    listed = t("numbers.comma").join(names[:COLUMNS_NAMED])
    more = len(names) - COLUMNS_NAMED
    return t("lost.names_more", names=listed, n=more) if more > 0 else listed


def history_usefulness(comparison: HistoryComparison) -> Usefulness:
    """Count the people, rows and goods that a released history has lost or gained."""
    original, released = comparison.original, comparison.released
    left_out = original.people - len(np.unique(comparison.truth.rows))
    parts = []
    if released.height != original.height:
        word = "lost.fewer_rows" if released.height < original.height else "lost.more_rows"
        parts.append(t(word, n=abs(released.height - original.height), all=original.height))
    if len(released.goods) != len(original.goods):
        parts.append(t("lost.goods", n=len(released.goods), all=len(original.goods)))
    parts += [part for meaning in ("date", "number", "price") if (part := _fewer_values(original, released, meaning))]
    gone = [meaning for meaning in ("receipt", "time") if original.has(meaning) and not released.has(meaning)]
    parts += [t("lost.no_values", meaning=t(f"lost.meaning.{meaning}")) for meaning in gone]
    if left_out:
        parts.append(t("lost.history_people", n=left_out, all=original.people))
    text = lost_sentence(parts) or t("lost.history_nothing")
    return Usefulness(
        text=text,
        rows_left_out=left_out / max(original.people, 1),
        distributions=history_distributions(comparison),
    )


def _fewer_values(original: History, released: History, meaning: str) -> str:
    """Say that a column of a history is gone, or how many different values are left of it; empty if as many."""
    if not original.has(meaning):
        return ""
    if not released.has(meaning):
        return t("lost.no_values", meaning=t(f"lost.meaning.{meaning}"))
    before, after = (len(np.unique(_values(side, meaning))) for side in (original, released))
    if after == 1 < before:
        return t("lost.one_value", meaning=t(f"lost.meaning.{meaning}"))
    if after >= before:
        return ""
    return t("lost.fewer_values", n=after, all=before, meaning=t(f"lost.meaning.{meaning}"))


def _values(history: History, meaning: str) -> Int | Float:
    if meaning == "date":
        return history.when // DAY
    return history.prices if meaning == "price" else history.numbers
