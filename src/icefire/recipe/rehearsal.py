"""What each step of a recipe really does to a table: run it and compare before with after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core import align, blocks
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.schema import Schema
from icefire.recipe.applying import apply, with_origin
from icefire.recipe.steps import Recipe


@dataclass(frozen=True, slots=True)
class Classes:
    """Rows that agree on every quasi-identifier."""

    count: int
    smallest: int
    alone: int
    """Rows that are the only one of their class."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What one step did."""

    rows: int
    """Rows there were afterwards."""
    dropped: int
    rows_changed: int
    """Remaining rows with another value in any column."""
    cells_changed: dict[str, int]
    """By column, without those that stayed as they were."""
    traded: int
    """Rows that kept every value and now claim another origin."""
    drew: bool
    """Whether anything was drawn at random."""
    columns: dict[str, tuple[str, ...]]
    """Columns the step worked on, by the parameter that names them."""
    classes: Classes | None
    notes: dict[str, Any]

    @property
    def nothing(self) -> bool:
        """Tell a step that might as well not be there."""
        return not (self.dropped or self.rows_changed or self.traded)


@dataclass(frozen=True, slots=True)
class _Witness(Schema):
    """A schema that remembers which columns were asked of it."""

    picked: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)

    def pick(self, asked: Sequence[str] | None, default: Sequence[str], what: str) -> tuple[str, ...]:
        """Return the columns as a schema does, and remember them under the name of the parameter."""
        names = Schema.pick(self, asked, default, what)
        self.picked[what.rpartition(" ")[2]] = names
        return names


def walk(data: Dataset, recipe: Recipe) -> Iterator[Effect]:
    """Run the steps one after another, without publishing, and tell what each did."""
    before = with_origin(data)
    for number, step in enumerate(recipe.steps, 1):
        rng = step.generator(recipe.seed)
        untouched = rng.bit_generator.state
        witness = _Witness(data.schema.columns, data.schema.origin)
        made = apply(replace(before, schema=witness), number, step, rng)
        after = replace(made, schema=data.schema)
        yield _effect(before, after, rng.bit_generator.state != untouched, witness.picked)
        before = after


def _effect(before: Dataset, after: Dataset, drew: bool, columns: dict[str, tuple[str, ...]]) -> Effect:
    traded = _traded(before, after)
    masks = {} if traded else _changes(before, after)
    anywhere = np.zeros(after.height, bool)
    for mask in masks.values():
        anywhere |= mask
    return Effect(
        rows=after.height,
        dropped=before.height - after.height,
        rows_changed=int(anywhere.sum()),
        cells_changed={name: int(mask.sum()) for name, mask in masks.items() if mask.any()},
        traded=traded,
        drew=drew,
        columns=columns,
        classes=classes(after),
        notes=after.notes,
    )


def classes(data: Dataset) -> Classes | None:
    """Count the classes of a table; None without quasi-identifiers or rows."""
    if not data.qi or not data.height:
        return None
    sizes = blocks.class_sizes(data.frame, data.qi)
    return Classes(len(sizes), int(sizes.min()), int((sizes == 1).sum()))


def _traded(before: Dataset, after: Dataset) -> int:
    """Count the rows that only changed their claimed origin, in a step that changed no value at all."""
    if before.height != after.height or not before.frame.drop(ORIGIN).equals(after.frame.drop(ORIGIN)):
        return 0
    return int((before.frame[ORIGIN] != after.frame[ORIGIN]).sum())


def _changes(before: Dataset, after: Dataset) -> dict[str, NDArray[np.bool_]]:
    """Tell for each column which rows hold another value than the row of the same origin did."""
    place = np.empty(int(before.frame[ORIGIN].max() or 0) + 1, np.int64)  # type: ignore[arg-type]
    place[before.frame[ORIGIN].to_numpy()] = np.arange(before.height)
    rows = place[after.frame[ORIGIN].to_numpy()]
    return {n: _differs(before.frame[n][rows], after.frame[n]) for n in before.schema.names}


def _differs(old: pl.Series, new: pl.Series) -> NDArray[np.bool_]:
    """Compare two versions of a column; 30 and "30" are equal, and so are two missing values."""
    if old.dtype.is_numeric() and new.dtype.is_numeric():
        old, new = old.cast(pl.Float64), new.cast(pl.Float64)
    elif old.dtype != new.dtype:
        old, new = align.as_text(old), align.as_text(new)
    different: NDArray[np.bool_] = old.ne_missing(new).to_numpy()
    return different
