"""Consecutive ranges of one array: where they start, and the numbers that several ranges hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.types import Int


def offsets(sizes: NDArray[np.integer]) -> Int:
    """Return where each of consecutive ranges of these sizes starts, and one more for the end (int64)."""
    start = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=start[1:])
    return start


def concatenated_ranges(first: Int, sizes: Int) -> Int:
    """Return first[i], first[i] + 1, … (sizes[i] numbers) for every i, one range after the other."""
    numbers: Int = np.arange(sizes.sum()) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
    return numbers
