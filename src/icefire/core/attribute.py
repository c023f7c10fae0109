"""Hidden values: the case that attackers on a sensitive column receive, and the form of their answers.

The targets are people of whom some columns are known. An answer is released rows as evidence (the judge takes the
commonest of their values, the median, or the first), or values themselves. No attack sees which row is whose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from icefire.core.cache import CachedProperties
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.kernels.types import Int

EvidenceRule = Literal["commonest", "first"]


@dataclass(frozen=True, slots=True)
class AttributeCase(CachedProperties):
    """What the attacker holds: known columns of people, the released table, and the column he wants to know."""

    known: Dataset
    """The targets, with the columns known and no others."""
    released: Dataset
    secret: str
    """A column of the release that is not known."""
    everybody: Dataset
    """The known columns of all people the release was made from: they show what a released label stands for."""
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """Shared by the cases of one table that differ in the secret alone."""

    @property
    def targets(self) -> int:
        """Number of questions: one per person."""
        return self.known.height

    @property
    def choices(self) -> int:
        """Number of released rows that may be evidence."""
        return self.released.height

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns known."""
        return self.known.schema.names


@dataclass(frozen=True, slots=True)
class AttributeGuess:
    """An attacker's answers: for every target released rows as evidence, or a value."""

    start: Int
    """Target i has the evidence rows[start[i]:start[i + 1]], best first; a row named twice counts twice."""
    rows: Int
    rule: EvidenceRule = "commonest"
    """Whether the commonest value (of numbers the median) of the evidence is the answer, or the first row's value."""
    values: pl.Series | None = None
    """Values in place of evidence, one per target; missing for no answer."""

    @classmethod
    def of_values(cls, values: pl.Series) -> AttributeGuess:
        """Return answers that are values."""
        return cls(np.zeros(len(values) + 1, np.int64), np.empty(0, np.int64), values=values)

    def checked(self, targets: int, choices: int) -> AttributeGuess:
        """Return itself if it answers so many questions with rows below `choices`, or with values."""
        if self.values is not None and len(self.values) != targets:
            raise InputError(f"the guess has {len(self.values):,} values for {targets:,} targets; give one for each")
        if len(self.start) != targets + 1:
            raise InputError(
                f"the guess has evidence for {len(self.start) - 1:,} targets, but there are {targets:,}; "
                "give one list of rows for each"
            )
        if self.start[0] != 0 or self.start[-1] != len(self.rows) or (np.diff(self.start) < 0).any():
            raise InputError(
                f"the lists of evidence do not fit together: they must divide the {len(self.rows):,} rows in order"
            )
        wrong = np.flatnonzero((self.rows < 0) | (self.rows >= choices))
        if len(wrong):
            raise InputError(
                f"the evidence is out of range: {self.rows[wrong[0]]}; allowed are the released rows 0 to {choices - 1}"
            )
        return self
