"""Rounding to multiples."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset, numbers
from icefire.core.errors import ParameterError
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.kernels.types import Float
from icefire.methods.common.columns import numeric, restored

How = Literal["nearest", "down", "up", "random"]


@method("round_values")
def round_values(
    data: Dataset,
    *,
    rng: np.random.Generator,
    base: Annotated[float, Bounds(1e-9)] | None = None,
    how: How = "nearest",
    columns: Columns = None,
) -> Dataset:
    """Round numbers to multiples of a base.

    `columns` default to the numeric sensitive attributes, or else the numeric quasi-identifiers. `base` defaults to
    the largest power of ten that is no more than the standard deviation of the column (at least 1 for whole
    numbers); bases differ by column in separate steps. `how`: to the nearest multiple (halves to the even one),
    down, up, or to either neighbour at random so that the expected value stays. Missing values stay missing.
    """
    names = numeric(data, "round_values", columns)
    bases = {name: _base(data.frame[name], base) for name in names}
    made = []
    for name in names:
        steps = _stepped(numbers(data.frame[name]) / bases[name], how, rng)
        made.append(restored(data.frame[name], _times(steps, bases[name])))
    return data.with_columns(*made).noted(bases=bases)


def _base(column: pl.Series, given: float | None) -> float:
    whole = column.dtype.is_integer()
    if given is not None:
        if whole and given != int(given):
            raise ParameterError(
                f"round_values: base {given:g} is no whole number, but column {column.name!r} holds whole numbers; "
                "choose a whole base"
            )
        return given
    spread = float(column.std(ddof=0) or 0)  # type: ignore[arg-type]
    power = 10.0 ** math.floor(math.log10(spread)) if spread > 0 else 1.0
    return max(power, 1.0) if whole else power


def _stepped(steps: Float, how: How, rng: np.random.Generator) -> Float:
    """Make numbers of bases whole."""
    if how == "random":
        return np.floor(steps + rng.random(len(steps)))
    return {"nearest": np.rint, "down": np.floor, "up": np.ceil}[how](steps)


def _times(steps: Float, base: float) -> Float:
    """Multiply, without the last-digit noise of 3 × 0.1: divide by 10 where the base is 0.1."""
    parts = round(1 / base)
    return steps / parts if parts > 1 and math.isclose(parts * base, 1.0) else steps * base
