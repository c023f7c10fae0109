"""What each step of a recipe really does to a history: run it and compare before with after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from icefire.core.history import History, groups
from icefire.core.history.publishing import with_origin
from icefire.recipe.applying import apply
from icefire.recipe.steps import Recipe


@dataclass(frozen=True, slots=True)
class HistoryEffect:
    """What one step did."""

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


def walk(data: History, recipe: Recipe) -> Iterator[HistoryEffect]:
    """Run the steps one after another, without publishing, and tell what each did."""
    before = with_origin(data)
    for number, step in enumerate(recipe.steps, 1):
        rng = step.generator(recipe.seed)
        untouched = rng.bit_generator.state
        after = apply(before, number, step, rng)
        yield _effect(before, after, rng.bit_generator.state != untouched)
        before = after


def _effect(before: History, after: History, drew: bool) -> HistoryEffect:
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


def _difference(before: History, after: History) -> tuple[int, int]:
    """Count the rows there are more of than before, and those there are fewer of."""
    columns = [name for name in before.frame.columns if name != before.fields.subject]
    old, new = (data.frame.group_by(columns).len() for data in (before, after))
    both = old.join(new, on=columns, how="full", nulls_equal=True).select(
        pl.col("len_right").fill_null(0).cast(pl.Int64) - pl.col("len").fill_null(0).cast(pl.Int64)
    )
    change = both.to_series()
    return int(change.clip(lower_bound=0).sum()), int(-change.clip(upper_bound=0).sum())


def _profiles_differ(before: History, after: History) -> bool:
    if before.customers is None or after.customers is None:
        return (before.customers is None) != (after.customers is None)
    return not before.customers.equals(after.customers)
