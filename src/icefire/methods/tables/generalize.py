"""Replace values by what they are in general: bands, groups, dates, prefixes, levels of a hierarchy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import polars as pl

from icefire import hierarchy
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, listing
from icefire.core.parameters import Bounds, Columns, Groups, Numbers
from icefire.core.registry import method
from icefire.hierarchy import Hierarchy
from icefire.methods.common.columns import picked


@method(
    "generalize",
    draws=False,
    drops_rows=False,
    files=("hierarchies",),
    defaults={
        "columns": "the quasi-identifiers",
        "level": "1; with `top` the last one",
        "hierarchies": "inferred from the values, unless another way is given",
    },
    in_partitions="values",
)
def generalize(
    data: Dataset,
    *,
    rng: np.random.Generator,
    columns: Columns = None,
    level: Annotated[int, Bounds(1)] | None = None,
    top: bool = False,
    width: Annotated[float, Bounds(1e-9)] | None = None,
    cuts: Numbers = None,
    groups: Groups = None,
    other: str | None = None,
    prefix: Annotated[int, Bounds(1)] | None = None,
    unit: str | None = None,
    hierarchies: str | None = None,
) -> Dataset:
    """Replace every value of some columns by what it is in general, in the same way in all rows.

    Numbers become bands (`width`, `cuts`), categories become groups (`groups`: coffee and tea become beverage), codes
    keep their first characters (`prefix`), dates keep their month, quarter, year or decade (`unit`). With none of these
    a hierarchy is used, of the folder `hierarchies` or inferred from the values. `level` goes further up in the same
    way: bands are doubled at each level. Released values are labels, as text; missing values stay missing.

    Args:
        data: The table.
        rng: Unused; part of every method's signature.
        columns: Columns to change, of any role. Default: the quasi-identifiers.
        level: Level of the hierarchy; above its highest, the highest. Default: 1.
        top: Whether to go to the highest level, where everything is `*`.
        width: Width of bands of numbers, counted from 0.
        cuts: Where bands of numbers begin: [18, 40, 65].
        groups: The values of each group: {beverage = ["coffee", "tea"]}; others stay, or become `other`.
        other: Name of the group of all values that are in no group. Default: they stay as they are.
        prefix: Number of characters kept of codes and text; the rest becomes `*`.
        unit: What is kept of dates: month, quarter, year or decade.
        hierarchies: Folder with a file per column, as of `k_anonymize`. Default: inferred from the values.

    Returns:
        The table with general values; the notes count the values of each column before and after.

    Raises:
        ParameterError: If ways contradict each other, or do not fit a column.
        InputError: If a hierarchy cannot be read or lacks a value.
    """
    ways = {"width": width, "cuts": cuts, "groups": groups, "prefix": prefix, "unit": unit, "hierarchies": hierarchies}
    _check_ways(ways, other, level, top)
    changed, counts = [], {}
    for name in picked(data, "generalize", columns, data.qi):
        column = data.frame[name]
        known = _hierarchy(column, width, cuts, groups, other, prefix, unit, hierarchies)
        reached = known.top if top else min(level or 1, known.top)
        general = hierarchy.fit(known, column).released(reached)
        counts[name] = f"{column.n_unique()} to {general.n_unique()}"
        changed.append(general)
    return data.with_columns(*changed).noted(values=counts)


def _check_ways(ways: Mapping[str, object], other: str | None, level: int | None, top: bool) -> None:
    given = [name for name, value in ways.items() if value is not None]
    if len(given) > 1:
        raise ParameterError(f"generalize: got {listing(given)}; give one of them, and a step for each way")
    if other is not None and ways["groups"] is None:
        raise ParameterError(f"generalize: other is {other!r}, but there are no groups; give groups as well")
    if top and level is not None:
        raise ParameterError(f"generalize: got level {level} and top; give one of them")


def _hierarchy(
    column: pl.Series,
    width: float | None,
    cuts: Numbers,
    groups: Groups,
    other: str | None,
    prefix: int | None,
    unit: str | None,
    hierarchies: str | None,
) -> Hierarchy:
    """Build the hierarchy of one column in the way that was asked for."""
    if width is not None:
        return _bands(column, width)
    if cuts is not None:
        return hierarchy.intervals(column, cuts=cuts)
    if groups is not None:
        return hierarchy.grouping(column.cast(pl.String), _completed(column, groups, other), other=other)
    if prefix is not None:
        return _prefixes(column, prefix)
    if unit is not None:
        return _dates(column, unit)
    if hierarchies is not None:
        return hierarchy.read_folder(hierarchies, [column.name])[column.name]
    return hierarchy.infer(column)


def _bands(column: pl.Series, width: float) -> Hierarchy:
    if column.dtype.is_integer() and width <= 1:
        raise _joins_nothing(column.name, f"width {width:g}")
    return hierarchy.intervals(column, width=width)


def _joins_nothing(name: str, way: str) -> ParameterError:
    return ParameterError(f"generalize: {way} joins no values of column {name!r}; choose another")


def _completed(column: pl.Series, groups: dict[str, tuple[str, ...]], other: str | None) -> dict[str, tuple[str, ...]]:
    """Give every value that is in no group one of its own, unless there is a group for all others."""
    present = set(column.drop_nulls().cast(pl.String).unique())
    inside = {value for values in groups.values() for value in values}
    if not inside & present:
        raise ParameterError(
            f"generalize: no value of the groups is in column {column.name!r}; it holds {listing(sorted(present))}"
        )
    if other is not None:
        return groups
    alone = sorted(present - inside)
    return {**groups, **{value: (*groups.get(value, ()), value) for value in alone}}


def _prefixes(column: pl.Series, prefix: int) -> Hierarchy:
    if column.dtype != pl.String:
        raise ParameterError(
            f"generalize: prefix is for text and codes, but column {column.name!r} was read as {column.dtype}; "
            "declare it as a category, or use width"
        )
    longest = int(column.str.len_chars().max() or 0)  # type: ignore[arg-type]
    if prefix >= longest:
        raise ParameterError(f"generalize: prefix is {prefix}, but no value of {column.name!r} has more characters")
    return hierarchy.prefixes(column, lengths=range(prefix, 0, -1))


def _dates(column: pl.Series, unit: str) -> Hierarchy:
    known = list(hierarchy.UNITS)
    if unit not in known:
        raise ParameterError(f"generalize: unit is {unit!r}; it takes one of {listing(known)}")
    if unit == "day" and (column.dtype == pl.Date or column.dtype == pl.String):
        raise _joins_nothing(column.name, "unit day")
    return hierarchy.dates(column, units=known[known.index(unit) :])
