"""Views: what an attacker with some knowledge holds, made by the judge from the original.

A view also says who the people in it are. That is the judge's alone: attacks receive its table, nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import polars as pl

from icefire.core import seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import SchemaError, did_you_mean, listing
from icefire.core.knowledge import NOTATION, Knowledge, KnownColumn
from icefire.core.profiles import PROFILES
from icefire.core.release import NO_ANSWER, Truth
from icefire.core.schema import Role, Schema
from icefire.kernels.types import Int

DataT = TypeVar("DataT")


@dataclass(frozen=True, slots=True)
class View(Generic[DataT]):
    """The people whom an attacker knows as he knows them, and who they are."""

    known: DataT
    people: Int
    """The original row (of a history: subject) of everybody known; -1 for a stranger, who is not in the original."""
    originals: int
    """Number of people in the original."""

    def __repr__(self) -> str:
        return f"View(<{len(self.people)} people, secret>)"

    @property
    def knows_everybody(self) -> bool:
        """Whether the people known are those of the original, all and no others."""
        return not self.strangers and len(self.people) == self.originals

    @property
    def strangers(self) -> int:
        """Number of people known who are not in the original."""
        return int((self.people == NO_ANSWER).sum())

    @property
    def places(self) -> Int:
        """Of everybody in the original the row of the view; -1 for people who are not known."""
        place = np.full(self.originals, NO_ANSWER, np.int64)
        inside = np.flatnonzero(self.people != NO_ANSWER)
        place[self.people[inside]] = inside
        return place

    def truth(self, truth: Truth) -> Truth:
        """Return for every released row the row of the view its person has; -1 where the person is not known."""
        return Truth(np.append(self.places, NO_ANSWER)[truth.rows])

    def original_rows(self, rows: Int) -> Int:
        """Return the original rows of rows of the view; strangers and no answer are -1."""
        return np.append(self.people, NO_ANSWER)[rows]


def view(original: Dataset, knowledge: Knowledge, rng: np.random.Generator) -> View[Dataset]:
    """Make what an attacker with some knowledge holds of a table.

    With generators of the same state, whoever knows more people knows those whom the others know, and a column is
    blurred in the same way whichever other columns are known.

    Args:
        original: The table with everybody.
        knowledge: The columns known, how well, and of how many.
        rng: The generator of everything that is drawn.

    Returns:
        The table of the people known, in the order of the original, with the columns known alone, and who they are.

    Raises:
        SchemaError: If a column is not in the table, is a direct identifier, or has to be a number and is none.
    """
    seed = int(rng.integers(1 << 62))
    people = known_people(original.height, knowledge.share, seed)
    if knowledge.columns is None:
        return View(original if len(people) == original.height else original.take(people), people, original.height)
    _check_names(original, knowledge.columns)
    named = {column.name: column for column in knowledge.columns}
    kept = tuple(column for column in original.schema.columns if column.name in named)
    columns = [blurred(original.frame[column.name], named[column.name], seed) for column in kept]
    known = Dataset(pl.DataFrame(columns)[people], Schema(kept, original.schema.origin), original.name)
    return View(known, people, original.height)


def known_people(people: int, share: float, seed: int) -> Int:
    """Return who is known, ascending: a share of everybody drawn at random, at least two people."""
    drawn = seeds.generator(seed, "people").permutation(people)[: max(2, round(share * people))]
    return np.sort(drawn).astype(np.int64)


def blurred(values: pl.Series, known: KnownColumn, seed: int) -> pl.Series:
    """Return a column as it is known: first some values are wrong, then all are rounded or off by some amount.

    Whole numbers stay whole: they are off by a whole number. Missing values stay missing.

    Raises:
        SchemaError: If text or dates are to be rounded or known within a tolerance.
    """
    rng = seeds.generator(seed, "column", values.name)
    if (known.tolerance or known.step) and not values.dtype.is_numeric():
        raise SchemaError(
            f"column {values.name!r} holds no numbers, so it cannot be known {known.blur}; "
            f"leave it exact, or let it be wrong with a chance: {values.name}!0.1"
        )
    if known.error:
        wrong = rng.random(len(values)) < known.error
        place = np.where(wrong, rng.integers(0, len(values), len(values)), np.arange(len(values)))
        values = values.gather(place)
    if known.tolerance:
        values = _moved(values, known.tolerance, rng)
    return _rounded(values, known.step) if known.step else values


def _moved(values: pl.Series, tolerance: float, rng: np.random.Generator) -> pl.Series:
    if values.dtype.is_integer():
        most = int(tolerance)
        return (values.cast(pl.Int64) + pl.Series(rng.integers(-most, most + 1, len(values)))).alias(values.name)
    return (values + pl.Series(rng.uniform(-tolerance, tolerance, len(values)))).alias(values.name)


def _rounded(values: pl.Series, step: float) -> pl.Series:
    nearest = (values.cast(pl.Float64) / step + 0.5).floor() * step
    whole = values.dtype.is_integer() and step == int(step)
    return (nearest.cast(pl.Int64) if whole else nearest).alias(values.name)


def _check_names(original: Dataset, columns: tuple[KnownColumn, ...]) -> None:
    for column in columns:
        if column.name not in original.schema.names:
            written = f"; write it as {NOTATION}" if set(column.name) & set("~/!") else ""
            choices = (*original.schema.names, *PROFILES)
            raise SchemaError(f"knowledge: no column {column.name!r}; {did_you_mean(column.name, choices)}{written}")
        if original.schema[column.name].role is Role.ID:
            others = [one.name for one in original.schema.columns if one.role is not Role.ID]
            raise SchemaError(
                f"knowledge: {column.name!r} is a direct identifier, which no attack compares; "
                f"choose from: {listing(others)}"
            )


def whole_view(original: DataT, people: int) -> View[DataT]:
    """Return the view of an attacker who knows everything."""
    return View(original, np.arange(people, dtype=np.int64), people)
