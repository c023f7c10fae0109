"""Dataset: a table with one row per person, and the roles of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core import blocks, formatting
from icefire.core.blocks import Blocks, EncodedColumn
from icefire.core.cache import CachedProperties
from icefire.core.coded_text import CodedText, code_text
from icefire.core.display import ShownInNotebooks
from icefire.core.errors import SchemaError, listing
from icefire.core.reading import PLAIN, Expected, SourceReading
from icefire.core.schema import Kind, Role, Schema
from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int

TILE = 1 << 11
"""Rows that are written into a matrix at a time."""
ORIGIN = "__origin__"
"""Hidden column that carries, while a recipe runs, the original row of every row."""


@dataclass(frozen=True, slots=True)
class Dataset(CachedProperties, ShownInNotebooks):
    """A table and the roles of its columns. Immutable: methods return a new one."""

    kind: ClassVar[Literal["table"]] = "table"
    frame: pl.DataFrame
    schema: Schema
    name: str = "table"
    digest: str = ""
    """SHA-256 of the file it was read from, empty for a table from memory."""
    notes: dict[str, Any] = field(default_factory=dict, compare=False)
    """What a method wants the recipe as run to say: levels chosen, rows suppressed."""
    reading: SourceReading | None = field(default=None, compare=False, repr=False)
    """What the source and its columns were read as; None for a table that was not read."""
    _cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was found out about this frame; another frame begins without."""

    def __repr__(self) -> str:
        columns = f"{formatting.counted(len(self.schema.columns), 'column')} ({len(self.qi)} qi, {len(self.sa)} sa)"
        return f"<Dataset {self.name!r}: {formatting.counted(self.height, 'row')}, {columns}>"

    @property
    def height(self) -> int:
        """Number of rows."""
        return self.frame.height

    @property
    def people(self) -> int:
        """Number of people: one per row."""
        return self.height

    @property
    def side_tables(self) -> dict[str, pl.DataFrame]:
        """Tables that are published beside the main one: none."""
        return {}

    @property
    def qi(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return self.schema.qi

    @property
    def sa(self) -> tuple[str, ...]:
        """Names of the sensitive attributes."""
        return self.schema.sa

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Names of the columns that hold text; a release of this table is read with the same ones as text."""
        return tuple(name for name, dtype in self.frame.schema.items() if dtype == pl.String)

    @property
    def expected(self) -> Expected:
        """What is known of the columns of a release of this table before it is read."""
        spellings = {name: PLAIN for name, dtype in self.frame.schema.items() if dtype.is_numeric()}
        spellings |= {} if self.reading is None else self.reading.spellings
        return Expected(self.text_columns, spellings, is_release=True)

    @property
    def numeric_sa(self) -> tuple[str, ...]:
        """Names of the sensitive attributes that are numbers."""
        return self.schema.named(Role.SA, Kind.NUMBER)

    def has(self, need: str) -> bool:
        """Tell whether there is a column for a need: "qi", "sa" or "numeric_sa"; other needs are not about columns."""
        columns = {"qi": self.qi, "sa": self.sa, "numeric_sa": self.numeric_sa}
        return bool(columns.get(need, True))

    def with_frame(self, frame: pl.DataFrame) -> Dataset:
        """Return the same dataset over another frame."""
        return replace(self, frame=frame)

    def with_columns(self, *columns: pl.Series) -> Dataset:
        """Return the same dataset with some columns replaced."""
        return self.with_frame(self.frame.with_columns(*columns))

    def noted(self, **facts: Any) -> Dataset:
        """Return the same dataset with facts about how it was made."""
        return replace(self, notes=facts)

    def take(self, rows: Int) -> Dataset:
        """Return the rows named, in that order."""
        return self.with_frame(self.frame[rows])

    def shuffled(self, order: Int) -> Dataset:
        """Return all rows in another order; text is not numbered anew."""
        shuffled = self.take(order)
        for name in self.text_columns:
            if (coded := self.coded_text(name).taken(order)) is not None:
                shuffled.cached(("text", name), lambda coded=coded: coded)  # type: ignore[misc]
        return shuffled

    def coded_text(self, column: str) -> CodedText:
        """Return a column of text as numbers of its distinct values; made once."""
        return self.cached(("text", column), lambda: code_text(self.frame[column]))

    def classes(self, columns: Sequence[str]) -> Blocks:
        """Return the rows that agree on some columns, in ascending order of the values; found once."""
        names = tuple(columns)
        return self.cached(
            ("classes", names),
            lambda: blocks.blocks_of_columns([self.encoded(name) for name in names], self.height, 0),
        )

    def class_sizes(self, columns: Sequence[str]) -> Int:
        """Return the size of every class of rows that agree on the columns, in no particular order; counted once."""
        names = tuple(columns)
        return self.cached(
            ("class sizes", names),
            lambda: blocks.sizes_of_columns(threads.starmap(self.encoded, [(n,) for n in names]), self.height),
        )

    def encoded(self, name: str) -> EncodedColumn:
        """Return a column as whole numbers that keep the order of the values; missing comes first."""
        column = self.frame[name]
        if column.dtype != pl.String or column.null_count():
            return blocks.encode(column)
        coded = self.coded_text(name)
        return EncodedColumn(coded.codes, 0, max(1, len(coded.values)))

    def check_numeric(self, columns: Sequence[str]) -> None:
        """Refuse a column that does not exist or holds no numbers."""
        for name in self.schema.pick(columns, (), "columns"):
            if not self.frame[name].dtype.is_numeric():
                numeric = [n for n in self.schema.names if n in self.frame.columns and self.frame[n].dtype.is_numeric()]
                raise SchemaError(f"column {name!r} holds no numbers to compute with; choose from: {listing(numeric)}")

    def matrix(self, columns: Sequence[str]) -> Float:
        """Return numeric columns as a row-major matrix; missing values become NaN."""
        self.check_numeric(columns)
        if not columns:
            return np.empty((self.height, 0))
        return _side_by_side([_plain_numbers(self.frame[name]) for name in columns])


def _side_by_side(columns: Sequence[NDArray[Any]]) -> Float:
    """Write columns side by side as floats, some rows of all columns at a time: they stay in the processor's cache."""
    height = len(columns[0])
    matrix = np.empty((height, len(columns)))
    for first in range(0, height, TILE):
        tile = matrix[first : first + TILE]
        for place, column in enumerate(columns):
            tile[:, place] = column[first : first + TILE]
    return matrix


def _plain_numbers(series: pl.Series) -> NDArray[Any]:
    """Return numbers as they are where that takes no copy, else as floats with NaN for missing ones."""
    plain = series.null_count() == 0 and series.dtype in (pl.Int64, pl.Int32, pl.Int16, pl.Int8, pl.Float64)
    return series.rechunk().to_numpy() if plain else numbers(series)


def numbers(series: pl.Series) -> Float:
    """Return a numeric column as floats; missing values become NaN."""
    return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def kinds(frame: pl.DataFrame) -> dict[str, Kind]:
    """Tell numbers from categories by the type of each column."""
    return {name: _kind(dtype) for name, dtype in frame.schema.items() if name != ORIGIN}


def _kind(dtype: pl.DataType) -> Kind:
    return Kind.NUMBER if dtype.is_numeric() else Kind.CATEGORY
