"""Hierarchies of text: masked characters, prefixes, neighbours in an order, groups from a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
import polars as pl

from icefire.core.errors import InputError, ParameterError, nearest
from icefire.hierarchy.core import TOP, Hierarchy
from icefire.hierarchy.fitting import as_text
from icefire.hierarchy.stacking import distinct_values, stack


def suppression(column: pl.Series) -> Hierarchy:
    """Keep the value, or let it become `*`."""
    return stack(column.name, as_text(distinct_values(column)), [], "the value or *")


def redaction(column: pl.Series, *, side: Literal["right", "left"] = "right", step: int = 1) -> Hierarchy:
    """Mask `step` more characters with * at each level, from one side; the top is a single `*`."""
    if side not in ("right", "left") or step < 1:
        raise ParameterError(f"redaction of {column.name!r}: side is {side!r}, step {step!r}; take right or left, >= 1")
    values = as_text(distinct_values(column))
    longest = max(map(len, values))
    levels = [_masked(values, masked, side) for masked in range(step, longest, step)]
    return stack(column.name, values, levels, f"characters masked from the {side}, {step} at each level")


def _masked(values: pl.Series, masked: int, side: str) -> pl.Series:
    def one(value: str) -> str:
        hidden = min(masked, len(value))
        shown = len(value) - hidden
        return value[:shown] + TOP * hidden if side == "right" else TOP * hidden + value[hidden:]

    return pl.Series([one(value) for value in values], dtype=pl.String)


def prefixes(column: pl.Series, *, lengths: Sequence[int]) -> Hierarchy:
    """Keep the first characters only: `lengths` of them at levels 1, 2, …, followed by *; the top is `*`."""
    if not lengths or lengths[-1] < 1 or any(b >= a for a, b in pairwise(lengths)):
        raise ParameterError(f"prefixes of {column.name!r}: lengths are {list(lengths)}; give them falling, at least 1")
    values = as_text(distinct_values(column))
    levels = [
        pl.Series([value[:kept] + TOP if len(value) > kept else value for value in values], dtype=pl.String)
        for kept in lengths
    ]
    return stack(column.name, values, levels, f"the first {', '.join(map(str, lengths))} characters")


def ordering(column: pl.Series, *, order: Sequence[str] | None = None, size: int = 2, fanout: int = 2) -> Hierarchy:
    """Join `size` neighbours in an order, then `fanout` of these, and so on; the top is `*`.

    The order is the one given (every value once), or ascending. A group is written "first … last".
    """
    if size < 2 or fanout < 2:
        raise ParameterError(f"ordering of {column.name!r}: size is {size}, fanout {fanout}; both are at least 2")
    present = as_text(distinct_values(column))
    values = present if order is None else pl.Series(list(order), dtype=pl.String)
    _check_all_named(column.name, present, values.to_list())
    levels, joined = [], size
    while joined < len(values):
        groups = [values[first : first + joined] for first in range(0, len(values), joined)]
        names = [group[0] if len(group) == 1 else f"{group[0]} … {group[-1]}" for group in groups]
        levels.append(pl.Series(names, dtype=pl.String).gather(np.arange(len(values)) // joined))
        joined *= fanout
    return stack(column.name, values, levels, f"{size} neighbours, then {fanout} groups joined at each level")


def grouping(column: pl.Series, *levels: Mapping[str, Sequence[str]], other: str | None = None) -> Hierarchy:
    """Group values by labelled lists, {"Europe": ["England", "France"], …}; a further mapping groups those labels.

    A value in no list is an error, or goes to `other`; the top is `*`.
    """
    values = as_text(distinct_values(column))
    columns: list[pl.Series] = []
    current = values
    for groups in levels:
        home = _homes(column.name, groups)
        if other is None:
            _check_all_named(column.name, current, list(home))
        current = pl.Series([home.get(value, other) for value in current], dtype=pl.String)
        columns.append(current)
    return stack(column.name, values, columns, "grouped by list")


def _homes(name: str, groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    home: dict[str, str] = {}
    for label, members in groups.items():
        for member in members:
            if home.setdefault(str(member), label) != label:
                raise InputError(
                    f"grouping of {name!r}: {member!r} is in {home[str(member)]!r} and in {label!r}; put it in one"
                )
    return home


def _check_all_named(name: str, present: pl.Series, named: Sequence[str]) -> None:
    missing = [value for value in present if value not in set(named)]
    if missing:
        close = nearest(missing[0], named)
        hint = f"; did you mean {close!r}?" if close else ""
        raise InputError(f"column {name!r}: value {missing[0]!r} is in no group and has no place{hint}; name it")
