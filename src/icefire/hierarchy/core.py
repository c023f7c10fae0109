"""The type `Hierarchy`: values of one column and their generalisations, as codes and labels per level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from icefire.core import formatting
from icefire.core.errors import InputError, ParameterError
from icefire.io.tables import write_frame
from icefire.io.writing import output_file
from icefire.kernels.types import Int, Int32

TOP = "*"
"""The label that stands for every value."""


@dataclass(frozen=True, eq=False, slots=True)
class Hierarchy:
    """What each value of a column becomes at each level; level 0 is the value itself. Immutable.

    A missing value, where a table has some, is a value of its own at every level (null) until the top: there it becomes
    what all others become. With a top of several values it stays missing.
    """

    name: str
    labels: tuple[pl.Series, ...]
    """labels[l][code]: the text released for a code at level l; null for missing."""
    codes: tuple[Int32, ...]
    """codes[l][value]: the code of each value at level l."""
    leaves: tuple[Int, ...]
    """leaves[l][code]: how many values lie under a code."""
    about: str = ""
    """Where it comes from, in words."""

    @property
    def levels(self) -> int:
        """Number of levels, level 0 included."""
        return len(self.codes)

    @property
    def top(self) -> int:
        """The highest level."""
        return self.levels - 1

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.codes[0])

    @property
    def values(self) -> pl.Series:
        """The values, as text; null for missing."""
        return self.labels[0]

    @property
    def closed(self) -> bool:
        """Whether all values become one at the top, which no longer is a value."""
        return len(self.labels[-1]) == 1 and (self.size > 1 or self.labels[-1][0] == TOP)

    def at(self, level: int) -> pl.Series:
        """Return what each value becomes at a level."""
        self._check_level(level)
        return self.labels[level].gather(self.codes[level])

    def mapping(self, level: int) -> pl.DataFrame:
        """Return the table of value and released value at a level."""
        return pl.DataFrame({"value": self.values, "released": self.at(level)})

    def rows(self) -> list[tuple[str | None, ...]]:
        """Return each value with all its generalisations."""
        return list(zip(*(self.at(level).to_list() for level in range(self.levels)), strict=True))

    def write(self, path: str | Path, delimiter: str = ";", force: bool = False) -> None:
        """Write it as ARX does: one line per value, value;level1;…, no header; missing is an empty cell.

        A file that exists is refused, or with `force` replaced.
        """
        frame = pl.DataFrame({str(level): self.at(level) for level in range(self.levels)})
        with output_file(path, force) as draft:
            frame.write_csv(draft, include_header=False, separator=delimiter)

    def write_mapping(self, path: str | Path, level: int, force: bool = False) -> None:
        """Write what was released for each value at a level, as a table with the header value, released.

        A file that exists is refused, or with `force` replaced.
        """
        with output_file(path, force) as draft:
            write_frame(self.mapping(level), draft)

    def describe(self, most: int = 5) -> str:
        """Say in a few lines how many groups each level has, and name some."""
        about = f": {self.about}" if self.about else ""
        lines = [f"{self.name}: {formatting.counted(self.size, 'value')}, levels 0 to {self.top}{about}"]
        for level, labels in enumerate(self.labels):
            shown = [label if label is not None else "(missing)" for label in labels.head(most)]
            more = ", …" if len(labels) > most else ""
            lines.append(f"  {level}  {len(labels):>7,}  {', '.join(shown)}{more}")
        return "\n".join(lines)

    def with_missing(self) -> Hierarchy:
        """Return it with a place for missing values."""
        if self.values.null_count():
            return self
        return self.with_values([None], [None] * (self.top - 1 if self.closed else self.top))

    def with_values(self, values: Sequence[str | None], path: Sequence[str | None]) -> Hierarchy:
        """Return it with more values, all of which become `path` at levels 1, 2, … and then what all become.

        The top value on the path counts as standing for every value, as it tells nothing.
        """
        added = len(values)
        ends: list[str | None] = [*path, *self.labels[-1].head(1)] if self.closed and self.top else [*path]
        columns = [pl.concat([self.values, pl.Series(values, dtype=pl.String)])]
        for level, label in enumerate(ends[: self.top], 1):
            columns.append(pl.concat([self.at(level), pl.Series([label] * added, dtype=pl.String)]))
        extended = build(self.name, columns, self.about)
        if TOP not in path:
            return extended
        leaves = [
            np.where((extended.labels[level] == TOP).fill_null(False).to_numpy(), extended.size, counts)
            if level and extended.codes[level][-1] not in extended.codes[level][:-added]
            else counts
            for level, counts in enumerate(extended.leaves)
        ]
        return replace(extended, leaves=tuple(leaves))

    def thinned(self) -> Hierarchy:
        """Return it without the levels that join nothing new; the top stays."""
        counts = [len(labels) for labels in self.labels]
        kept = [level for level in range(self.levels) if level in (0, self.top) or counts[level] < counts[level - 1]]
        kept = [level for level in kept if level in (0, self.top) or counts[level] > counts[self.top]]
        return replace(
            self,
            labels=tuple(self.labels[level] for level in kept),
            codes=tuple(self.codes[level] for level in kept),
            leaves=tuple(self.leaves[level] for level in kept),
        )

    def _check_level(self, level: int) -> None:
        if not 0 <= level <= self.top:
            raise ParameterError(
                f"hierarchy {self.name!r} has no level {level}; it has levels 0 (the value itself) to {self.top}"
            )


def build(name: str, columns: Sequence[pl.Series], about: str = "") -> Hierarchy:
    """Make a hierarchy from what each value is at level 0, 1, …; it must be a tree without repeated values."""
    coded = [_number(column) for column in columns]
    codes = tuple(level for level, _ in coded)
    labels = tuple(level for _, level in coded)
    if not len(codes[0]):
        raise InputError(f"hierarchy {name!r} has no values; give at least one")
    _check_distinct(name, columns[0], len(labels[0]))
    for level in range(1, len(codes)):
        _check_tree(name, level, codes, labels)
    return Hierarchy(name, labels, codes, tuple(np.bincount(level).astype(np.int64) for level in codes), about)


def _number(column: pl.Series) -> tuple[Int32, pl.Series]:
    """Number the labels in order of appearance; returns the numbers and the labels."""
    column = column.cast(pl.String).alias("label")
    distinct = column.unique(maintain_order=True)
    numbered = distinct.to_frame().with_row_index("code")
    codes = column.to_frame().join(numbered, on="label", how="left", nulls_equal=True, maintain_order="left")["code"]
    return codes.to_numpy().astype(np.int32), distinct


def _check_distinct(name: str, values: pl.Series, distinct: int) -> None:
    if distinct < len(values):
        second = int(values.is_first_distinct().not_().arg_true()[0])
        value = values[second]
        first = values.to_list().index(value)
        raise InputError(
            f"hierarchy {name!r} lists the value {value!r} twice, as values {first + 1} and {second + 1}; "
            "each value has one line: remove the other"
        )


def _check_tree(name: str, level: int, codes: Sequence[Int32], labels: Sequence[pl.Series]) -> None:
    """Every label of one level must lie under one label of the next."""
    below, above = codes[level - 1], codes[level]
    first = np.zeros(len(labels[level - 1]), np.int64)
    first[below[::-1]] = np.arange(len(below))[::-1]
    wrong = np.flatnonzero(above[first[below]] != above)
    if len(wrong):
        row = wrong[0]
        one, other = labels[level][int(above[first[below[row]]])], labels[level][int(above[row])]
        raise InputError(
            f"hierarchy {name!r} is not a tree: {labels[level - 1][int(below[row])]!r} of level {level - 1} becomes "
            f"{one!r} (value {labels[0][int(first[below[row]])]!r}) and {other!r} (value {labels[0][int(row)]!r}) "
            f"at level {level}; give it one of them"
        )
