"""Round numbers to multiples of a base."""

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
from icefire.methods.common.columns import NUMBERS_BY_ROLE, numeric, numeric_check, restored

Rounding = Literal["nearest", "down", "up", "random"]


@method(
    "round_values",
    draws=lambda parameters: parameters["how"] == "random",
    drops_rows=False,
    check=numeric_check("round_values"),
    defaults={
        "base": "the largest power of ten that is no more than the standard deviation of the column "
        "(at least 1 for whole numbers)",
        "columns": NUMBERS_BY_ROLE,
    },
    in_partitions=lambda parameters: None if parameters["base"] is None else "rows",
)
def round_values(
    data: Dataset,
    *,
    rng: np.random.Generator,
    base: Annotated[float, Bounds(1e-9)] | None = None,
    how: Rounding = "nearest",
    columns: Columns = None,
) -> Dataset:
    """Round numbers to multiples of a base.

    Bases differ by column in separate steps. Missing values stay missing.

    Args:
        data: The table.
        rng: Random generator, for `how` random.
        base: Numbers become multiples of it. Default: the largest power of ten that is no more than the standard
            deviation of the column (at least 1 for whole numbers).
        how: To the nearest multiple (halves to the even one), down, up, or to either neighbour at random so that the
            expected value stays.
        columns: Columns to change. Default: the numeric sensitive attributes, or else the numeric quasi-identifiers.

    Returns:
        The table with rounded numbers; the notes state the bases.

    Raises:
        ParameterError: If the base of a column of whole numbers is none, a column holds no numbers, or there is none to
            work on.
    """
    names = numeric(data, "round_values", columns)
    bases = {name: _base(data.frame[name], base) for name in names}
    changed = []
    for name in names:
        steps = _stepped(numbers(data.frame[name]) / bases[name], how, rng)
        changed.append(restored(data.frame[name], _times(steps, bases[name])))
    return data.with_columns(*changed).noted(bases=bases)


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


def _stepped(steps: Float, how: Rounding, rng: np.random.Generator) -> Float:
    """Make numbers of bases whole."""
    if how == "random":
        return np.floor(steps + rng.random(len(steps)))
    return {"nearest": np.rint, "down": np.floor, "up": np.ceil}[how](steps)


def _times(steps: Float, base: float) -> Float:
    """Multiply, without the last-digit noise of 3 × 0.1: divide by 10 where the base is 0.1."""
    parts = round(1 / base)
    return steps / parts if parts > 1 and math.isclose(parts * base, 1.0) else steps * base
