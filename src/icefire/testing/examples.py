"""Small example data of every kind to run registered functions on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from icefire import recipe
from icefire.audit.kinds import adapter_of
from icefire.core import roles
from icefire.core.dataset import Dataset
from icefire.core.history import Fields, History, publish
from icefire.core.history.history import positions
from icefire.core.history.publishing import with_origin
from icefire.core.linking import LinkingCase
from icefire.core.membership import MembershipCase
from icefire.core.registry import Entry
from icefire.core.release import Truth

NOT_COLUMNS = ("original", "truth", "population")
"""Needs of measures that every example meets."""
FIELDS = Fields("customer", "goods", "receipt", "date", "time", "price", "number")


@dataclass(frozen=True, slots=True)
class Example:
    """An original, a release of it, and the truth."""

    original: Any
    released: Any
    truth: Truth
    make_case: Callable[[Any, Any], Any]
    """From the original and the release to what an attack receives."""

    def case(self) -> Any:
        """Return what an attack receives, with nothing computed yet."""
        return self.make_case(self.original, self.released)

    def comparison(self) -> Any:
        """Return what a measure receives."""
        return adapter_of(self.original).compare(self.case(), self.truth)

    def unchanged(self) -> Example:
        """Return a release in which nothing changed."""
        return Example(self.original, self.original, Truth(np.arange(self.original.people)), self.make_case)

    def meets(self, entry: Entry) -> bool:
        """Tell whether there is every column that the entry needs; an attack needs it in the release, too."""
        needs = [need for need in entry.needs if need not in NOT_COLUMNS]
        tables = (self.original, self.released) if entry.sort == "attack" else (self.original,)
        return all(table.has(need) for need in needs for table in tables)


def examples_for(entry: Entry) -> list[Example]:
    """Return the examples of the kind of data and the question that an entry is for, as far as they meet its needs."""
    if entry.sort == "attack" and entry.question == "membership":
        every = membership()
    elif entry.sort == "attack" and entry.question == "linking":
        every = linking()
    else:
        every = histories() if entry.data == "history" else tables()
    return [example for example in every if example.meets(entry)]


@cache
def tables() -> tuple[Example, ...]:
    """Releases that between them have ties, missing values, text, deleted rows and a constant column."""
    steps = ([{"method": "noise", "scale": 0.3}], [{"method": "delete", "share": 0.3}, {"method": "swap"}])
    originals = [table for table in (people(), with_holes(people())) for _ in steps]
    releases = [
        recipe.run_recipe(x, recipe.load({"steps": s})) for x, s in zip(originals, [*steps, *steps], strict=True)
    ]
    return tuple(
        Example(x, release.released, release.truth, adapter_of(x).case)
        for x, release in zip(originals, releases, strict=True)
    )


@cache
def histories() -> tuple[Example, ...]:
    """Releases with rows gone: with all columns, with two columns only, with a customer who bought nothing."""
    full = purchases()
    bare = History(full.frame.select("customer", "goods"), Fields("customer", "goods"))
    described = full.with_customers(
        pl.DataFrame({"customer": [*full.names, "nobody"], "sex": ["f", "m"] * 7 + ["f"], "country": ["Here"] * 15})
    )
    released = []
    for number, data in enumerate((full, bare, described)):
        kept = with_origin(data).take(np.flatnonzero(np.arange(data.height) % 4 != number))
        release = publish(kept, data.names, {}, number)
        released.append(Example(data, release.released, release.truth, adapter_of(data).case))
    return tuple(released)


@cache
def membership() -> tuple[Example, ...]:
    """Records asked about, of which every third was left out: plain, with holes, only text, one asked, two released."""
    plain = people(30)
    words = plain.frame.select("job", "town")
    asked, kept = np.arange(0, 30, 2), np.flatnonzero(np.arange(30) % 3)
    full = [plain, with_holes(plain), Dataset(words, roles.choose(words, ("job", "town")))]
    pairs = [(table.take(asked), table.take(kept), asked, kept) for table in full]
    pairs.append((plain.take(asked[:1]), plain, asked[:1], np.arange(30)))
    pairs.append((plain, plain.take(kept[:2]), np.arange(30), kept[:2]))
    return tuple(
        Example(records, released, _places(who, rows), MembershipCase) for records, released, who, rows in pairs
    )


@cache
def linking() -> tuple[Example, ...]:
    """Two periods of histories: with all columns, with two columns only, with customers; not everybody is in both."""
    examples = []
    for whole in (example.original for example in histories()):
        late = whole.frame["customer"].is_in([f"c{code:02d}" for code in range(4, 14)])
        first, second = (_rows_of(whole, part) for part in (~late | (late.cum_sum() % 2 == 0), late))
        examples.append(Example(first, second, Truth(positions(first.names, second.names)), LinkingCase))
    return tuple(examples)


def _rows_of(data: History, chosen: pl.Series) -> History:
    """Some rows, and the customers who are in them."""
    frame = data.frame.filter(chosen)
    there = frame["customer"].unique().to_list()
    customers = None if data.customers is None else data.customers.filter(pl.col("customer").is_in(there))
    return data.with_frame(frame).with_customers(customers)


def _places(records: np.ndarray, released: np.ndarray) -> Truth:
    """For every record the released row it is; -1 for one that was left out."""
    place = np.full(30, -1, np.int64)
    place[released] = np.arange(len(released))
    return Truth(place[records])


def people(rows: int = 40) -> Dataset:
    """A table with ties, a constant quasi-identifier and a constant sensitive attribute."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 24, rows),
            "job": rng.choice(["cook", "nurse", "smith"], rows),
            "town": ["Here"] * rows,
            "income": rng.integers(0, 50, rows) * 100,
            "rent": rng.normal(500, 90, rows).round(2),
            "tax": [7] * rows,
        }
    )
    return Dataset(frame, roles.choose(frame, ("age", "job", "town"), ("income", "rent", "tax")))


def with_holes(data: Dataset) -> Dataset:
    """The same table with every fifth value of three columns missing."""
    every_fifth = pl.int_range(pl.len()) % 5 == 0
    return data.with_frame(
        data.frame.with_columns(
            pl.when(every_fifth).then(None).otherwise(pl.col(name)).alias(name) for name in ("age", "job", "income")
        )
    )


def purchases(subjects: int = 14) -> History:
    """A history with every column; frequent and rare goods."""
    rng = np.random.default_rng(3)
    rows = 12 * subjects
    who = np.concatenate([np.arange(subjects), rng.integers(0, subjects, rows - subjects)])
    visit = rng.integers(0, 4, rows)
    frame = pl.DataFrame(
        {
            "customer": [f"c{code:02d}" for code in who],
            "receipt": [f"r{code}-{v}" for code, v in zip(who, visit, strict=True)],
            "date": [f"2020/{1 + v}/{1 + code % 28}" for code, v in zip(who, visit, strict=True)],
            "time": ["9:30"] * rows,
            "goods": [f"g{int(g)}" for g in rng.geometric(0.12, rows)],
            "price": rng.integers(1, 40, rows) / 4,
            "number": rng.integers(1, 6, rows),
        }
    )
    return History(frame, FIELDS)
