"""What a table was read as: its source, the type of each column, how its values are written there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import polars as pl


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the values of a column are written in a text file, all of them alike."""

    decimal: str = "."
    thousands: str = ""
    decimals: int | None = None
    """Digits after the decimal sign; None for as many as a value needs."""
    prefix: str = ""
    suffix: str = ""
    words: tuple[str, str] | None = None
    """The words for false and true."""

    @property
    def is_plain(self) -> bool:
        """Tell whether values are written as every program writes them."""
        return self == Spelling()


PLAIN = Spelling()


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """One column: what it was read as and why, where that is not plain to see."""

    name: str
    type: str
    remark: str = ""
    spelling: Spelling = PLAIN
    source_type: pl.DataType | None = None
    """Type in the source, where the table has another one."""


@dataclass(frozen=True, slots=True)
class SourceReading:
    """What a table was read as."""

    source: str
    """Kind of the source and how it was read, such as "CSV, UTF-8, separator ;"."""
    columns: tuple[ColumnSource, ...] = ()
    separator: str = ","
    format: str = ""
    """Name of the reader."""
    remarks: tuple[str, ...] = ()
    """What a user should know of the whole table: an encoding that was found, lines that were left out."""

    def rows(self) -> list[tuple[str, str, str]]:
        """Return column, type and remark of every column, for a table that people read."""
        return [(column.name, column.type, column.remark) for column in self.columns]

    def notes(self) -> list[str]:
        """Return the remarks on the table and on its columns as sentences."""
        return [*self.remarks, *(f"column {one.name!r}: {one.remark}" for one in self.columns if one.remark)]

    @property
    def spellings(self) -> dict[str, Spelling]:
        """How columns are written, by name; those written plainly are left out."""
        return {column.name: column.spelling for column in self.columns if not column.spelling.is_plain}

    @property
    def decimal(self) -> str:
        """The decimal sign of the table."""
        return "," if any(spelling.decimal == "," for spelling in self.spellings.values()) else "."


@dataclass(frozen=True, slots=True)
class Expected:
    """What is known of the columns of a table before it is read."""

    text: Collection[str] = ()
    """Columns that stay text whatever they hold."""
    spellings: Mapping[str, Spelling] = field(default_factory=dict)
    """How the numbers of another version of the table are written; it decides where this one leaves it open."""
    is_release: bool = False
    """A column of numbers may then hold labels and signs for values taken out."""


def type_name(dtype: pl.DataType) -> str:
    """Name a type the way a reader would."""
    if dtype.is_integer():
        return "integer"
    if dtype.is_numeric():
        return "decimal"
    words = {"String": "text", "Categorical": "text", "Enum": "text", "Datetime": "date and time"}
    name = dtype.base_type().__name__
    return words.get(name, name.lower())
