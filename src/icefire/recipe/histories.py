"""What recipes need to know of histories: the hidden origin, publishing, and what a step did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import polars as pl

from icefire.core.dataset import ORIGIN
from icefire.core.history import History, groups, publishing
from icefire.core.history.publishing import with_origin
from icefire.core.release import Release
from icefire.core.types import DataKind
from icefire.kernels.types import Int

__all__ = [
    "HistoryEffect",
    "check_columns",
    "described",
    "effect",
    "lacks",
    "publish",
    "role_titles",
    "some_rows",
    "touched",
    "unwatched",
    "watched",
    "with_origin",
    "without_origin",
]

BEFORE, AFTER = "__rows_before__", "__rows_after__"
"""Columns of counts, called as no column of a history is."""


@dataclass(frozen=True, slots=True)
class HistoryEffect:
    """What one step did to a history."""

    kind: ClassVar[DataKind] = "history"
    columns: ClassVar[dict[str, tuple[str, ...]]] = {}
    """Methods for histories take columns by their meaning, not by a parameter."""
    classes: ClassVar[None] = None
    """A history has no quasi-identifiers."""
    rows: int
    """Rows there were afterwards."""
    added: int
    dropped: int
    changed: int
    """Rows with another value in any column, names of subjects aside."""
    subjects: int
    sets: int
    """Different sets of items."""
    alone: int
    """Subjects with a set of their own."""
    profile_changed: bool
    """Whether the customer table changed."""
    drew: bool
    notes: dict[str, Any]

    @property
    def nothing(self) -> bool:
        """Tell a step that might as well not be there."""
        return not (self.added or self.dropped or self.changed or self.profile_changed)


def without_origin(changed: History, original: History) -> tuple[History, Int]:
    """Split the hidden numbers off again; a subject without rows goes by its unchanged name."""
    plain = replace(changed, frame=changed.frame.drop(ORIGIN))
    return plain, publishing.origins(changed, original.names)


def publish(changed: History, original: History, as_run: dict[str, Any], seed: int) -> Release[History]:
    """Rename the subjects, shuffle, and split the truth off."""
    return publishing.publish(changed, original.names, as_run, seed)


def lacks(need: str) -> str:
    """Say that a column is needed, and how to name it."""
    what = "the table of customers" if need == "customers" else f"a {need} column"
    return f"needs {what}; name it with --{need} or in the schema"


def check_columns(_: History, asked: Sequence[str], what: str) -> None:
    """Refuse nothing: the methods of histories take columns by their meaning, and check those of customers."""


def some_rows(data: History, _: int) -> History:
    """Return the whole history: too few customers may be the very cause of a fault."""
    return data


def watched(data: History) -> tuple[History, dict[str, tuple[str, ...]]]:
    """Return the history itself: its methods take columns by their meaning."""
    return data, {}


def unwatched(data: History, _: History) -> History:
    """Return the history itself."""
    return data


def effect(before: History, after: History, drew: bool, _: dict[str, tuple[str, ...]]) -> HistoryEffect:
    """Compare the history before a step with that after it."""
    more, less = _difference(before, after)
    alike = groups.sizes(groups.labels(after.baskets))
    return HistoryEffect(
        rows=after.height,
        added=max(0, more - less),
        dropped=max(0, less - more),
        changed=min(more, less),
        subjects=after.subjects,
        sets=len(alike),
        alone=int((alike == 1).sum()),
        profile_changed=_profiles_differ(before, after),
        drew=drew,
        notes=after.notes,
    )


def touched(before: History, after: History) -> set[str]:
    """Name the columns that are not what they were; all, if there are more or fewer rows."""
    names = before.frame.columns
    if before.height != after.height:
        return set(names)
    return {name for name in names if not before.frame[name].equals(after.frame[name], null_equal=True)}


def described(data: History) -> dict[str, int]:
    """Return what an explanation says of the history at the start."""
    return {"subjects": data.subjects}


def role_titles(_: History) -> dict[str, tuple[str, ...]]:
    """Return nothing: the columns of a history have meanings, not roles."""
    return {}


def _difference(before: History, after: History) -> tuple[int, int]:
    """Count the rows there are more of than before, and those there are fewer of."""
    columns = [name for name in before.frame.columns if name != before.fields.subject]
    old, new = (data.frame.group_by(columns).len(name) for data, name in ((before, BEFORE), (after, AFTER)))
    both = old.join(new, on=columns, how="full", nulls_equal=True)
    after_less_before = pl.col(AFTER).fill_null(0).cast(pl.Int64) - pl.col(BEFORE).fill_null(0).cast(pl.Int64)
    change = both.select(after_less_before).to_series()
    return int(change.clip(lower_bound=0).sum()), int(-change.clip(upper_bound=0).sum())


def _profiles_differ(before: History, after: History) -> bool:
    if before.customers is None or after.customers is None:
        return (before.customers is None) != (after.customers is None)
    return not before.customers.equals(after.customers)
