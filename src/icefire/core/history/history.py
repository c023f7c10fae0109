"""History: a table of transactions, the meaning of its columns, and the table of customers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import ORIGIN, numbers
from icefire.core.display import ShownInNotebooks
from icefire.core.history import baskets, dates
from icefire.core.history.baskets import Baskets
from icefire.core.history.date_order import DateOrder
from icefire.core.history.fields import Fields
from icefire.core.reading import SourceReading
from icefire.kernels.types import Float, Int


@dataclass(frozen=True)
class History(ShownInNotebooks):
    """Transactions, what their columns mean, and the table of customers if there is one. Immutable.

    Subjects are numbered in the order of the customer table; without one, in ascending order of their names (as
    numbers where all are whole numbers). That number is what truth and guess speak of; it does not depend on the order
    of the transactions. A customer without transactions has an empty basket.
    """

    kind: ClassVar[Literal["history"]] = "history"
    frame: pl.DataFrame
    fields: Fields
    customers: pl.DataFrame | None = None
    """One row per subject, named in the column `fields.subject`."""
    name: str = "history"
    digest: str = ""
    dropped: int = 0
    """Rows that were left out on reading because they could not be used."""
    notes: dict[str, Any] = field(default_factory=dict, compare=False)
    """What a method wants the recipe as run to say."""
    reading: SourceReading | None = field(default=None, compare=False, repr=False)
    """What the source and its columns were read as; None for a history that was not read."""
    date_order: DateOrder | None = field(default=None, compare=False, repr=False)
    """Whether the day or the month came first in the file where dates ended with the year; here they are year first."""

    def __repr__(self) -> str:
        return f"<History {self.name!r}: {self.height:,} rows of {self.subjects:,} people>"

    @property
    def height(self) -> int:
        """Number of transactions."""
        return self.frame.height

    @property
    def subjects(self) -> int:
        """Number of subjects."""
        return len(self.names)

    @property
    def people(self) -> int:
        """Number of people: the subjects."""
        return self.subjects

    @property
    def side_tables(self) -> dict[str, pl.DataFrame]:
        """Tables that are published beside the transactions: the customers, where there is a table of them."""
        return {} if self.customers is None else {"customers": self.customers}

    @cached_property
    def names(self) -> pl.Series:
        """The subjects by number."""
        if self.customers is not None:
            return self.customers[self.fields.subject]
        return in_order(self.frame[self.fields.subject].unique())

    @cached_property
    def codes(self) -> Int:
        """The number of every row's subject."""
        return positions(self.frame[self.fields.subject], self.names)

    @cached_property
    def goods(self) -> pl.Series:
        """The distinct items, in ascending order."""
        return self.frame[self.fields.item].unique().sort()

    @cached_property
    def items(self) -> Int:
        """The number of every row's item in `goods`."""
        return blocks.dense_ranks(self.frame[self.fields.item]).to_numpy()

    @cached_property
    def baskets(self) -> Baskets:
        """The set of items of every subject."""
        return baskets.make_baskets(self.codes, self.items, self.subjects, len(self.goods))

    @cached_property
    def when(self) -> Int:
        """Seconds since 1970 of every row; all 0 where there is no date."""
        date, time = self.column("date"), self.column("time")
        return dates.seconds(date, time, self.height)

    @cached_property
    def latest(self) -> Int:
        """The last row of every subject in time, among equals the last in the file; -1 for one without rows."""
        order = np.lexsort((np.arange(self.height), self.when))
        last = np.full(self.subjects, -1, np.int64)
        last[self.codes[order]] = order
        return last

    @cached_property
    def prices(self) -> Float:
        """Price of every row; 1 where there is no price column."""
        return self._numbers("price")

    @cached_property
    def numbers(self) -> Float:
        """How many were bought, for every row; 1 where there is no such column."""
        return self._numbers("number")

    @property
    def origin(self) -> Int:
        """The original subject of every row: carried along while a recipe runs, else the row's own subject."""
        carried = ORIGIN in self.frame.columns
        return self.frame[ORIGIN].to_numpy().astype(np.int64) if carried else self.codes

    def _numbers(self, meaning: str) -> Float:
        column = self.column(meaning)
        return np.ones(self.height) if column is None else numbers(column)

    def column(self, meaning: str) -> pl.Series | None:
        """The column with this meaning, or None."""
        name = self.fields.present.get(meaning)
        return None if name is None else self.frame[name]

    def has(self, meaning: str) -> bool:
        """Tell whether there is a column with this meaning, or a table of "customers"."""
        return self.customers is not None if meaning == "customers" else meaning in self.fields.present

    def with_frame(self, frame: pl.DataFrame) -> History:
        """Return the same history over other transactions."""
        return replace(self, frame=frame)

    def with_customers(self, customers: pl.DataFrame | None) -> History:
        """Return the same transactions with another customer table."""
        return replace(self, customers=customers)

    def noted(self, **facts: Any) -> History:
        """Return the same history with facts about how it was made."""
        return replace(self, notes=facts)

    def take(self, rows: Int) -> History:
        """Return the rows named, in that order."""
        return self.with_frame(self.frame[rows])


def in_order(names: pl.Series) -> pl.Series:
    """Sort names, as numbers where all of them are whole numbers."""
    as_numbers = names.cast(pl.Int64, strict=False)
    return names.sort() if as_numbers.null_count() else names.gather(as_numbers.arg_sort())


def positions(values: pl.Series, names: pl.Series) -> Int:
    """Return the place of every value among the names; -1 for one that is not there."""
    known = pl.DataFrame({"name": names, "place": np.arange(len(names), dtype=np.int64)})
    places = pl.DataFrame({"name": values}).join(known, on="name", how="left", maintain_order="left")["place"]
    return places.fill_null(-1).to_numpy()
