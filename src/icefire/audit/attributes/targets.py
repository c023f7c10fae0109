"""Whom the question of hidden values is asked about: people in the data and, as a control, people outside."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from icefire.core import seeds
from icefire.core.attribute import AttributeCase
from icefire.core.dataset import Dataset
from icefire.core.schema import Role, Schema
from icefire.kernels.evidence.votes import ListedRows
from icefire.kernels.types import Int

MOST_ASKED = 1_000
"""People asked about, if there are more: drawn at random."""
COMPARISONS = 1_500_000_000
"""Cells compared with one another at most, so that very large releases take seconds."""
LEAST_ASKED = 200
NOBODY = -2
"""The person of a target whom no released row was made from."""


@dataclass(frozen=True, slots=True)
class AskedPeople:
    """People asked about, the case that attackers receive, and whose rows are whose."""

    rows: Int
    """Of each target, the row of its table."""
    case: AttributeCase
    """With any secret; see `asking`."""
    person: Int
    """The original row of each target, or nobody."""
    origin: Int
    """The original row of each released row of the case, -1 for none."""
    _own: list[list[Int]] = field(default_factory=list, repr=False, compare=False)
    """The rows made from each target, once they were looked for; the same about every column."""

    def asking(self, secret: str) -> AttributeCase:
        """Return the case about one column; what was computed about the known columns is shared."""
        return replace(self.case, secret=secret)

    def evidence(self, start: Int, rows: Int, first_only: bool) -> ListedRows:
        """Return the evidence of an attack as the kernels take it."""
        return ListedRows(start, rows, self.person, self.origin, first_only)

    def own_rows(self) -> list[Int]:
        """Return for each target the released rows made from it."""
        if not self._own:
            self._own.append(self._find_own_rows())
        return self._own[0]

    def _find_own_rows(self) -> list[Int]:
        theirs = np.flatnonzero(np.isin(self.origin, self.person))
        order = theirs[np.argsort(self.origin[theirs], kind="stable")]
        begin, end = (np.searchsorted(self.origin[order], self.person, side) for side in ("left", "right"))
        return [order[first:last] for first, last in zip(begin, end, strict=True)]


@dataclass(frozen=True, slots=True)
class AttributeOptions:
    """How hidden values are asked about."""

    tolerance: float = 0.1
    """A number is right within this share of the interquartile range."""
    tau: float = 0.95
    """A value is certain from this share of the covering rows."""


@dataclass(frozen=True, slots=True)
class AttributeQuestion:
    """A shuffled release, the people asked about, and the controls."""

    original: Dataset
    released: Dataset
    """Shuffled, as attackers see it."""
    members: AskedPeople
    outsiders: AskedPeople | None
    """People of the hold-out; without one the control is leave-one-out."""
    holdout: Dataset | None
    options: AttributeOptions
    people_in_release: int
    order: Int
    """Row j of the case is number order[j] of the released file."""

    @property
    def known(self) -> tuple[str, ...]:
        """The columns known."""
        return self.members.case.columns

    @property
    def secrets(self) -> tuple[str, ...]:
        """The sensitive columns, or those that may be."""
        return secret_columns(self.original, self.released)


@dataclass(frozen=True, slots=True)
class ControlPeople:
    """People of the same population who are not in the data."""

    people: Dataset
    """With all columns; the sensitive ones are what guesses are compared with."""
    as_known: Dataset | None = None
    """The same people as the attacker knows them. Default: as they are."""


def known_part(data: Dataset, columns: tuple[str, ...]) -> Dataset:
    """Return a table with the known columns and no others."""
    schema = Schema(tuple(column for column in data.schema.columns if column.name in columns), data.schema.origin)
    return Dataset(data.frame.select(schema.names), schema, data.name)


def secret_columns(original: Dataset, released: Dataset) -> tuple[str, ...]:
    """Return the sensitive columns released; where none is declared, those without a role, which may be sensitive."""
    secrets = original.sa or tuple(c.name for c in original.schema.columns if c.role is Role.OTHER)
    return tuple(name for name in secrets if name in released.frame.columns)


def columns_known(original: Dataset, released: Dataset) -> tuple[str, ...]:
    """Return the quasi-identifiers; where there are none, everything but identifiers."""
    shared = [c for c in original.schema.columns if c.name in released.frame.columns and c.role is not Role.ID]
    known = tuple(c.name for c in shared if c.role is Role.QI)
    return known or tuple(c.name for c in shared)


def most_asked(released: Dataset, columns: int) -> int:
    """Return how many people are asked about at most."""
    affordable = COMPARISONS // max(1, released.height * max(1, columns))
    return max(LEAST_ASKED, min(MOST_ASKED, affordable))


def people_behind(origin: Int, people: int) -> Int:
    """Return the people of whom there are released rows, in ascending order."""
    there = np.zeros(people, np.bool_)
    there[origin[origin >= 0]] = True
    return np.flatnonzero(there)


def draw_people(rows: Int, most: int, seed: int, label: str) -> Int:
    """Draw some of the people, all if there are no more; in ascending order."""
    if len(rows) <= most:
        return rows
    return np.sort(seeds.generator(seed, label).choice(rows, most, replace=False))


def asked_people(known: Dataset, rows: Int, case: AttributeCase, origin: Int, *, in_data: bool) -> AskedPeople:
    """Put the question about some people: their known columns, and their rows in the original or the hold-out."""
    person = rows.astype(np.int64) if in_data else np.full(len(rows), NOBODY, np.int64)
    return AskedPeople(rows, replace(case, known=known, _cache={}), person, origin)
