"""Classes of released rows among which values may have been exchanged.

They are the classes of equal quasi-identifiers, or those of other columns if these show it: where every column was
shuffled by itself within the classes, each goes with the class exactly as in the original, but no two go together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import polars as pl

from icefire.attacks.tables.link.channels import ReleasedClasses
from icefire.core import blocks
from icefire.kernels.types import Int

SIZES = (1.5, 64.0)
"""Mean sizes of classes of quasi-identifiers in which values may have been exchanged."""
ALIKE = 1.5
"""Classes with fewer different records than this are averages: nothing was exchanged in them."""
LEAST_SIZE = 3.0
"""Mean size of classes of other columns: smaller ones agree with the original by chance."""
FEWEST = 3
"""Columns that go with the classes exactly as in the original, at least."""
LARGEST = 1 << 17
"""Rows of the largest tables whose columns are searched."""
TOGETHER = 0.25
"""Share of the pairs of other columns that may go together."""
SHUFFLES = 7
"""Seed of the shuffles that show what chance preserves."""


def classes_of_quasi_identifiers(
    y: pl.DataFrame, qi: Sequence[str], sizes: tuple[float, float] = SIZES
) -> ReleasedClasses | None:
    """Return the classes of equal quasi-identifiers, if they are neither single rows nor large nor all one record.

    Args:
        y: The released columns.
        qi: The quasi-identifiers.
        sizes: Mean sizes between which values may have been exchanged.
    """
    if not qi:
        return None
    groups = blocks.blocks_of_table(y, sorted(qi))
    records = blocks.blocks_of_table(y, sorted(y.columns)).count
    several = int((groups.x_sizes > 1).sum())
    alike = records - (groups.count - several) < ALIKE * several
    if alike or not sizes[0] < y.height / groups.count < sizes[1]:
        return None
    return ReleasedClasses(tuple(qi), groups.x_labels, groups.x_rows, groups.x_start)


def columns_of_classes(x: pl.DataFrame, y: pl.DataFrame) -> list[str]:
    """Name the columns of classes in which all other columns were shuffled one by one, if the tables show it.

    Nothing but the class of a row is then known: who was in it with which values was not released.

    Args:
        x: The columns of the original that are released.
        y: The released columns, under the same names.
    """
    if max(x.height, y.height) > LARGEST:
        return []
    tables = _JointTables(x, y)
    if not tables.all_kept or len(tables.codes) <= FEWEST:
        return []
    dividing = [name for name in tables.codes if LEAST_SIZE * tables.count([name]) <= y.height]
    finest_first = sorted(dividing, key=lambda name: -tables.count([name]))
    names = next(([name] for name in finest_first if tables.all_go_with([name])), [])
    for name in finest_first:
        wider = [*names, name]
        if names and name not in names and LEAST_SIZE * tables.count(wider) <= y.height and tables.all_go_with(wider):
            names = wider
    return sorted(names) if names and tables.fall_apart(names) else []


class _JointTables:
    """Which combinations of values are released no more often than the original has them."""

    def __init__(self, x: pl.DataFrame, y: pl.DataFrame) -> None:
        rng = np.random.default_rng(SHUFFLES)
        self.rows = x.height
        self.codes: dict[str, Int] = {}
        self.shuffled: dict[str, Int] = {}
        self.all_kept = True
        for name in sorted(y.columns):
            codes = _joint_codes(x[name], y[name])
            self.all_kept = self.all_kept and self._contained(codes)
            if not self.all_kept:
                break
            if len(np.unique(codes[self.rows :])) > 1:
                self.codes[name] = codes
                self.shuffled[name] = np.append(codes[: self.rows], rng.permutation(codes[self.rows :]))

    def count(self, names: Sequence[str]) -> int:
        """Return the number of combinations of values in both tables."""
        return int(self._combined(names).max()) + 1

    def all_go_with(self, classes: Sequence[str]) -> bool:
        """Tell whether all other columns have in the classes the values that the original has there."""
        of_class = self._combined(classes)
        return all(self._contained(_pairs(of_class, self.codes[name])) for name in self.codes.keys() - set(classes))

    def fall_apart(self, classes: Sequence[str]) -> bool:
        """Tell whether the other columns go with the classes alone, not with one another, and neither by chance."""
        others = [name for name in self.codes if name not in classes]
        shown = self._more_than_by_chance(self._combined(classes), others)
        if len(shown) < FEWEST:
            return False
        others_of_one = len(shown) - 1
        allowed = len(shown) * others_of_one * TOGETHER
        for name in sorted(shown):
            together = len(self._more_than_by_chance(self._combined([*classes, name]), shown - {name}))
            allowed -= together
            if together == others_of_one or allowed <= 0:
                return False
        return True

    def _more_than_by_chance(self, of_class: Int, names: Collection[str]) -> set[str]:
        """Name the columns that are in the classes as in the original, and would not be so after a shuffle."""
        return {
            name
            for name in names
            if self._contained(_pairs(of_class, self.codes[name]))
            and not self._contained(_pairs(of_class, self.shuffled[name]))
        }

    def _combined(self, names: Sequence[str]) -> Int:
        codes = self.codes[names[0]]
        for name in names[1:]:
            codes = np.unique(_pairs(codes, self.codes[name]), return_inverse=True)[1]
        return codes

    def _contained(self, codes: Int) -> bool:
        values, places = np.unique(codes, return_inverse=True)
        known, shown = (np.bincount(side, minlength=len(values)) for side in (places[: self.rows], places[self.rows :]))
        return bool((shown <= known).all())


def _pairs(one: Int, other: Int) -> Int:
    return one * (int(other.max()) + 1) + other


def _joint_codes(x: pl.Series, y: pl.Series) -> Int:
    encoded = blocks.encode_jointly(x, y)
    codes = encoded.values.astype(np.int64) - encoded.lowest
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
