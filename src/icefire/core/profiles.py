"""Named attackers for any table: what each of them typically knows, by the roles of the columns."""

from __future__ import annotations

from typing import Literal, get_args

import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import SchemaError
from icefire.core.knowledge import Knowledge, KnownColumn

Profile = Literal["neighbour", "journalist", "insider", "maximum"]
PROFILES: tuple[Profile, ...] = get_args(Profile)
"""From the one who knows least to the one who knows everything."""
MAXIMUM: Profile = "maximum"
EVERYTHING = "everything: all columns of everybody in the original, exactly"
ROUGHLY = 0.05
"""A neighbour knows numbers within this share of the range that nine of ten people lie in."""
OUT_OF_DATE = 0.05
"""Chance that another value that a neighbour knows is wrong."""
REGISTERED = 0.5
"""Share of the people in the register that a journalist holds."""


def profile(name: Profile, data: Dataset) -> Knowledge:
    """Return what a named attacker knows of the people in a table.

    Args:
        name: The profile.
        data: The original, whose roles decide which columns are known.

    Raises:
        SchemaError: If the table has no quasi-identifier for a profile that knows these.
    """
    if name == MAXIMUM:
        return Knowledge(name=name, scenario=EVERYTHING)
    if not data.qi:
        raise SchemaError(
            f"the profile {name!r} knows the quasi-identifiers, but no column is one; name them with --qi, "
            "or name the columns known"
        )
    exactly = tuple(KnownColumn(column) for column in data.qi)
    if name == "neighbour":
        return Knowledge(
            tuple(_roughly(data.frame[column]) for column in data.qi),
            name=name,
            scenario="what neighbours and acquaintances see and hear: the quasi-identifiers of everybody, numbers "
            "roughly, other values out of date for one in twenty",
        )
    if name == "journalist":
        return Knowledge(
            exactly,
            REGISTERED,
            name,
            "a register such as an electoral roll or a directory: the exact quasi-identifiers of half the people",
        )
    some = data.sa[: (len(data.sa) + 1) // 2]
    return Knowledge(
        exactly + tuple(KnownColumn(column) for column in some),
        name=name,
        scenario="the files of one department: the exact quasi-identifiers and "
        f"{len(some)} of {len(data.sa)} sensitive values of everybody",
    )


def _roughly(values: pl.Series) -> KnownColumn:
    """Return how a neighbour knows a column; codes and small counts are exact or wrong, not off by some amount."""
    if values.dtype.is_numeric():
        low, high = (values.quantile(share, "nearest") for share in (0.05, 0.95))
        tolerance = 0.0 if low is None or high is None else ROUGHLY * (high - low)
        if tolerance >= 1 or (tolerance > 0 and values.dtype.is_float()):
            return KnownColumn(values.name, tolerance=float(f"{tolerance:.2g}" if tolerance < 1 else int(tolerance)))
    return KnownColumn(values.name, error=OUT_OF_DATE)
