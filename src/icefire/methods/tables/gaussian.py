"""Add Gaussian noise for (ε, δ)-local differential privacy."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.methods.common.columns import numeric, numeric_check, restored
from icefire.methods.common.ranges import Limits, noise_in_partitions


@method(
    "gaussian",
    draws=True,
    drops_rows=False,
    check=numeric_check("gaussian"),
    in_partitions=noise_in_partitions,
)
def gaussian(
    data: Dataset,
    *,
    rng: np.random.Generator,
    epsilon: Annotated[float, Bounds(1e-6, 500)] = 1.0,
    delta: Annotated[float, Bounds(1e-12, 0.5)] = 1e-5,
    calibration: Literal["analytic", "classic"] = "analytic",
    sensitivity: Annotated[float, Bounds(1e-9)] | None = None,
    low: float | None = None,
    high: float | None = None,
    columns: Columns = None,
) -> Dataset:
    """Add normal noise that gives every value (ε, δ)-local differential privacy.

    With Δ the sensitivity, the standard deviation σ of the noise is

    - analytic (Balle and Wang 2018), for every ε > 0 and 0 < δ < 1: the smallest σ with
      Φ(Δ/2σ - εσ/Δ) - exp(ε)·Φ(-Δ/2σ - εσ/Δ) ≤ δ;
    - classic (Dwork and Roth 2014), proved for ε ≤ 1 and refused above: σ = Δ·√(2·ln(1.25/δ))/ε.

    Values are first clamped to `low` and `high`. Over several columns ε and δ add up. Whole numbers stay whole; missing
    values stay missing.

    Args:
        data: The table.
        rng: Random generator.
        epsilon: Privacy loss ε of one value.
        delta: Probability δ that the loss is larger.
        calibration: How the standard deviation is computed.
        sensitivity: How far two values may lie apart. Default: the width from `low` to `high`.
        low: Least value. Default: the smallest of the column.
        high: Greatest value. Default: the largest of the column.
        columns: Columns to change. Default: the numeric sensitive attributes, or else the numeric quasi-identifiers.

    Returns:
        The table with noise; the notes state ε and δ by column and in all.

    Raises:
        ParameterError: If `low` is above `high`, the classic calibration is asked for an ε above 1, a column holds no
            numbers, or there is none to work on.
    """
    limits = Limits(low, high, sensitivity).checked("gaussian")
    names = numeric(data, "gaussian", columns)
    unit = deviation(epsilon, delta, calibration)
    changed = []
    for name in names:
        values, width = limits.clamped(data.frame[name])
        changed.append(restored(data.frame[name], values + rng.normal(0, unit * width, len(values))))
    return data.with_columns(*changed).noted(
        epsilon_per_column=epsilon,
        delta_per_column=delta,
        epsilon_total=epsilon * len(names),
        delta_total=delta * len(names),
        deviation_per_sensitivity=unit,
        sensitivity=limits.source,
    )


def deviation(epsilon: float, delta: float, calibration: str = "analytic") -> float:
    """Return the standard deviation for a sensitivity of 1."""
    if calibration == "analytic":
        return _analytic(epsilon, delta)
    if epsilon > 1:
        raise ParameterError(
            f"gaussian: calibration 'classic' is proved for epsilon up to 1, got {epsilon:g}; choose analytic"
        )
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def _analytic(epsilon: float, delta: float) -> float:
    """Bisect for the smallest deviation that spends no more than δ; the spending falls as it grows."""
    low, high = 0.0, 1.0
    while spent(high, epsilon) > delta:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if spent(middle, epsilon) > delta else (low, middle)
    return high


def spent(deviation: float, epsilon: float) -> float:
    """Return the δ that noise of this deviation spends at this ε, for a sensitivity of 1."""
    if deviation == 0:
        return 1.0
    half, shift = 1 / (2 * deviation), epsilon * deviation
    tail = _below(-half - shift)
    # exp(ε) alone may overflow where its product with the tail does not.
    return _below(half - shift) - (math.exp(epsilon + math.log(tail)) if tail > 0 else 0.0)


def _below(z: float) -> float:
    """The share of a standard normal below z, exact far into the lower tail."""
    return math.erfc(-z / math.sqrt(2)) / 2
