"""Fit hierarchies to the quasi-identifiers, and to the population that the table was drawn from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import polars as pl

from icefire import hierarchy, models
from icefire.core import align
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, ParameterError, SchemaError, did_you_mean
from icefire.core.reading import Expected
from icefire.hierarchy import Fitted, Hierarchy, Unseen
from icefire.io.tables import read_frame
from icefire.models import PopulationIndex


def fitted(data: Dataset, names: Sequence[str], folder: str | None, unseen: Unseen = "error") -> list[Fitted]:
    """Lay over each column the hierarchy from its file in the folder or, without a folder, an inferred one."""
    known = hierarchies(folder, names)
    return [_fit(known[name], data.frame[name], unseen) for name in names]


def with_population(
    data: Dataset, people: pl.DataFrame, names: Sequence[str], folder: str | None, unseen: Unseen = "error"
) -> tuple[list[Fitted], PopulationIndex]:
    """Lay hierarchies that know the values of both over the table and over the people it was drawn from."""
    known = hierarchies(folder, names)
    both = [_together(data, people, name, known[name], unseen) for name in names]
    population = models.index_population(both, data.height)
    return [replace(column, numbers=column.numbers[: data.height]) for column in both], population


def hierarchies(folder: str | None, names: Sequence[str]) -> dict[str, Hierarchy | None]:
    """Read the hierarchy of every column; None for one that is inferred."""
    return dict.fromkeys(names) if folder is None else {**hierarchy.read_folder(folder, names)}


def _fit(known: Hierarchy | None, column: pl.Series, unseen: Unseen) -> Fitted:
    return hierarchy.fit_inferred(column) if known is None else hierarchy.fit(known, column, unseen)


def _together(data: Dataset, people: pl.DataFrame, name: str, known: Hierarchy | None, unseen: Unseen) -> Fitted:
    both = pl.concat(align.harmonise(data.frame[name], people[name], data.schema[name]))
    try:
        return _fit(known, both, unseen)
    except InputError:
        # Which of the two tables holds the value, and in which row?
        _fit(known, data.frame[name], unseen)
        check_population(people, {name: known}, unseen)
        raise


def check_population(people: pl.DataFrame, known: Mapping[str, Hierarchy | None], unseen: Unseen) -> None:
    """Refuse a population that holds a value its hierarchy does not list."""
    for name, tree in known.items():
        if tree is None:
            continue
        try:
            hierarchy.fit(tree, people[name], unseen)
        except InputError as error:
            raise InputError(f"population: {error}") from None


def read_population(path: str, names: Collection[str], least: int, text: Collection[str]) -> pl.DataFrame:
    """Read the people: a table with at least these columns and as many rows; the columns in `text` stay text."""
    people = read_frame(path, expected=Expected(text))
    for name in names:
        if name not in people.columns:
            raise SchemaError(
                f"population {path!r} has no column {name!r}; {did_you_mean(name, people.columns)}; "
                "it needs every quasi-identifier, named as in the table"
            )
    if people.height < max(least, 1):
        raise ParameterError(
            f"population {path!r} has {people.height:,} rows, fewer than the table's {least:,}; "
            "give everybody the table was drawn from, those in the table included"
        )
    return people.select(names)
