"""What an attacker of a synthetic release knows of the people asked about, in the original and outside alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from icefire.audit.synthetic.tables import SyntheticTables
from icefire.core import seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.knowledge import Knowledge
from icefire.core.profiles import EVERYTHING, MAXIMUM
from icefire.core.schema import Role
from icefire.core.views import View, known_people, view


@dataclass(frozen=True, slots=True)
class PeopleAsKnown:
    """The people of all tables as one attacker knows them. People inside and outside are known equally well."""

    name: str
    words: str
    """What is known, completing "an attacker who knows …"."""
    inside: View[Dataset]
    """The people of the original whom the attacker knows, with the columns known, and who they are."""
    outside: Dataset
    """People who are not in the data, with the same columns."""
    background: Dataset | None
    blurred: Mapping[str, str]
    """Of the columns that are not known exactly: how they differ, in words."""
    knows_everything: bool = False
    holds_register: bool = False
    """People inside and outside are those of a register, not of the original and the hold-out."""
    strangers: int = 0
    """People known who are not in the data and of whom a register tells."""

    @property
    def columns(self) -> list[str]:
        """The columns known."""
        return self.inside.known.frame.columns


def everything_known(tables: SyntheticTables, holdout: Dataset) -> PeopleAsKnown:
    """Return what the attacker holds who knows all columns of everybody."""
    people = View(tables.original, np.arange(tables.original.height), tables.original.height)
    return PeopleAsKnown(MAXIMUM, EVERYTHING, people, holdout, tables.background, {}, knows_everything=True)


def known_to(knowledge: Knowledge, tables: SyntheticTables, holdout: Dataset, seed: int) -> PeopleAsKnown:
    """Make what an attacker with some knowledge holds.

    All tables are blurred by the same draws, so that nobody is told from others by how well they are known. A share of
    the people is one of the people in the original; the others are the judge's controls and stay as many as they are.

    Args:
        knowledge: The columns known, how well, and of how many.
        tables: The tables compared.
        holdout: People outside the data.
        seed: Seed of the audit.

    Raises:
        SchemaError: If a column does not exist, is a direct identifier, or has to be a number and is none.
        InputError: If no column known is released.
    """
    name = knowledge.name or knowledge.words
    if knowledge.is_everything:
        return replace(everything_known(tables, holdout), name=name, words=knowledge.words)
    drawn = int(seeds.generator(seed, "knowledge").integers(1 << 62))
    people = known_people(tables.original.height, knowledge.share, drawn)
    if knowledge.columns is None:
        inside = View(tables.original.take(people), people, tables.original.height)
        return PeopleAsKnown(name, knowledge.words, inside, holdout, tables.background, {})
    parts = [tables.original, holdout, *([] if tables.background is None else [tables.background])]
    released = _released_part(knowledge, tables)
    stacked = tables.original.with_frame(pl.concat([_whole_numbers(part.frame, tables) for part in parts]))
    seen = view(stacked, replace(released, share=1.0), np.random.default_rng(drawn)).known
    known = seen.with_frame(
        seen.frame.with_columns(pl.col(name).cast(pl.Float64) for name in seen.frame.columns if _is_number(seen, name))
    )
    ends = np.cumsum([part.height for part in parts])
    tables_known = [known.take(np.arange(end - part.height, end)) for part, end in zip(parts, ends, strict=True)]
    inside = View(tables_known[0].take(people), people, tables.original.height)
    blurred = {column.name: column.blur for column in released.columns or () if column.blur}
    background = tables_known[2] if tables.background is not None else None
    return PeopleAsKnown(name, knowledge.words, inside, tables_known[1], background, blurred)


def _released_part(knowledge: Knowledge, tables: SyntheticTables) -> Knowledge:
    """Leave out the columns known that are not in the release; those that do not exist stay, and are refused later."""
    hidden = tables.original_as_read.schema.named(Role.ID)
    not_released = [name for name in tables.original_as_read.frame.columns if name not in tables.compared]
    kept = tuple(c for c in knowledge.columns or () if c.name not in not_released or c.name in hidden)
    if not kept:
        raise InputError(
            f"the attacker {knowledge.name or knowledge.words!r} knows no column that is released; name another column"
        )
    return replace(knowledge, columns=kept)


def _whole_numbers(frame: pl.DataFrame, tables: SyntheticTables) -> pl.DataFrame:
    """Return whole numbers as such, so that they are known as whole numbers."""
    read = tables.original_as_read.frame
    names = [name for name in frame.columns if read[name].dtype.is_integer() and frame[name].dtype.is_numeric()]
    return frame.with_columns(pl.col(name).round().cast(pl.Int64) for name in names)


def _is_number(data: Dataset, name: str) -> bool:
    return data.frame[name].dtype.is_numeric()
