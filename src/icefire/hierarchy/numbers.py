"""Hierarchies of numbers: intervals that grow, and rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from icefire.core.errors import InputError, ParameterError
from icefire.hierarchy.core import Hierarchy
from icefire.hierarchy.fitting import as_text
from icefire.hierarchy.stacking import distinct_values, stack
from icefire.kernels.types import Float, Int

DIGITS = 12
MOST_INTERVALS = 1 << 22


def intervals(
    column: pl.Series,
    *,
    width: float | None = None,
    cuts: Sequence[float] | None = None,
    fanout: int = 2,
    start: float = 0,
) -> Hierarchy:
    """Put numbers into intervals: of one `width`, counted from `start`, or between `cuts`.

    Each further level joins `fanout` neighbours, until one is left; the top is `*`. An interval holds its lower end
    and not its upper one; whole numbers are written 20-24, others [20, 25).
    """
    if (width is None) == (cuts is None):
        raise ParameterError(f"intervals of {column.name!r}: give either width or cuts, got {width!r} and {cuts!r}")
    if fanout < 2:
        raise ParameterError(f"intervals of {column.name!r}: fanout is {fanout}; at least 2 neighbours can be joined")
    values = _numbers(column)
    whole = column.dtype.is_integer() and all(float(end).is_integer() for end in (width or 1, start, *(cuts or ())))
    edges = _even(values, width, start, fanout) if width is not None else _given(column.name, cuts or ())
    places = np.maximum(0, np.searchsorted(edges, values.to_numpy(), side="right") - 1)
    levels, step = [], 1
    while len(np.unique(places // step)) > 1:
        levels.append(_labels(edges, places // step, step, whole))
        step *= fanout
    said = (
        f"intervals of {width:g}"
        if width is not None
        else f"intervals cut at {', '.join(f'{c:g}' for c in cuts or ())}"
    )
    joined = "doubled" if fanout == 2 else f"joined by {fanout}"
    return stack(column.name, as_text(values), levels, f"{said}, {joined} at each level")


def _numbers(column: pl.Series) -> pl.Series:
    if not column.dtype.is_numeric():
        raise InputError(f"column {column.name!r} holds {column.dtype}, not numbers; group its values in another way")
    values = distinct_values(column)
    if values.dtype.is_float() and not values.is_finite().all():
        raise InputError(f"column {column.name!r} holds a number that is not finite; make it missing first")
    return values


def _even(values: pl.Series, width: float, start: float, fanout: int) -> Float:
    """Ends of intervals of one width that cover the values, so that joined ones begin at multiples, too."""
    if not width > 0:
        raise ParameterError(f"intervals of {values.name!r}: width is {width!r}; it must be more than 0")
    low, high = (math.floor((float(end) - start) / width) for end in (values.min(), values.max()))  # type: ignore[arg-type]
    # Begin at a multiple of all the widths to come: joined intervals then have round ends.
    grain = 1
    while grain <= high - low:
        grain *= fanout
    first = low // grain * grain
    if high - first >= MOST_INTERVALS:
        raise ParameterError(
            f"intervals of {values.name!r}: width {width:g} makes {high - low + 1:,} intervals; choose a wider one"
        )
    return start + width * np.arange(first, high + 2, dtype=float)


def _given(name: str, cuts: Sequence[float]) -> Float:
    if not cuts or any(b <= a for a, b in pairwise(cuts)):
        raise ParameterError(f"intervals of {name!r}: cuts are {list(cuts)}; give at least one, in ascending order")
    return np.array([-np.inf, *cuts, np.inf])


def _labels(edges: Float, places: Int, step: int, whole: bool) -> pl.Series:
    distinct, which = np.unique(places, return_inverse=True)
    last = len(edges) - 1
    names = [_label(edges[p * step], _end(edges, (p + 1) * step, last), whole) for p in distinct]
    return pl.Series(names, dtype=pl.String).gather(which)


def _end(edges: Float, place: int, last: int) -> float:
    """The upper end of an interval; beyond the last, as far as the width goes on."""
    if place <= last or np.isinf(edges[last]):
        return float(edges[min(place, last)])
    return float(edges[last] + (place - last) * (edges[1] - edges[0]))


def _label(low: float, high: float, whole: bool) -> str:
    if np.isinf(low):
        return f"<{_number(high)}"
    if np.isinf(high):
        return f">={_number(low)}"
    if not whole:
        return f"[{_number(low)}, {_number(high)})"
    if high - low == 1:
        return _number(low)
    return f"{_number(low)}{'-' if low >= 0 else '..'}{_number(high - 1)}"


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else f"{value:.{DIGITS}g}"


def rounding(column: pl.Series, *, to: float = 10, factor: int = 10) -> Hierarchy:
    """Round to multiples of `to`, then to multiples `factor` times as large, and so on; the top is `*`.

    Each level rounds what the level below released, halves to the even multiple, so that the levels form a tree.
    """
    if not to > 0 or factor < 2:
        raise ParameterError(f"rounding of {column.name!r}: to is {to!r}, factor {factor!r}; take to > 0, factor >= 2")
    values = _numbers(column)
    levels, unit = [], float(to)
    multiples = np.rint(values.to_numpy() / unit)
    while len(np.unique(multiples)) > 1:
        levels.append(pl.Series([_number(multiple * unit) for multiple in multiples], dtype=pl.String))
        multiples, unit = np.rint(multiples / factor), unit * factor
    return stack(
        column.name, as_text(values), levels, f"rounded to {to:g}, then {factor} times as coarse at each level"
    )
