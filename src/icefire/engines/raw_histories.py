"""A history as the engine `partitioned` finds it: columns, subjects, items and sizes, without holding all rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from icefire.core.errors import InputError
from icefire.core.history.fields import Fields
from icefire.core.history.history import in_order

LEAST_SUBJECTS = 2
UNUSABLE = "__unusable__"
"""Column of what is left out, called as no column of a history is."""


@dataclass(frozen=True)
class RawHistory:
    """Transactions that polars reads in parts, what their columns mean, and who the subjects are."""

    source: pl.LazyFrame
    fields: Fields
    name: str = "history"
    digest: str = ""
    customers: pl.Series | None = None
    """Names of the subjects, in their order; without, those of the rows, ascending."""
    drop_unusable: bool = False

    @cached_property
    def _dtypes(self) -> dict[str, Any]:
        return dict(self.source.collect_schema())

    @cached_property
    def _usable(self) -> pl.LazyFrame:
        """The rows that can be used, names as text."""
        rows = self.source.select(
            _as_text(self.fields.subject, self._dtypes).alias("subject name"),
            _as_text(self.fields.item, self._dtypes).alias("item name"),
            *([] if self.fields.receipt is None else [pl.col(self.fields.receipt).alias("receipt name")]),
            self._unusable().alias("unusable"),
        )
        return rows.filter(~pl.col("unusable"))

    def _unusable(self) -> pl.Expr:
        """Tell of each row whether it lacks a subject or an item, or has a price or a number that is not above zero."""
        wrong = pl.lit(value=False)
        for meaning, column in self.fields.present.items():
            if meaning in ("subject", "item"):
                text = _as_text(column, self._dtypes)
                wrong |= text.is_null() | (text == "")
            elif meaning in ("price", "number"):
                value = pl.col(column).cast(pl.Float64, strict=False)
                wrong |= (value.is_null() | ~(value > 0) | ~value.is_finite()).fill_null(value=True)
        return wrong

    @cached_property
    def _sizes(self) -> dict[str, int]:
        receipts = [] if self.fields.receipt is None else [pl.col("receipt name").n_unique().alias("receipts")]
        usable = self._usable.select(pl.len().alias("rows"), *receipts).collect(engine="streaming").row(0, named=True)
        usable["dropped"] = int(self.source.select(pl.len()).collect().item()) - usable["rows"]
        return usable

    @property
    def height(self) -> int:
        """Number of usable rows."""
        return self._sizes["rows"]

    @property
    def dropped(self) -> int:
        """Number of rows that were left out because they cannot be used."""
        return self._sizes["dropped"]

    @property
    def receipts(self) -> int | None:
        """Number of different receipts; None where there is no such column."""
        return self._sizes.get("receipts")

    @cached_property
    def names(self) -> pl.Series:
        """The subjects, by number."""
        if self.customers is not None:
            return self.customers
        return in_order(self._distinct("subject name"))

    @cached_property
    def items(self) -> pl.Series:
        """The different items, in ascending order."""
        return self._distinct("item name").sort()

    def _distinct(self, column: str) -> pl.Series:
        return self._usable.select(column).unique().collect(engine="streaming").to_series()

    def check(self) -> None:
        """Refuse a history that cannot be used.

        Raises:
            InputError: If rows cannot be used and are not to be left out, or there are fewer than two subjects.
        """
        if self.dropped and not self.drop_unusable:
            raise InputError(
                f"{self.name!r}: {self.dropped:,} rows have no subject or item, or a price or number that is missing "
                "or not above zero; correct them, or leave them out with --drop-unusable"
            )
        if len(self.names) < LEAST_SUBJECTS:
            raise InputError(f"{self.name!r} has fewer than two subjects; nobody can hide alone: give at least two")

    def batches(self, rows: int) -> Iterator[pl.DataFrame]:
        """Give subject and item of all usable rows, so many rows at a time."""
        columns = [_as_text(name, self._dtypes) for name in (self.fields.subject, self.fields.item)]
        aliases = ("subject name", "item name")
        named = [column.alias(alias) for column, alias in zip(columns, aliases, strict=True)]
        return self._in_batches(rows, named)

    def whole_rows(self, rows: int) -> Iterator[pl.DataFrame]:
        """Give all columns of all usable rows, names as text, so many rows at a time."""
        names = {column for meaning, column in self.fields.present.items() if meaning in ("subject", "item", "receipt")}
        columns = [_as_text(name, self._dtypes) if name in names else pl.col(name) for name in self._dtypes]
        return self._in_batches(rows, columns)

    def _in_batches(self, rows: int, columns: list[pl.Expr]) -> Iterator[pl.DataFrame]:
        for first in range(0, self.height + self.dropped, rows):
            batch = self.source.slice(first, rows).select(*columns, self._unusable().alias(UNUSABLE)).collect()
            yield batch.filter(~pl.col(UNUSABLE)).drop(UNUSABLE)

    def check_known(self, coded: pl.DataFrame) -> None:
        """Refuse rows of subjects who are not in the table of customers.

        Raises:
            InputError: If there is one.
        """
        unknown = coded.filter(pl.col("subject").is_null())
        if unknown.height:
            raise InputError(
                f"{self.name!r}: a row belongs to {unknown['subject name'][0]!r}, who is not in the customer table; "
                "add the customer, or leave out --customers"
            )


def _as_text(name: str, dtypes: dict[str, Any]) -> pl.Expr:
    """Write names as text so that 30 and 30.0 read the same, as `core.align.as_text` does."""
    column, dtype = pl.col(name), dtypes[name]
    if dtype.is_float():
        whole = (column == column.round()) & (column.abs() < 2**53)
        text = (
            pl.when(whole).then(column.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(column.cast(pl.String))
        )
    else:
        text = column.cast(pl.String)
    return text.str.strip_chars()
