"""How many seeds a study repeats everything with, and the interval of the mean over them."""

from __future__ import annotations

import numpy as np

from icefire.core.errors import ParameterError
from icefire.kernels.types import Float

SEEDS = 3
T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Student's t at 97.5 %, for 1, 2, … degrees of freedom."""
MOST_SEEDS = len(T_975) + 1


def checked_seeds(seeds: int | None) -> int:
    """Return the number of seeds asked for, or the usual one."""
    turns = SEEDS if seeds is None else seeds
    if not 1 <= turns <= MOST_SEEDS:
        raise ParameterError(f"--seeds is {turns}; allowed are 1 to {MOST_SEEDS}")
    return turns


def half_width(values: Float) -> float | None:
    """Return half the width of the 95 % interval of the mean; None for a single value."""
    if len(values) < 2:
        return None
    return float(T_975[len(values) - 2] * values.std(ddof=1) / np.sqrt(len(values)))
