"""Bounds and sensitivity of a column, to which noise for differential privacy is scaled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from icefire.core.dataset import numbers
from icefire.core.errors import ParameterError
from icefire.core.registry import PartitionWay
from icefire.kernels.types import Float


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds to clamp to and a sensitivity; what is None is read off the data."""

    low: float | None
    high: float | None
    sensitivity: float | None

    def checked(self, owner: str) -> Limits:
        """Return itself if its bounds are in order."""
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ParameterError(f"{owner}: low is {self.low:g}, above high = {self.high:g}; exchange them")
        return self

    def clamped(self, column: pl.Series) -> tuple[Float, float]:
        """Return the values inside the bounds, NaN where missing, and the sensitivity."""
        values = numbers(column)
        if np.isnan(values).all():
            return values, 0.0
        low = float(np.nanmin(values)) if self.low is None else self.low
        high = max(low, float(np.nanmax(values))) if self.high is None else self.high
        low = min(low, high)
        return np.clip(values, low, high), high - low if self.sensitivity is None else self.sensitivity

    @property
    def source(self) -> str:
        """Say where the sensitivity comes from, without saying a value of the data."""
        if self.sensitivity is not None:
            return "given"
        if self.low is not None and self.high is not None:
            return "the range given"
        return "the range of the data, which is itself not protected"


def noise_in_partitions(parameters: Mapping[str, Any]) -> PartitionWay | None:
    """Say how noise is added in partitions: row by row, unless its size is read off the data."""
    bounded = parameters["low"] is not None and parameters["high"] is not None
    return "rows" if bounded or parameters["sensitivity"] is not None else None
