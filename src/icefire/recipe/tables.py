"""What recipes need to know of tables: the hidden origin, publishing, and what a step did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from icefire.core import align, blocks, seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.release import Release, Truth
from icefire.core.schema import Role, Schema
from icefire.core.types import DataKind
from icefire.kernels.types import Bool, Int

SAFE_IDS = ("released_ids", "pseudonyms")
"""Notes by which a method says that it put something safe to hand out into identifier columns."""

ANY = "*"
"""The label that may be any value."""


@dataclass(frozen=True, slots=True)
class EquivalenceClassCounts:
    """Rows that agree on every quasi-identifier."""

    count: int
    smallest: int
    alone: int
    """Rows that are the only one of their class."""


@dataclass(frozen=True, slots=True)
class TableEffect:
    """What one step did to a table."""

    kind: ClassVar[DataKind] = "table"
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
    classes: EquivalenceClassCounts | None
    notes: dict[str, Any]

    @property
    def nothing(self) -> bool:
        """Tell a step that might as well not be there."""
        return not (self.dropped or self.rows_changed or self.traded)


@dataclass(frozen=True, slots=True)
class _WatchedSchema(Schema):
    """A schema that remembers which columns were asked of it."""

    picked: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)

    def pick(
        self, asked: Sequence[str] | None, default: Sequence[str], what: str, *, lost_too: bool = False
    ) -> tuple[str, ...]:
        """Return the columns as a schema does, and remember them under the name of the parameter."""
        names = Schema.pick(self, asked, default, what, lost_too=lost_too)
        self.picked[what.rpartition(" ")[2]] = names
        return names


def with_origin(data: Dataset) -> Dataset:
    """Give every row the hidden number that it will be known by."""
    return data.with_columns(pl.Series(ORIGIN, np.arange(data.height, dtype=np.int64)))


def without_origin(changed: Dataset, _: Dataset) -> tuple[Dataset, Int]:
    """Split the hidden numbers off again."""
    return changed.with_frame(changed.frame.drop(ORIGIN)), changed.frame[ORIGIN].to_numpy().astype(np.int64)


def publish(changed: Dataset, original: Dataset, as_run: dict[str, Any], seed: int) -> Release[Dataset]:
    """Shuffle the rows, split the origin off, and hand out the table without identifiers.

    An identifier column stays only where a step noted that it put pseudonyms into it. A quasi-identifier that was
    blanked in every row becomes one label: a column without values could not be audited.
    """
    blanked = [name for name in changed.qi if changed.height and _is_blanked(changed.frame[name], original.frame[name])]
    changed = changed.with_columns(*(pl.repeat(ANY, changed.height, eager=True).alias(name) for name in blanked))
    shuffled = changed.take(seeds.generator(seed, "publish").permutation(changed.height))
    truth = Truth(shuffled.frame[ORIGIN].to_numpy().astype(np.int64))
    notes = [step.get("notes", {}) for step in as_run.get("steps", ())]
    safe = {name for noted in notes for note in SAFE_IDS for name in noted.get(note, ())}
    hidden = [ORIGIN, *(name for name in original.schema.named(Role.ID) if name not in safe)]
    return Release(shuffled.with_frame(shuffled.frame.drop(hidden)), truth, as_run, seed)


def _is_blanked(after: pl.Series, before: pl.Series) -> bool:
    return after.null_count() == len(after) and before.null_count() < len(before)


def lacks(need: str) -> str:
    """Say that a column of a role is needed, and how to name it."""
    return f"needs a {need.replace('_', ' ')} column; name it with --{need[-2:]} or in the schema"


def check_columns(data: Dataset, asked: Sequence[str], what: str) -> None:
    """Refuse columns that the table does not have and roles that are none."""
    data.schema.expanded(asked, what)


def some_rows(data: Dataset, most: int) -> Dataset:
    """Return at most so many rows, evenly spaced."""
    return data.take(np.linspace(0, data.height - 1, most).astype(np.int64)) if data.height > most else data


def watched(data: Dataset) -> tuple[Dataset, dict[str, tuple[str, ...]]]:
    """Return a table whose schema writes down which columns a method takes for which parameter."""
    schema = _WatchedSchema(data.schema.columns, data.schema.origin)
    return replace(data, schema=schema), schema.picked


def unwatched(data: Dataset, before: Dataset) -> Dataset:
    """Give a table its plain schema back."""
    return replace(data, schema=before.schema)


def effect(before: Dataset, after: Dataset, drew: bool, columns: dict[str, tuple[str, ...]]) -> TableEffect:
    """Compare the table before a step with that after it."""
    traded = _traded(before, after)
    masks = {} if traded else _changes(before, after)
    anywhere = np.zeros(after.height, bool)
    for mask in masks.values():
        anywhere |= mask
    return TableEffect(
        rows=after.height,
        dropped=before.height - after.height,
        rows_changed=int(anywhere.sum()),
        cells_changed={name: int(mask.sum()) for name, mask in masks.items() if mask.any()},
        traded=traded,
        drew=drew,
        columns=columns,
        classes=count_classes(after),
        notes=after.notes,
    )


def touched(before: Dataset, after: Dataset) -> set[str]:
    """Name the columns in which a value changed."""
    if _traded(before, after):
        return set()
    return {name for name, mask in _changes(before, after).items() if mask.any()}


def described(data: Dataset) -> dict[str, EquivalenceClassCounts | None]:
    """Return what an explanation says of the table at the start."""
    return {"classes": count_classes(data)}


def role_titles(data: Dataset) -> dict[str, tuple[str, ...]]:
    """Return the roles with several columns, by what they are called in an explanation."""
    titles = {
        "quasi-identifiers": data.qi,
        "sensitive attributes": data.sa,
        "numeric sensitive attributes": data.numeric_sa,
    }
    return {f"all {len(names)} {title}": names for title, names in titles.items() if len(names) > 1}


def count_classes(data: Dataset) -> EquivalenceClassCounts | None:
    """Count the classes of a table; None without quasi-identifiers or rows."""
    if not data.qi or not data.height:
        return None
    sizes = blocks.class_sizes(data.frame, data.qi)
    return EquivalenceClassCounts(len(sizes), int(sizes.min()), int((sizes == 1).sum()))


def _traded(before: Dataset, after: Dataset) -> int:
    """Count the rows that only changed their claimed origin, in a step that changed no value at all."""
    if before.height != after.height or not before.frame.drop(ORIGIN).equals(after.frame.drop(ORIGIN)):
        return 0
    return int((before.frame[ORIGIN] != after.frame[ORIGIN]).sum())


def _changes(before: Dataset, after: Dataset) -> dict[str, Bool]:
    """Tell for each column which rows hold another value than the row of the same origin did."""
    place = np.empty(int(before.frame[ORIGIN].max() or 0) + 1, np.int64)  # type: ignore[arg-type]
    place[before.frame[ORIGIN].to_numpy()] = np.arange(before.height)
    rows = place[after.frame[ORIGIN].to_numpy()]
    return {n: _differs(before.frame[n][rows], after.frame[n]) for n in before.schema.names}


def _differs(old: pl.Series, new: pl.Series) -> Bool:
    """Compare two versions of a column; 30 and "30" are equal, and so are two missing values."""
    if old.dtype.is_numeric() and new.dtype.is_numeric():
        old, new = old.cast(pl.Float64), new.cast(pl.Float64)
    elif old.dtype != new.dtype:
        old, new = align.as_text(old), align.as_text(new)
    different: Bool = old.ne_missing(new).to_numpy()
    return different
